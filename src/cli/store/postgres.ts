import {
  createPostgresTable,
  type PostgresStoreOptions,
  postgresStore,
  postgresTable,
} from '../../stores/postgres/postgres.js';
import {
  clockVerdict,
  type Examiner,
  type Finding,
  look,
  ok,
  problem,
  unknown,
  type Verdict,
  warning,
} from '../findings/finding.js';
import { lookAtPostgresTable } from '../findings/look-at-postgres-table.js';
import { variable } from '../init/job-files.js';
import { checkUrl, type StoreKind } from './kind.js';
import { nameOfThrown, PATIENCE_MS, placeAt, withInstalled } from './reach.js';
import { type Connected, openInTable, type Rows } from './sql-table.js';

export const postgres: StoreKind = {
  name: 'postgres',
  title: 'Postgres',
  option: 'postgres-url',
  options: {
    'postgres-url': {
      value: 'URL',
      help: 'the Postgres of the locks; by default DATABASE_URL if it is one of Postgres',
    },
  },
  variable: { name: 'DATABASE_URL', fits: /^postgres/ },
  hasTable: true,
  examined: 'the table, its columns and the rights to it, clock, version, role and durability',
  job: {
    words: 'Postgres over pg and DATABASE_URL',
    needed: ['pg'],
    types: ['@types/pg'],
    import: "import pg from 'pg';",
    sharedBy: 'hosts',
    client: (isTypeScript) => `new pg.Pool({
  connectionString: ${variable('DATABASE_URL', isTypeScript)},
  // This pool is for locks only: a run that meets a dead connection gets a new one after 2 s.
  max: 2,
  connectionTimeoutMillis: 2_000,
  query_timeout: 2_000,
});
// Without this listener, the process ends when Postgres closes a connection.
client.on('error', (error) => console.error(error.message))`,
    // DATABASE_URL has a password, which an option would show in the list of processes.
    option: '',
    connect: 'export DATABASE_URL=postgres://user:password@host/database',
  },
  check(named) {
    checkUrl(named, /^postgres(ql)?:$/, 'postgres://user:password@host/database');
    postgresTable(named.line.text('table'));
  },
  async open(named, clock) {
    const connected = await withInstalled<Connection>('postgres-url', {
      pg: () => connectPg(named.value),
      postgres: () => connectPostgresJs(named.value),
    });
    const parts = {
      store: postgresStore,
      creation: postgresTable,
      create: createPostgresTable,
      allow: (table: string) => `GRANT SELECT, INSERT, UPDATE ON ${table} to this role, and connect to the primary`,
      examine: lookAtServer,
    };
    return openInTable(named, { ...connected, place: placeAt(named) }, parts, clock);
  },
};

const OLDEST_POSTGRES = 130_000;
/** The longest time to connect. */
const CONNECT_MS = 5_000;

type Connection = Connected<PostgresStoreOptions['client']>;

async function connectPg(connectionString: string): Promise<Connection> {
  const { default: pg } = await import('pg');
  // Close a connection that does not answer: the console stays open, and would wait for it again and again.
  const client = new pg.Pool({
    connectionString,
    max: 4,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: PATIENCE_MS,
  });
  // Ignore an error of the connection: the statement that needs the connection fails too.
  client.on('error', () => undefined);
  return { client, rows: async (text) => (await client.query(text)).rows, close: () => void client.end() };
}

async function connectPostgresJs(url: string): Promise<Connection> {
  const { default: postgres } = await import('postgres');
  const client = postgres(url, {
    max: 4,
    connect_timeout: CONNECT_MS / 1_000,
    // If a connection breaks while postgres.js asks for types, nobody handles the error, and the process ends.
    fetch_types: false,
    onnotice: () => undefined,
  });
  return { client, rows: async (text) => client.unsafe(text), close: () => void client.end({ timeout: 0 }) };
}

async function lookAtServer(rows: Rows, { clock }: Examiner, table: string): Promise<readonly Finding[]> {
  const finding = (check: string, statement: string, judge: (value: string, sentMs: number) => Verdict) =>
    look(
      check,
      async () => {
        const sentMs = clock.now();
        const [row] = (await rows(`SELECT (${statement})::text AS value`)) as readonly { readonly value: string }[];
        return judge(row?.value ?? '', sentMs);
      },
      (error) => unknown(`may not look: ${nameOfThrown(error)}`, 'allow this role to read the settings of the server'),
    );
  return [
    await lookAtPostgresTable(rows, table),
    await finding('clock', 'floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint', (value, sentMs) =>
      clockVerdict({ minMs: Number(value) - clock.now(), maxMs: Number(value) + 1 - sentMs }),
    ),
    await finding('version', "current_setting('server_version_num')", versionOf),
    await finding('role', 'pg_is_in_recovery()', roleOf),
    await finding('durability', "current_setting('synchronous_commit')", durabilityOf),
  ];
}

function versionOf(number: string): Verdict {
  const version = String(Math.floor(Number(number) / 10_000));
  return Number(number) >= OLDEST_POSTGRES ? ok(version) : problem(version, 'use PostgreSQL 13 or later');
}

function roleOf(isReplica: string): Verdict {
  return isReplica === 'true'
    ? problem('replica', 'pass the URL of the primary: a replica takes no locks')
    : ok('primary');
}

function durabilityOf(setting: string): Verdict {
  if (setting !== 'off') return ok(`synchronous_commit ${setting}`);
  return warning(
    'synchronous_commit off',
    'set synchronous_commit on: a server that crashes forgets its last writes, and two runs can overlap',
  );
}
