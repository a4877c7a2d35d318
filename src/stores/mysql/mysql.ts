import type { LockAdminStore } from '../../core/ports/lock-admin-store.js';
import type { LockStore } from '../../core/ports/lock-store.js';
import type { MemberStore } from '../../core/ports/member-store.js';
import { checkStoreOptions, describe, namesOf } from '../../core/values/checks.js';
import { type Database, type Statements, sqlStore } from '../sql/sql.js';
import { EMPTY } from '../sql/sql-answer.js';
import { sql } from '../sql/sql-statement.js';
import { creationOf, makeTable } from '../sql/sql-table.js';
import { askMysql, type MysqlClient } from './mysql-client.js';
import { MYSQL_ERRORS } from './mysql-errors.js';

export type { MysqlCallbackClient, MysqlClient, MysqlCount, MysqlExecutingClient } from './mysql-client.js';

/** Options of `mysqlStore`. */
export interface MysqlStoreOptions {
  /** A client that is connected, or that connects by itself. */
  readonly client: MysqlClient;
  /** The table, perhaps with its database: `jobs.locks`. @default 'single_execution_locks' */
  readonly table?: string;
  /** Put before each lock name. @default '' */
  readonly keyPrefix?: string;
}

/**
 * Makes a store for locks in a table of MariaDB or MySQL; the same object is the admin store. It judges leases by the
 * server's clock only. `mysqlTable` returns the statement that creates the table.
 *
 * @example
 * ```ts
 * import { createPool } from 'mysql2/promise';
 * import { mysqlStore } from 'single-execution/mysql';
 *
 * const client = createPool(process.env['MYSQL_URL'] ?? '');
 * export const store = mysqlStore({ client });
 * ```
 *
 * @throws TypeError, RangeError for invalid options; nothing is sent
 */
export function mysqlStore(options: MysqlStoreOptions): LockStore & MemberStore & LockAdminStore {
  checkStoreOptions('mysqlStore', options, OPTIONS);
  return sqlStore(MYSQL, options);
}

/**
 * Returns the statement that creates the table, for migrations. The statement does nothing if the table exists.
 *
 * @example
 * ```ts
 * import { mysqlTable } from 'single-execution/mysql';
 *
 * console.log(mysqlTable());
 * ```
 *
 * @throws TypeError for a name that no table can have
 */
export function mysqlTable(table?: string): string {
  return creationOf(MYSQL, table);
}

/**
 * Creates the table, unless it exists.
 *
 * @example
 * ```ts
 * import { createPool } from 'mysql2/promise';
 * import { createMysqlTable } from 'single-execution/mysql';
 *
 * const client = createPool(process.env['MYSQL_URL'] ?? '');
 * await createMysqlTable(client);
 * await client.end();
 * ```
 *
 * @throws LockStoreError that names the problem, such as a missing right
 * @throws TypeError for invalid options
 */
export async function createMysqlTable(
  client: MysqlClient,
  options: {
    /** The table, as for `mysqlStore`. @default 'single_execution_locks' */
    readonly table?: string;
  } = {},
): Promise<void> {
  await makeTable(MYSQL, client, options);
}

const IDENTIFIER = /^[^\u{10000}-\u{10ffff}]{0,63}[^ \u{10000}-\u{10ffff}]$/u;

/** @throws TypeError for a part of a table's name that MySQL does not take */
function checkIdentifier(part: string): void {
  if (IDENTIFIER.test(part)) return;
  throw new TypeError(
    `table has the name ${describe(part)}: MySQL takes at most 64 characters, none above U+FFFF, and no space at the end`,
  );
}

const MYSQL: Database<MysqlClient> = {
  clients: 'a pool of mysql2 or mariadb',
  database:
    'MariaDB 10.5 or MySQL 8, or later, on a connection that sets no timestamp, and without NO_BACKSLASH_ESCAPES if the client writes values into the text',
  writes: 'counts',
  nameOf: textOf,
  quote: '`',
  checkIdentifier,
  parameter: '?',
  // Bytes: as texts, names that differ in case, accents or trailing spaces would be equal.
  columns:
    'name VARBINARY(255) PRIMARY KEY, record MEDIUMTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL, version BIGINT NOT NULL',
  tableOptions: 'ENGINE=InnoDB',
  statementsOf,
  askOf: askMysql,
  errors: MYSQL_ERRORS,
};

const OPTIONS = namesOf<MysqlStoreOptions>({ client: true, table: true, keyPrefix: true });

// The server's time in microseconds, in no time zone. `UTC_TIMESTAMP` is the time at which a statement began, and
// `SYSDATE` is ahead of `NOW` by its wait for a row since then. It is NULL, and refused, if that cannot be: the
// connection has set its `timestamp` to another day, or its time zone has just changed the hour. Lord Howe Island changes
// it by half an hour, and no zone by less than 20 minutes.
const WAITED = 'TIMESTAMPDIFF(MICROSECOND, NOW(6), SYSDATE(6))';
const NOW_US = `IF(${WAITED} BETWEEN -1000000 AND 1200000000, TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6)) + ${WAITED}, NULL)`;

/**
 * Makes the statements. A connection of MariaDB says whether it is inside a transaction, in a comment that MySQL does
 * not run. MySQL says it with the answer to a write.
 */
function statementsOf(table: string): Statements {
  // Names are sent and answered as digits: a client would write a text in its own character set, and what the server
  // makes of it can be another name. A read finds out a client that writes a backslash as two.
  const utf8 = (text: string) => sql`CONVERT(UNHEX(${[hexOf(text)]}) USING utf8mb4)`;
  return {
    read: (name) =>
      sql`SELECT HEX(coalesce(CONVERT(l.name USING utf8mb4), ${utf8(name)})) AS name, coalesce(l.record, '') AS record, CAST(l.version AS CHAR) AS version, CAST(IF(LENGTH(${['\\']}) = 1, ${NOW_US}, NULL) AS CHAR) AS now, @@autocommit = 0 /*M! OR @@in_transaction = 1 */ AS inside FROM (SELECT 1) AS one LEFT JOIN ${table} AS l ON l.name = ${utf8(name)}`,
    // Without the LIMIT, the connection's `sql_select_limit` could cut the list.
    list: (prefix) =>
      sql`SELECT HEX(CONVERT(name USING utf8mb4)) AS name, record, CAST(${NOW_US} AS CHAR) AS now FROM ${table} WHERE LOCATE(${utf8(prefix)}, name) = 1 AND version > 0 LIMIT 18446744073709551615`,
    make: (name) =>
      sql`INSERT INTO ${table} (name, record, version) VALUES (${utf8(name)}, '${EMPTY}', 0) ON DUPLICATE KEY UPDATE version = version`,
    write({ name, record, version, notAfterMs }) {
      const isInTime = notAfterMs === undefined ? '' : sql` AND ${NOW_US} < ${[notAfterMs]} * 1000`;
      return sql`UPDATE ${table} SET record = ${[record]}, version = version + 1 WHERE name = ${utf8(name)} AND version = ${[version ?? 0]} AND @@autocommit = 1${isInTime} /*M! AND @@in_transaction = 0 */`;
    },
  };
}

function hexOf(text: string): string {
  return Array.from(new TextEncoder().encode(text), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function textOf(hex: string): string {
  // A decoder leaves out a byte order mark at the beginning, which is a part of the name.
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(
    Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16)),
  );
}
