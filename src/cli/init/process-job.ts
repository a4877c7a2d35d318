import { extensionOf, importExtension, type Job, jobFiles, type Tested, workOf } from './job-files.js';

/** A database in which processes share locks, and how they connect to it. */
export interface ProcessDatabase {
  /** The database and its client, as a sentence names them. */
  readonly words: string;
  readonly needed: readonly string[];
  /** Packages with the types of the `needed` packages. */
  readonly types: readonly string[];
  readonly import: string;
  /** Who may share the database, such as `hosts`. */
  readonly sharedBy: string;
  client(isTypeScript: boolean): string;
  /** The option of the command-line tool, after a space; empty if the environment names the database. */
  readonly option: string;
  /** The command that names the database in the environment, with words to replace. */
  readonly connect?: string;
}

/** The parts of a kind of store that a job uses. */
interface ProcessKind {
  /** The name of the store's door, such as `redis`. */
  readonly name: string;
  readonly job: ProcessDatabase;
}

/** A job of a long-lived process, a test of it, and the program that runs it at 02:00 UTC every night. */
export function processJob(name: string, project: Tested, kind: ProcessKind): Job {
  const { isTypeScript } = project;
  const { needed, types, option, connect } = kind.job;
  const program = `${name}.cron.${extensionOf(project)}`;
  return {
    files: {
      ...jobFiles(name, project, {
        testImports: [
          "import { isSkipped } from 'single-execution';",
          "import { memoryStore } from 'single-execution/memory';",
          "import { withSingleExecution } from 'single-execution/process';",
        ],
        setUp: `  const tick = new Date('2026-11-21T02:00:00Z');
  const deliver = withSingleExecution((execution) => ${workOf(name)}(execution.tick), {
    name: '${name}',
    store: memoryStore(),
    lockAtMostFor: '1m',
    tick: () => tick,
    observers: [],
  });`,
        delivery: 'deliver()',
        tick: 'tick',
      }),
      [program]: cronProgram(name, project, kind),
    },
    needed: [...needed, ...(isTypeScript ? types : []), 'croner'],
    steps: {
      ...(connect !== undefined && { connect }),
      'make the table': `npx single-execution table create${option}`,
      'start it': `${isTypeScript ? 'npx tsx' : 'node'} ${program}`,
    },
  };
}

function cronProgram(name: string, project: Tested, kind: ProcessKind): string {
  const { isTypeScript } = project;
  const { client, sharedBy, import: clientImport } = kind.job;
  const store = `${kind.name}Store`;
  const typed = (type: string) => (isTypeScript ? `: ${type}` : '');
  return `import { Cron } from 'croner';
${clientImport}
${isTypeScript ? "import type { Execution } from 'single-execution';\n" : ''}import { withSingleExecution } from 'single-execution/process';
import { cron } from 'single-execution/schedule';
import { ${store} } from 'single-execution/${kind.name}';
import { ${workOf(name)} } from './${name}${importExtension(project)}';

// Any number of ${sharedBy} may run this program: each tick is for one of them.

const SCHEDULE = '0 2 * * *';
const client = ${client(isTypeScript)};

const job = withSingleExecution(
  async (_cron${typed('Cron')}, { tick }${typed('Execution')}) => console.log(await ${workOf(name)}(tick)),
  {
    name: '${name}',
    store: ${store}({ client }),
    // The lock is renewed while the work goes on. After a crash it is free within 30 seconds.
    keepAlive: true,
    tick: 'event',
    // Kept with the lock, so that \`npx single-execution check\` notices when the job has stopped.
    schedule: cron(SCHEDULE),
    onSkipped: () => undefined,
  },
);

const timer = new Cron(SCHEDULE, { timezone: 'Etc/UTC', catch: (error) => console.error(error) }, job);
console.log('${name}: next run at', timer.nextRun()?.toISOString());
`;
}
