import { join } from 'node:path';
import { isSkipped, type LockEvent, withSingleExecution } from 'single-execution';
import { memoryStore } from 'single-execution/memory';
import { emfObserver, jsonLogObserver, otelObserver } from 'single-execution/observe';
import { lambdaContext, scheduledEvent } from 'single-execution/testing';
import ts from 'typescript';
import { expect, onTestFinished, test, vi } from 'vitest';
import { EXIT } from '../../src/cli/exit-code.js';
import { EMF_METRICS } from '../../src/core/observers/emf-metrics.js';
import { DOORS } from '../support/doors.js';
import { namesIn, read, rowsOf, sectionOf } from './page.js';

/*
 * Compares tables of the docs with the code: with its types, its values, or what it does.
 */

const ROOT = join(import.meta.dirname, '../..');
/** The rows under a heading of a page. */
const rowsUnder = (page: string, heading: string) => rowsOf(sectionOf(read(page), heading));

const { options } = ts.parseJsonConfigFileContent(
  ts.readConfigFile(join(ROOT, 'tsconfig.json'), ts.sys.readFile).config,
  ts.sys,
  ROOT,
);
const PROGRAM = ts.createProgram(
  Object.entries(DOORS).flatMap(([door, path]) => (door.endsWith('/cdk') ? [] : [join(ROOT, path)])),
  { ...options, noLib: true },
);
const checker = PROGRAM.getTypeChecker();

function typeOf(name: string, door?: string): ts.Type {
  const files = door === undefined ? PROGRAM.getSourceFiles() : [PROGRAM.getSourceFile(join(ROOT, DOORS[door] ?? ''))];
  for (const file of files.filter((its) => its !== undefined)) {
    const symbol = checker.getSymbolAtLocation(file);
    const found = symbol && checker.getExportsOfModule(symbol).find((exported) => exported.name === name);
    if (found) {
      return checker.getDeclaredTypeOfSymbol(
        found.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(found) : found,
      );
    }
  }
  throw new Error(`${name} is not exported`);
}

/** The members of a type, sorted. The name of an optional member ends with `?`. */
const membersOf = (name: string): string[] => typeOf(name).getProperties().map(nameOf).sort();

const nameOf = ({ name, flags }: ts.Symbol): string => name + (flags & ts.SymbolFlags.Optional ? '?' : '');

/** The string values that a member of a type can have. */
function textsOf(name: string, member: string, type = typeOf(name)): string[] {
  const parts = type.isUnion() ? type.types : [type];
  const types = parts.flatMap((part) => {
    const symbol = checker.getPropertyOfType(part, member);
    const its = symbol && checker.getNonNullableType(checker.getTypeOfSymbol(symbol));
    return its?.isUnion() ? its.types : [its];
  });
  const texts = types.map((its) => (its?.isStringLiteral() ? its.value : `${name} has no text ${member}`));
  return [...new Set(texts)].sort();
}

const ERRORS = ['LockStoreError', 'LockHeldError', 'LockLostError', 'RunEndedError', 'CorruptLockError'];
const CODES = ERRORS.flatMap((error) => textsOf(error, 'code')).sort();

