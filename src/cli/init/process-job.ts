import { extensionOf, importExtension, type Job, jobFiles, type Tested, variable, workOf } from './job-files.js';

/** A database of locks that processes share, and how they reach it. */
interface Database {
  readonly needed: readonly string[];
  /** Packages with the types of these. */
  readonly types: readonly string[];
  readonly import: string;
  /** Who may share it. */
  readonly sharedBy: string;
  /** The function of the door `single-execution/…` that makes the store. */
  readonly store: string;
  client(isTypeScript: boolean): string;
  /** The option of the command-line tool, after a space; empty if the environment names the database. */
  readonly option: string;
}

const DATABASES = {
  postgres: {
    needed: ['pg'],
    types: ['@types/pg'],
    import: "import pg from 'pg';",
    sharedBy: 'hosts',
    store: 'postgresStore',
    client: (isTypeScript) => `new pg.Pool({ connectionString: ${variable('DATABASE_URL', isTypeScript)} });
// Without a listener the process would end when a connection breaks that nobody uses.
client.on('error', () => undefined)`,
    // DATABASE_URL has a password, which an option would show in the list of processes.
    option: '',
  },
  sqlite: {
    needed: ['@libsql/client'],
    types: [],
    import: "import { createClient } from '@libsql/client';",
    sharedBy: 'processes of this machine',
    store: 'sqliteStore',
    client: () => "createClient({ url: 'file:locks.db' })",
    option: ' --sqlite locks.db',
  },
} as const satisfies Record<string, Database>;

/** A job of a long-lived process, a test of it, and the program that runs it at 02:00 UTC every night. */
export function processJob(name: string, project: Tested, kind: keyof typeof DATABASES): Job {
  const { isTypeScript } = project;
  const { needed, types, option }: Database = DATABASES[kind];
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
      'make the table': `npx single-execution table create${option}`,
      'start it': `${isTypeScript ? 'npx tsx' : 'node'} ${program}`,
    },
  };
}

function cronProgram(name: string, project: Tested, kind: keyof typeof DATABASES): string {
  const { isTypeScript } = project;
  const { client, store, sharedBy, import: clientImport }: Database = DATABASES[kind];
  const typed = (type: string) => (isTypeScript ? `: ${type}` : '');
  return `import { Cron } from 'croner';
${clientImport}
${isTypeScript ? "import type { Execution } from 'single-execution';\n" : ''}import { withSingleExecution } from 'single-execution/process';
import { ${store} } from 'single-execution/${kind}';
import { ${workOf(name)} } from './${name}${importExtension(project)}';

// Any number of ${sharedBy} may run this program: each tick is for one of them.

const client = ${client(isTypeScript)};

const job = withSingleExecution(
  async (_cron${typed('Cron')}, { tick }${typed('Execution')}) => console.log(await ${workOf(name)}(tick)),
  {
    name: '${name}',
    store: ${store}({ client }),
    // The lock is renewed while the work goes on. After a crash it is free within 30 seconds.
    keepAlive: true,
    tick: 'event',
    onSkipped: () => undefined,
  },
);

new Cron('0 2 * * *', { timezone: 'Etc/UTC', catch: (error) => console.error(error) }, job);
`;
}
