import { createPostgresTable, type PostgresStoreOptions, postgresStore } from '../../stores/postgres.js';
import { lookAtPostgres } from '../doctor/look-at-sql.js';
import { failed } from '../exit-code.js';
import { variable } from '../init/job-files.js';
import { checkUrl, type StoreKind } from './kind.js';
import { isMissing } from './reach.js';
import { type Connected, openInTable } from './sql-table.js';

export const postgres: StoreKind = {
  name: 'postgres',
  title: 'Postgres',
  option: 'postgres-url',
  options: {
    'postgres-url': { value: 'URL', help: 'the Postgres of the locks; else DATABASE_URL if it is one of Postgres' },
  },
  variable: { name: 'DATABASE_URL', fits: /^postgres/ },
  hasTable: true,
  examined: 'the table and the rights to it, clock, version, role and durability',
  job: {
    words: 'Postgres over pg and DATABASE_URL',
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
  check: (named) => checkUrl(named, /^postgres(ql)?:$/, 'postgres://user:password@host/database'),
  open: async (named) =>
    openInTable(named, await connect(named.value), {
      store: postgresStore,
      create: createPostgresTable,
      examine: lookAtPostgres,
    }),
};

/** The longest time to connect. */
const CONNECT_MS = 5_000;

/** Connects with the installed package, pg first. */
async function connect(url: string): Promise<Connected<PostgresStoreOptions['client']>> {
  try {
    const { default: pg } = await import('pg');
    const client = new pg.Pool({ connectionString: url, max: 4, connectionTimeoutMillis: CONNECT_MS });
    // The statement that needed the connection fails too.
    client.on('error', () => undefined);
    return { client, rows: async (text) => (await client.query(text)).rows, close: () => void client.end() };
  } catch (error) {
    if (!isMissing(error, ['pg'])) throw error;
  }
  try {
    const { default: postgres } = await import('postgres');
    const client = postgres(url, { max: 4, connect_timeout: CONNECT_MS / 1_000, onnotice: () => undefined });
    return { client, rows: async (text) => client.unsafe(text), close: () => void client.end({ timeout: 0 }) };
  } catch (error) {
    if (!isMissing(error, ['postgres'])) throw error;
    throw failed(
      '--postgres-url needs pg or postgres, and neither is installed beside single-execution: npm install pg',
    );
  }
}
