import type { LockAdminStore } from '../../core/ports/lock-admin-store.js';
import type { LockStore } from '../../core/ports/lock-store.js';
import type { MemberStore } from '../../core/ports/member-store.js';
import { checkStoreOptions, namesOf } from '../../core/values/checks.js';
import { type Database, type Statements, sqlStore } from '../sql/sql.js';
import { sql } from '../sql/sql-statement.js';
import { creationOf, makeTable } from '../sql/sql-table.js';
import { askSqlite, type SqliteClient } from './sqlite-client.js';
import { SQLITE_ERRORS } from './sqlite-errors.js';

export type {
  SqliteCall,
  SqliteClient,
  SqliteExecutingClient,
  SqlitePreparingClient,
  SqliteRows,
  SqliteStatement,
} from './sqlite-client.js';

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
 * @throws TypeError, RangeError for invalid options; nothing is sent
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
  return creationOf(SQLITE, table);
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
  clients: 'a client of D1, libSQL, node:sqlite or better-sqlite3',
  database: 'SQLite 3.42 or later',
  writes: 'rows',
  quote: '"',
  parameter: '?',
  columns: 'name TEXT PRIMARY KEY, record TEXT NOT NULL, version INTEGER NOT NULL',
  tableOptions: 'WITHOUT ROWID',
  statementsOf,
  askOf: askSqlite,
  errors: SQLITE_ERRORS,
};

const OPTIONS = namesOf<SqliteStoreOptions>({ client: true, table: true, keyPrefix: true });

/**
 * Makes the statements. A write that must not come late compares the time when it has the file: 'now' is read once a
 * statement, after the wait for other writers.
 */
function statementsOf(table: string): Statements {
  const nowMs = "CAST(round(unixepoch('subsec') * 1000) AS INTEGER)";
  const returning = 'RETURNING name, version';
  return {
    read: (name) =>
      sql`SELECT l.name AS name, coalesce(l.record, '') AS record, l.version AS version, ${nowMs} * 1000 AS now FROM (SELECT 1) AS one LEFT JOIN ${table} AS l ON l.name = ${[name]}`,
    list: (prefix) => sql`SELECT name, record, ${nowMs} * 1000 AS now FROM ${table} WHERE instr(name, ${[prefix]}) = 1`,
    write({ name, record, version, notAfterMs }) {
      const isInTime = notAfterMs === undefined ? 'true' : sql`${nowMs} < ${[notAfterMs]}`;
      return version === undefined
        ? sql`INSERT INTO ${table} (name, record, version) SELECT ${[name]}, ${[record]}, 1 WHERE ${isInTime} ON CONFLICT (name) DO NOTHING ${returning}`
        : sql`UPDATE ${table} SET record = ${[record]}, version = version + 1 WHERE name = ${[name]} AND version = CAST(${[version]} AS INTEGER) AND ${isInTime} ${returning}`;
    },
  };
}