test('every reason of a skip is in docs/on-call.md, and README and the reference count them', () => {
  const reasons = textsOf('Skipped', 'reason');
  const section = sectionOf(read('docs/on-call.md'), '## Why a run was skipped');
  expect([...section.matchAll(/^### `(.*)`$/gm)].map(([, reason]) => reason).sort()).toEqual(reasons);
  const count = { 5: 'five', 6: 'six', 7: 'seven', 8: 'eight' }[reasons.length];
  expect(read('README.md')).toContain(`[${count} reasons]`);
  expect(read('docs/reference.md')).toContain(`[one of ${count}]`);
});

test('every code of an error is in docs/on-call.md and docs/reference.md', () => {
  const door = read('src/index.ts');
  expect([...new Set(door.match(/\b\w+Error\b/g))].sort()).toEqual([...ERRORS].sort());

  expect(namesIn(rowsUnder('docs/on-call.md', '## Error codes'))).toEqual(CODES);
  const rows = rowsUnder('docs/reference.md', '## Errors');
  expect(namesIn(rows.slice(1), 1)).toEqual(CODES);
});

/** The rows of the table in docs/reference.md whose first column has this head. */
const tableOf = (head: string): string[][] =>
  rowsOf(
    read('docs/reference.md')
      .split('\n\n')
      .find((text) => text.trimStart().startsWith(`| ${head} |`)) ?? '',
  ).slice(1);

test.each([
  ['Execution', 'an execution'],
  ['Executed', 'an executed outcome'],
  ['Skipped', 'a skipped outcome'],
  ['SkippedHolder', 'a holder'],
  ['LockInfo', 'a lock'],
  ['RunInfo', 'a run'],
])('docs/reference.md has every member of %s', (type, what) => {
  const named = tableOf(`field of ${what}`).flatMap(([cell = '']) =>
    [...cell.matchAll(/`(\w+\??)(?:\(\w*\))?`/g)].map(([, name = '']) => name),
  );

  expect(named.sort()).toEqual(membersOf(type));
});

test('docs/reference.md has every event and its fields', () => {
  const told = tableOf('event').map(([event = '', fields = '']) => [...namesIn([[event]]), ...namesIn([[fields]])]);
  const real = textsOf('LockEvent', 'type').map((type) => [type, ...fieldsOfEvent(type)]);

  expect(told.sort()).toEqual(real.sort());
});

/** The fields of an event of this type, sorted, without the fields of every event. */
function fieldsOfEvent(type: string): string[] {
  const union = typeOf('LockEvent');
  const member = (union.isUnion() ? union.types : []).find((its) => textsOf('LockEvent', 'type', its)[0] === type);
  const head = ['type', 'name', 'at', 'attemptId?', 'tick?', 'isManual?'];
  const fields = (member?.getProperties() ?? []).map(nameOf);
  expect(fields).toEqual(expect.arrayContaining(head.slice(0, 4)));
  return fields.filter((name) => !head.includes(name)).sort();
}

test('docs/reference.md has every option of withSingleExecution', () => {
  const [table = ''] = /^\| option [\s\S]*?\n\n/m.exec(read('docs/reference.md')) ?? [];

  expect(namesIn(rowsOf(table).slice(1))).toEqual(membersOf('Options').map((name) => name.replace('?', '')));
});

test.each([
  ['docs/reference.md', '', 'Options'],
  ['docs/guides/catch-up.md', '', 'CatchUpOptions'],
  ['docs/guides/leader.md', '/leader', 'ElectionOptions'],
  ['docs/platforms/azure.md', '/azure', 'Options'],
  ['docs/platforms/cloudflare.md', '/cloudflare', 'Options'],
  ['docs/platforms/process.md', '/process', 'Options'],
  ['docs/platforms/vercel.md', '/http', 'Options'],
  ['docs/stores/azure.md', '/azure', 'AzureTableStoreOptions'],
  ['docs/stores/dynamodb.md', '/dynamodb', 'DynamoDBStoreOptions'],
  ['docs/stores/mysql.md', '/mysql', 'MysqlStoreOptions'],
  ['docs/stores/postgres.md', '/postgres', 'PostgresStoreOptions'],
  ['docs/stores/redis.md', '/redis', 'RedisStoreOptions'],
  ['docs/stores/sqlite.md', '/sqlite', 'SqliteStoreOptions'],
  ['docs/stores/upstash.md', '/upstash', 'UpstashStoreOptions'],
])(
  'the options of %s are those of its door, with their defaults, and the required ones are named so',
  (page, door, type) => {
    const [table = ''] = read(page).match(/^\| option \| default [\s\S]*?\n(?!\|)/m) ?? [];
    const rows = [...table.matchAll(/^\| (`.*?) \| (.*?) \|/gm)].flatMap(([, names = '', value = '']) =>
      [...names.matchAll(/`(\w+)/g)].map(([, name = '']) => [name, value] as const),
    );
    const defaultOf = (name: string) => {
      const option = checker.getPropertyOfType(typeOf(type, `single-execution${door}`), name);
      const tag = option?.getJsDocTags(checker).find((its) => its.name === 'default');
      if (!option) return 'no such option';
      return option.flags & ts.SymbolFlags.Optional ? ts.displayPartsToString(tag?.text) : 'required';
    };
    const literal = (text: string) => /^`?('[^']*'|\d+|true|false|\{.*\})/.exec(text)?.[1];
    const wrong = rows.filter(([name, value]) => {
      const real = defaultOf(name);
      return literal(value) !== literal(real) || (value === 'required') !== (real === 'required');
    });

    expect(rows.length).toBeGreaterThan(1);
    expect(wrong.map(([name, value]) => `${name}: ${value}, but it is ${defaultOf(name)}`)).toEqual([]);
  },
);

test('docs/reference.md has every state of a lock', () => {
  const rows = rowsUnder('docs/reference.md', '### States of a lock');

  expect(namesIn(rows)).toEqual(textsOf('LockInfo', 'state'));
});

test('the JSON of a skip in docs/platforms/lambda.md has the members that a skip has, in their order', async () => {
  const [, shown = '{}'] = /```json\n(\{\n {2}"status": "skipped".*?)```/s.exec(read('docs/platforms/lambda.md')) ?? [];
  const handler = withSingleExecution(async () => 'sent', { name: 'send-digest', store: memoryStore(), observers: [] });
  const event = scheduledEvent({ time: '2026-11-21T02:00:00Z' });
  await handler(event, lambdaContext());
  const skipped = JSON.parse(JSON.stringify(await handler(event, lambdaContext())));
  const page = JSON.parse(shown);

  expect(isSkipped(page)).toBe(true);
  expect(Object.keys(page)).toEqual(Object.keys(skipped));
  expect(Object.keys(page.holder)).toEqual(Object.keys(skipped.holder));
});

const at = new Date('2026-11-21T02:00:00Z');
const clock = { minMs: 2_000, maxMs: 3_000 };
const released = { release: 'released', durationMs: 1 } as const;
const head = { name: 'digest', at, attemptId: 'a' };
/** One event of each type. If a type is missing, the type checker reports it. */
const EVENTS = {
  attempted: {},
  acquired: { fencingToken: 1 },
  'acquire-failed': { error: new Error('no table'), next: 'run' },
  skipped: { reason: 'locked' },
  started: { fencingToken: 1 },
  extended: { fencingToken: 1, lockUntil: at },
  'extend-failed': { error: new Error('no table') },
  lost: { fencingToken: 1 },
  released: { fencingToken: 1, heldMs: 1 },
  'release-failed': { error: new Error('no table') },
  finished: released,
  failed: { ...released, error: new Error('no mail') },
  missed: { ticks: [at], others: 0 },
  'caught-up': { tick: at, status: 'succeeded', durationMs: 1 },
  'given-up': { ticks: [at], others: 0 },
  recovered: { previous: { status: 'crashed', lockedBy: 'a', lockedAt: at, fencingToken: 1 } },
  'clock-skew': clock,
  'clock-unverified': {},
  'tick-unreadable': { value: 'noon' },
} satisfies Record<LockEvent['type'], object>;
const events = Object.entries(EVENTS).map(([type, body]) => ({ ...head, type, ...body }) as LockEvent);

test('docs/logs.md says of every event which line it writes, or that it writes none', () => {
  const levels = ['info', 'warn', 'error'] as const;
  const lines = levels.map((level) => ({ level, spy: vi.spyOn(console, level).mockImplementation(() => {}) }));
  onTestFinished(() => void vi.restoreAllMocks());
  const levelOf = (event: LockEvent) => {
    for (const { spy } of lines) spy.mockClear();
    jsonLogObserver()(event);
    return lines.find(({ spy }) => spy.mock.calls.length > 0)?.level;
  };
  const rows = rowsUnder('docs/logs.md', '## Log lines').filter(([name]) => /^`[\w-]+`$/.test(name ?? ''));
  const [, none = ''] = /The other events write no line: (.*)/.exec(read('docs/logs.md')) ?? [];
  const told = [...rows.map(([name = '', level]) => [name.slice(1, -1), level]), ...namesIn([[none]]).map((n) => [n])];

  expect(told.map(([name, level]) => `${name} ${level}`).sort()).toEqual(
    events.map((event) => `${event.type} ${levelOf(event)}`).sort(),
  );
});

test('docs/logs.md has every metric of emfObserver, at its event', () => {
  const written: string[] = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => written.push(String(text)) > 0);
  onTestFinished(() => void vi.restoreAllMocks());
  const metricsOf = (event: LockEvent): string[] => {
    written.length = 0;
    emfObserver()(event);
    return (JSON.parse(written[0] ?? '{}')._aws?.CloudWatchMetrics ?? []).flatMap(
      ({ Metrics }: { Metrics: { Name: string }[] }) => Metrics.map(({ Name }) => Name),
    );
  };
  const done = { ...head, type: 'skipped', reason: 'already-executed' } as const;
  const real = [...events, done].flatMap((event) => metricsOf(event).map((metric) => `${event.type} ${metric}`)).sort();
  const isMetric = (name: string) => Object.hasOwn(EMF_METRICS, name);
  const rows = rowsUnder('docs/logs.md', '## Metrics').slice(1);
  const told = rows.flatMap(([event = '', metrics = '']) =>
    namesIn([[metrics]])
      .filter(isMetric)
      .map((metric) => `${/`([\w-]+)`/.exec(event)?.[1]} ${metric}`),
  );

  expect(told.sort()).toEqual(real);
  const section = sectionOf(read('docs/logs.md'), '## Metrics');
  for (const metric of Object.keys(EMF_METRICS)) expect(section).toContain(metric);
});

test('docs/guides/telemetry.md has every metric and event of otelObserver', () => {
  const found = new Set<string>();
  const instrument = (name: string) => {
    found.add(name);
    return { add() {}, record() {} };
  };
  const span = {
    addEvent: (name: string) => void found.add(name),
    setAttributes() {},
    setStatus() {},
    end() {},
    spanContext: () => ({ traceId: '', spanId: '', traceFlags: 0 }),
  };
  const observer = otelObserver({
    meter: { createCounter: instrument, createHistogram: instrument },
    tracer: { startSpan: () => span },
  } as never);
  for (const event of events) {
    observer({ ...head, type: 'started', fencingToken: 1 });
    observer(event);
  }
  const page = read('docs/guides/telemetry.md');
  const [, inSpans = ''] = /A span has an event for (.*)/.exec(page) ?? [];
  const table = [...page.matchAll(/^\| (`single_execution\..*?) \| [^|]*\|$/gm)].map(([, cell = '']) => cell);
  const told = [inSpans, ...table].flatMap((text) =>
    [...text.replaceAll(/\(.*?\)/g, '').matchAll(/`(?:single_execution)?\.([\w.]+)`/g)].map(
      ([, name]) => `single_execution.${name}`,
    ),
  );

  expect([...new Set(told)].sort()).toEqual([...found].sort());
});

test('docs/cli.md has every exit code', () => {
  const rows = [...rowsUnder('docs/cli.md', '## Run'), ...rowsUnder('docs/cli.md', '## In scripts')];
  const codes = rows.map(([code = '']) => Number(code)).filter((code) => Number.isInteger(code));

  expect(codes.sort((a, b) => a - b)).toEqual(Object.values(EXIT).sort((a, b) => a - b));
});

const statusesIn = (...files: string[]) =>
  [
    ...new Set(files.flatMap((file) => read(file).match(/(?<=refused?\(|status: (?:\d+ \| )*)[45]\d\d\b/g) ?? [])),
  ].sort();

test('docs/console.md has every status of the console', () => {
  const [, table = ''] = read('docs/console.md').split('| status | meaning |') ?? [];
  const console = ['api.ts', 'gate.ts', 'console-server.ts'].map((file) => `src/cli/console/${file}`);

  expect([...table.matchAll(/^\| (\d+) \|/gm)].map(([, status]) => status)).toEqual(statusesIn(...console));
});

test('docs/platforms/vercel.md has every status and code of a route', () => {
  const rows = rowsUnder('docs/platforms/vercel.md', '## How it works').filter(([status = '']) => /^\d+$/.test(status));
  const source = ['adapters/http.ts', 'adapters/http-request.ts', 'core/wrap/request-secret.ts']
    .map((path) => read(`src/${path}`))
    .join('');
  const codes = source.match(/(?<=')[A-Z]+_[A-Z_]+(?='[;,)\s])|(?<=, ')UNAUTHORIZED(?=')/g);

  expect(rows.map(([status]) => status)).toEqual([
    '200',
    ...statusesIn('src/adapters/http.ts', 'src/core/wrap/request-secret.ts'),
  ]);
  expect(
    rows.flatMap(([, body = '']) => body.match(/\b(?:TICK_\w+|HEADER_\w+|UNAUTHORIZED|SECRET_\w+)\b/g) ?? []).sort(),
  ).toEqual([...new Set(codes)].sort());
});
