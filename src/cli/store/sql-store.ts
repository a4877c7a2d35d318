import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe } from '../../core/values/checks.js';
import { askLibsqlFile } from '../../stores/libsql-file.js';
import { createPostgresTable, postgresStore } from '../../stores/postgres.js';
import { createSqliteTable, sqliteStore } from '../../stores/sqlite.js';
import { failed } from '../exit-code.js';
import { isMissing } from './needed-package.js';
import type { OpenStore } from './open-store.js';

/** A table of Postgres, by its URL, or of SQLite, by its file. */
export type SqlAddress = ({ readonly kind: 'postgres' } | { readonly kind: 'sqlite' }) & {
  readonly at: string;
  readonly table?: string;
  readonly keyPrefix?: string;
};

/** A store in a table, and functions to create and to read that table. */
export interface SqlStore extends OpenStore {
  createTable(): Promise<void>;
  /** Runs any statement of the command-line tool. */
  rows(text: string): Promise<readonly object[]>;
}

export async function openSql({ kind, at, ...options }: SqlAddress): Promise<SqlStore> {
  const { table } = options;
  const ofTable = table === undefined ? {} : { table };
  const { makeStore, makeTable, connect } = DATABASES[kind];
  const { rows, close } = await connect(at);
  const store = makeStore({ client: rows, ...options });
  return {
    kind,
    store,
    admin: store,
    createTable: () => makeTable(rows, ofTable),
    rows: (text) => rows(text, []),
    close,
  };
}

/** A connected client, reduced to its one function. */
interface Connected {
  rows(text: string, values: (string | number)[]): Promise<readonly object[]>;
  close(): void;
}

/** How long to wait while another process writes to the file. */
const BUSY_MS = 1_000;
/** The longest time to connect. */
const CONNECT_MS = 5_000;

/** Connects with the installed package, pg first. */
async function connectPostgres(url: string): Promise<Connected> {
  try {
    const { default: pg } = await import('pg');
    const client = new pg.Pool({ connectionString: url, max: 4, connectionTimeoutMillis: CONNECT_MS });
    // The statement that needed the connection fails too.
    client.on('error', () => undefined);
    return { rows: async (...asked) => (await client.query(...asked)).rows, close: () => void client.end() };
  } catch (error) {
    if (!isMissing(error, ['pg'])) throw error;
  }
  try {
    const { default: postgres } = await import('postgres');
    const client = postgres(url, { max: 4, connect_timeout: CONNECT_MS / 1_000, onnotice: () => undefined });
    return { rows: async (...asked) => client.unsafe(...asked), close: () => void client.end({ timeout: 0 }) };
  } catch (error) {
    if (!isMissing(error, ['postgres'])) throw error;
    throw failed(
      '--postgres-url needs pg or postgres, and neither is installed beside single-execution: npm install pg',
    );
  }
}

/** Opens with Node itself if it has SQLite, else with libSQL. */
async function openSqlite(file: string): Promise<Connected> {
  const sqlite = process.getBuiltinModule('node:sqlite');
  if (sqlite) {
    const client = fileOpened(file, () => new sqlite.DatabaseSync(file, { timeout: BUSY_MS }));
    return {
      rows: async (text, values) => client.prepare(text).all(...values) as object[],
      close: () => client.close(),
    };
  }
  try {
    const { createClient } = await import('@libsql/client');
    const client = fileOpened(file, () => createClient({ url: pathToFileURL(resolve(file)).href }));
    return { rows: askLibsqlFile((...asked) => client.batch(...asked)), close: () => client.close() };
  } catch (error) {
    if (!isMissing(error, ['@libsql/client'])) throw error;
    throw failed(
      '--sqlite needs Node 22.13 or later, or @libsql/client, which is not installed beside single-execution: npm install @libsql/client',
    );
  }
}

/** @throws CliError for a file that cannot be opened */
function fileOpened<T>(file: string, open: () => T): T {
  try {
    return open();
  } catch {
    throw failed(`--sqlite ${describe(file)} cannot be opened: check its path and its rights`);
  }
}

const DATABASES = {
  postgres: { makeStore: postgresStore, makeTable: createPostgresTable, connect: connectPostgres },
  sqlite: { makeStore: sqliteStore, makeTable: createSqliteTable, connect: openSqlite },
} as const;
