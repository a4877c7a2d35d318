import type { LockAdminStore } from '../core/ports/lock-admin-store.js';
import type { LockStore } from '../core/ports/lock-store.js';
import type { MemberStore } from '../core/ports/member-store.js';
import { checkStoreOptions, describeType, namesOf } from '../core/values/checks.js';
import { askLibsqlFile } from './libsql-file.js';
import { type Ask, type Database, makeTable, quotedTable, type Statements, sqlStore } from './sql.js';
import { explain } from './sqlite-errors.js';

/** A client of SQLite, or a function that runs a statement with its values and returns the rows. */
export type SqliteClient =
  | SqlitePreparingClient
  | SqliteExecutingClient
  | ((text: string, values: (string | number)[]) => readonly object[] | Promise<readonly object[]>);

/** A `DatabaseSync` of node:sqlite, a `Database` of better-sqlite3, or Cloudflare's D1. */
export interface SqlitePreparingClient {
  /** Prepares a statement. */
  prepare(text: string): SqliteStatement;
}

/**
 * A prepared statement of a {@link SqlitePreparingClient}. With D1, the values are bound to the statement before it
 * runs.
 */
export interface SqliteStatement {
  /** Runs the statement. Returns the rows, or a promise of an object with them. */
  all(...values: (string | number)[]): unknown;
  /** With better-sqlite3: whether the statement returns rows. If it returns none, `all` refuses to run it. */
  readonly reader?: boolean;
  /** Runs a statement that returns no rows. */
  run?(): unknown;
  /** Binds values to the statement. */
  bind?(...values: (string | number)[]): {
    /** Runs the statement. */
    all(): unknown;
  };
}

/** A client of libSQL or Turso. */
export interface SqliteExecutingClient {
  /** Runs a statement. */
  execute(statement: SqliteCall): Promise<SqliteRows>;
  /** Runs statements in one transaction. */
  batch?(statements: (SqliteCall | string)[], mode: 'deferred'): Promise<readonly SqliteRows[]>;
  /** How the client reaches its database: `file` for a file that the client opens itself. */
  readonly protocol?: string;
}

/** A statement of libSQL. */
export interface SqliteCall {
  /** The text of the statement. */
  readonly sql: string;
  /** The values of its parameters, in their order. */
  readonly args: (string | number)[];
}

/** The answer of libSQL to a statement. */
export interface SqliteRows {
  /** The rows. */
  readonly rows: readonly object[];
}

/** Options of `sqliteStore`. */
export interface SqliteStoreOptions {
  /** An open client. */
  readonly client: SqliteClient;
  /** The table, perhaps with the schema of an attached database: `jobs.locks`. @default 'single_execution_locks' */
  readonly table?: string;
  /** Put before each lock name. @default '' */
  readonly keyPrefix?: string;
}

/**
 * Makes a store for locks in a table of SQLite 3.42 or later. The store is its own admin store. It judges leases by the
 * database's clock only: on D1 and Turso the server's clock, for a file this host's. `sqliteTable` returns the
 * statement that creates the table.
 *
 * @example
 * ```ts
 * import { createClient } from '@libsql/client';
 * import { createSqliteTable, sqliteStore } from 'single-execution/sqlite';
 *
 * const client = createClient({ url: process.env['TURSO_DATABASE_URL'] ?? 'file:locks.db' });
 * await createSqliteTable(client);
 * export const store = sqliteStore({ client });
 * ```
 *
 * @throws TypeError for invalid options; nothing is sent
 */
export function sqliteStore(options: SqliteStoreOptions): LockStore & MemberStore & LockAdminStore {
  checkStoreOptions('sqliteStore', options, OPTIONS);
  return sqlStore(SQLITE, options);
}

/**
 * Returns the statement that creates the table, for migrations. The statement does nothing if the table exists.
 *
 * @example
 * ```ts
 * import { sqliteTable } from 'single-execution/sqlite';
 *
 * console.log(sqliteTable());
 * ```
 *
 * @throws TypeError for a name that no table can have
 */
export function sqliteTable(table?: string): string {
  return SQLITE.creationOf(quotedTable(table));
}

/**
 * Creates the table, unless it exists.
 *
 * @example
 * ```ts
 * import { createClient } from '@libsql/client';
 * import { createSqliteTable } from 'single-execution/sqlite';
 *
 * await createSqliteTable(createClient({ url: ':memory:' }));
 * ```
 *
 * @throws LockStoreError that names the problem, such as a file that cannot be written
 * @throws TypeError for invalid options
 */
export async function createSqliteTable(
  client: SqliteClient,
  options: {
    /** The table, as for `sqliteStore`. @default 'single_execution_locks' */
    readonly table?: string;
  } = {},
): Promise<void> {
  await makeTable(SQLITE, client, options);
}

const SQLITE: Database<SqliteClient> = {
  creationOf: (table) =>
    `CREATE TABLE IF NOT EXISTS ${table} (name TEXT PRIMARY KEY, record TEXT NOT NULL, version INTEGER NOT NULL) WITHOUT ROWID`,
  statementsOf,
  askOf,
  explain,
};

const OPTIONS = namesOf<SqliteStoreOptions>({ client: true, table: true, keyPrefix: true });

function askOf(client: SqliteClient): Ask {
  if (typeof client === 'function') return async (text, values) => client(text, [...values]);
  if (typeof client === 'object' && client !== null) {
    if ('execute' in client) {
      const { batch } = client;
      if (batch && client.protocol === 'file') return askLibsqlFile(batch.bind(client));
      return async (text, values) => (await client.execute({ sql: text, args: [...values] })).rows;
    }
    if ('prepare' in client) {
      return async (text, values) => {
        const statement = client.prepare(text);
        // All statements but the creation of a table return rows. The creation has no values.
        if (statement.reader === false) {
          statement.run?.();
          return [];
        }
        const bound = statement.bind && values.length > 0 ? statement.bind(...values).all() : statement.all(...values);
        const result = (await bound) as readonly object[] | { readonly results: readonly object[] };
        return 'results' in result ? result.results : result;
      };
    }
  }
  throw new TypeError(
    `client is ${describeType(client)}: give a client of D1, libSQL, node:sqlite or better-sqlite3, or a function (text, values) => rows`,
  );
}

function statementsOf(table: string): Statements {
  const now = "CAST(round(unixepoch('subsec') * 1000) AS INTEGER)";
  return {
    read: `SELECT l.record, l.version, ${now} AS now_ms FROM (SELECT 1) AS one LEFT JOIN ${table} AS l ON l.name = ?`,
    insert: `INSERT INTO ${table} (name, record, version) VALUES (?, ?, 1) ON CONFLICT (name) DO NOTHING RETURNING name`,
    update: `UPDATE ${table} SET record = ?, version = version + 1 WHERE name = ? AND version = ? RETURNING name`,
    list: `SELECT name, record FROM ${table} WHERE instr(name, ?) = 1`,
  };
}
