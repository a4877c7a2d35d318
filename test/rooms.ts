/** A room of the source: what it is for, and which rooms its files may import besides their own. */
interface Room {
  readonly what: string;
  readonly sees: readonly string[];
  /** Whether it may import the doors too, as a user's program does. */
  readonly seesDoors?: true;
}

/*
 * The rooms of `src`, innermost first; CONTRIBUTING.md shows this table. A room is a folder, or a file outside of every
 * room's folder. A new room needs a line here, but not a new database: every folder of `stores` without a line is one.
 */
export const ROOMS: Readonly<Record<string, Room>> = {
  'core/values': { what: 'values that need nothing else: instants, durations, names, ids', sees: [] },
  'core/ports': { what: 'what a store is asked to do; types only', sees: ['core/values'] },
  'core/public': {
    what: 'what callers get: outcomes, errors, events, the execution',
    sees: ['core/values', 'core/ports'],
  },
  'core/observers': {
    what: 'the default observers: the log, metrics',
    sees: ['core/values', 'core/public'],
  },
  'core/record': {
    what: 'the stored record: its shape, what each verb writes, what a refusal means',
    sees: ['core/values', 'core/ports', 'core/public'],
  },
  'core/request': {
    what: 'one request to a store: its turn, its tries, and an answer that never came',
    sees: ['core/values', 'core/ports', 'core/public', 'core/record'],
  },
  'core/options': {
    what: 'the options of callers, checked and complete',
    sees: ['core/values', 'core/ports', 'core/public', 'core/observers'],
  },
  'core/run': {
    what: 'one run: acquire, watch, task, release',
    sees: ['core/values', 'core/ports', 'core/public', 'core/observers', 'core/record', 'core/options'],
  },
  'core/wrap': {
    what: 'what every platform does around a run: its name, tick, time and reply',
    sees: ['core/values', 'core/ports', 'core/public', 'core/observers', 'core/options', 'core/run'],
  },
  stores: {
    what: 'the verbs over any storage that can compare and swap, and the storages that need no folder',
    sees: ['core/values', 'core/ports', 'core/public', 'core/record', 'core/request'],
  },
  'stores/sql': {
    what: 'the storage over any database: its statements, its errors, and what its clients answer',
    sees: ['core/values', 'core/ports', 'core/public', 'core/observers', 'core/request', 'stores'],
  },
  'stores/DATABASE': {
    what: 'what is special about one database over `stores/sql`: its statements, its errors, its clients',
    sees: ['core/values', 'core/ports', 'core/request', 'stores/sql'],
  },
  'stores/azure': {
    what: 'the storage over a table of Azure, and the meanings of its errors',
    sees: ['core/values', 'core/ports', 'core/public', 'core/request', 'stores'],
  },
  'stores/durable-objects': {
    what: 'the verbs inside an object of Cloudflare, and the requests to it',
    sees: ['core/values', 'core/ports', 'core/public', 'core/record', 'core/request', 'stores'],
  },
  'stores/dynamodb': {
    what: 'the verbs as conditional writes',
    sees: ['core/values', 'core/ports', 'core/public', 'core/record', 'core/request'],
  },
  'stores/redis': {
    what: 'the verbs as Lua scripts, over a connection or over Upstash REST',
    sees: ['core/values', 'core/ports', 'core/public', 'core/observers', 'core/record', 'core/request'],
  },
  adapters: {
    what: '`withSingleExecution` on each platform',
    sees: ['core/values', 'core/ports', 'core/public', 'core/observers', 'core/options', 'core/run', 'core/wrap'],
  },
  aspects: {
    what: '`withSingleExecution` as a middleware and as a decorator',
    sees: ['core/values', 'core/public', 'core/options', 'core/run', 'core/wrap', 'adapters'],
  },
  leader: {
    what: 'one leader among processes or regions',
    sees: ['core/values', 'core/ports', 'core/public', 'core/observers', 'core/options', 'core/run', 'core/wrap'],
  },
  observe: {
    what: 'the same log and metrics as observers to pass',
    sees: ['core/values', 'core/public', 'core/observers'],
  },
  schedule: {
    what: 'schedules as values; one reader of EventBridge’s dialect, which the constructs use too',
    sees: ['core/values', 'core/observers'],
  },
  admin: {
    what: "operators' verbs",
    sees: [
      'core/values',
      'core/ports',
      'core/public',
      'core/observers',
      'core/record',
      'core/options',
      'core/wrap',
      'schedule',
    ],
  },
  operate: {
    what: 'what operators read about a lock, as rows and sentences, printed or shown elsewhere',
    sees: ['core/values', 'core/public', 'core/record', 'core/wrap', 'schedule', 'admin'],
  },
  cli: {
    what: 'the command-line tool, a program of its own that no door loads',
    sees: ['operate'],
    seesDoors: true,
  },
  testing: {
    what: 'the contract of a store, clocks, faults, events, a fake lock table',
    sees: ['core/values', 'core/ports', 'core/public', 'core/record'],
  },
  'azure.ts': { what: 'the door of Azure: its adapter and its store', sees: ['adapters', 'stores/azure'] },
  'index.ts': {
    what: 'the root door',
    sees: ['core/values', 'core/ports', 'core/public', 'core/options', 'core/run', 'core/wrap', 'adapters'],
  },
};

/** The room of all databases. None imports another. */
export const DATABASE = 'stores/DATABASE';

/** The room of a file of `src`, given by its path from the root of the repository. */
export function roomOf(path: string): string {
  const [, area = '', inner = ''] = path.split('/');
  const isFolder = area === 'core' || (area === 'stores' && !inner.endsWith('.ts'));
  const room = isFolder ? `${area}/${inner}` : area;
  return area === 'stores' && !(room in ROOMS) ? DATABASE : room;
}

export function roomTable(): string {
  const rows = Object.entries(ROOMS).map(([room, { what, sees, seesDoors }]) => {
    const seen = [...(seesDoors ? ['the doors'] : []), ...sees.map((name) => `\`${name.replace('core/', '')}\``)];
    return `| \`${room}\` | ${what} | ${seen.join(' ') || 'nothing'} |`;
  });
  return ['| room of `src` | what it is for | sees |', '|---|---|---|', ...rows].join('\n');
}
