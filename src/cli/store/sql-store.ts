import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createPostgresTable, type PostgresStoreOptions, postgresStore, postgresTable } from '../../stores/postgres.js';
import { createSqliteTable, type SqliteStoreOptions, sqliteStore, sqliteTable } from '../../stores/sqlite.js';
import { failed, quoted } from '../exit-code.js';
import type { OpenedStore } from './open-store.js';
import { isMissing } from './reach.js';

/** A table of Postgres, by its URL, or of SQLite, by its file. */
export interface SqlAddress {
  readonly kind: 'postgres' | 'sqlite';
  readonly at: string;
  readonly table?: string;
  readonly keyPrefix?: string;
}

/** A store in a table, and functions to create and to read that table. */
export interface OpenSql extends OpenedStore {
  readonly kind: SqlAddress['kind'];
  readonly place?: never;
  readonly tableName: string;
  /** The same as statements have it. */
  readonly quotedTable: string;
  createTable(): Promise<void>;
  /** Runs any statement of the command-line tool. */
  rows(text: string): Promise<readonly object[]>;
}

export async function openSql({ kind, at, table, keyPrefix }: SqlAddress): Promise<OpenSql> {
  const inTable = table === undefined ? {} : { table };
  const options = { ...inTable, ...(keyPrefix !== undefined && { keyPrefix }) };
  // The statement is the one place that has the name of the table if none is given.
  const statement = kind === 'postgres' ? postgresTable(table) : sqliteTable(table);
  const [, quotedTable = ''] = /EXISTS (.*) \(name /s.exec(statement) ?? [];
  const named = { kind, tableName: table ?? quotedTable.slice(1, -1), quotedTable };
  if (kind === 'postgres') {
    const { client, rows, close } = await connectPostgres(at);
    const store = postgresStore({ client, ...options });
    return { ...named, store, admin: store, createTable: () => createPostgresTable(client, inTable), rows, close };
  }
  const { client, rows, close } = await openSqlite(at);
  const store = sqliteStore({ client, ...options });
  return { ...named, store, admin: store, createTable: () => createSqliteTable(client, inTable), rows, close };
}

/** A connected client. */
interface Connected<Client> extends Pick<OpenSql, 'rows' | 'close'> {
  readonly client: Client;
}

/** How long to wait while another process writes to the file. */
const BUSY_MS = 1_000;
/** The longest time to connect. */
const CONNECT_MS = 5_000;

/** Connects with the installed package, pg first. */
async function connectPostgres(url: string): Promise<Connected<PostgresStoreOptions['client']>> {
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

/** Opens with Node itself if it has SQLite, else with libSQL. */
async function openSqlite(file: string): Promise<Connected<SqliteStoreOptions['client']>> {
  const sqlite = process.getBuiltinModule('node:sqlite');
  if (sqlite) {
    const client = fileOpened(file, () => new sqlite.DatabaseSync(file, { timeout: BUSY_MS }));
    return { client, rows: async (text) => client.prepare(text).all() as object[], close: () => client.close() };
  }
  try {
    const { createClient } = await import('@libsql/client');
    const client = fileOpened(file, () => createClient({ url: pathToFileURL(resolve(file)).href }));
    const rows = async (text: string) => (await client.batch([text], 'deferred'))[0]?.rows ?? [];
    return { client, rows, close: () => client.close() };
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
    throw failed(`--sqlite ${quoted(file)} cannot be opened: check its path and its rights`);
  }
}
