import type { LockAdminStore } from '../../core/ports/lock-admin-store.js';
import type { LockStore } from '../../core/ports/lock-store.js';
import type { MemberStore } from '../../core/ports/member-store.js';
import { checkStoreOptions, describe, namesOf } from '../../core/values/checks.js';
import { type Database, type Statements, sqlStore } from '../sql/sql.js';
import { sql } from '../sql/sql-statement.js';
import { creationOf, makeTable } from '../sql/sql-table.js';
import { askPostgres, type PostgresClient } from './postgres-client.js';
import { POSTGRES_ERRORS } from './postgres-errors.js';

export type { PostgresClient, PostgresQueryClient, PostgresUnsafeClient } from './postgres-client.js';

/** Options of `postgresStore`. */
export interface PostgresStoreOptions {
  /** A client that is connected, or that connects by itself. */
  readonly client: PostgresClient;
  /** The table, perhaps with its schema: `jobs.locks`. @default 'single_execution_locks' */
  readonly table?: string;
  /** Put before each lock name. @default '' */
  readonly keyPrefix?: string;
}

/**
 * Makes a store for locks in a table of Postgres 13 or later; the same object is the admin store. It judges leases by
 * the server's clock only. It works behind a pooler that assigns a connection for each transaction, and over HTTP.
 * `postgresTable` returns the statement that creates the table.
 *
 * @example
 * ```ts
 * import { Pool } from 'pg';
 * import { postgresStore } from 'single-execution/postgres';
 *
 * const client = new Pool({ connectionString: process.env['DATABASE_URL'] });
 * // Without this listener, the process ends when Postgres closes a connection.
 * client.on('error', (error) => console.error(error.message));
 *
 * export const store = postgresStore({ client });
 * ```
 *
 * @throws TypeError, RangeError for invalid options; nothing is sent
 */
export function postgresStore(options: PostgresStoreOptions): LockStore & MemberStore & LockAdminStore {
  checkStoreOptions('postgresStore', options, OPTIONS);
  return sqlStore(POSTGRES, options);
}

/**
 * Returns the statement that creates the table, for migrations. The statement does nothing if the table exists.
 *
 * @example
 * ```ts
 * import { postgresTable } from 'single-execution/postgres';
 *
 * console.log(postgresTable('jobs.locks'));
 * ```
 *
 * @throws TypeError for a name that no table can have
 */
export function postgresTable(table?: string): string {
  return creationOf(POSTGRES, table);
}

/**
 * Creates the table, unless it exists.
 *
 * @example
 * ```ts
 * import { Pool } from 'pg';
 * import { createPostgresTable } from 'single-execution/postgres';
 *
 * const client = new Pool({ connectionString: process.env['DATABASE_URL'] });
 * await createPostgresTable(client);
 * await client.end();
 * ```
 *
 * @throws LockStoreError that names the problem, such as a missing right
 * @throws TypeError for invalid options
 */
export async function createPostgresTable(
  client: PostgresClient,
  options: {
    /** The table, as for `postgresStore`. @default 'single_execution_locks' */
    readonly table?: string;
  } = {},
): Promise<void> {
  await makeTable(POSTGRES, client, options);
}

/** The longest identifier of Postgres. It cuts off what is longer, without an error. */
const MOST_BYTES = 63;

/**
 * Checks a part of the name of a table.
 *
 * @throws TypeError for a name that Postgres would cut off: two such names could become one table
 */
function checkIdentifier(part: string): void {
  const bytes = new TextEncoder().encode(part).length;
  if (bytes <= MOST_BYTES) return;
  throw new TypeError(
    `table has the name ${describe(part)} of ${bytes} bytes: Postgres cuts names off after ${MOST_BYTES}; use a shorter one`,
  );
}

const POSTGRES: Database<PostgresClient> = {
  clients: 'a client of pg, postgres.js, Neon or PGlite',
  database: 'Postgres 13 or later',
  writes: 'rows',
  quote: '"',
  parameter: '$1',
  columns: 'name text PRIMARY KEY, record text NOT NULL, version bigint NOT NULL',
  checkIdentifier,
  statementsOf,
  askOf: askPostgres,
  errors: POSTGRES_ERRORS,
};

const OPTIONS = namesOf<PostgresStoreOptions>({ client: true, table: true, keyPrefix: true });

/**
 * Makes the statements for Postgres 13 to 18 and compatible databases: only the types text and bigint, and no JSON
 * functions. `coalesce` and `+ 0` refuse columns of other types, such as a `record` of jsonb.
 *
 * Each statement is a transaction of its own. `now()` is the time at which a transaction began, so a write whose
 * `now()` is before the read that it builds on would be part of a transaction of the client, and is refused.
 *
 * A write that must not come late is refused from `notAfterMs` on. It may still have to wait then, for a row or for
 * another insert of the same name; the `lock_timeout` of its transaction ends with the same instant. A wait for the
 * table comes before all conditions.
 */
function statementsOf(table: string): Statements {
  const micros = (instant: string) => `CAST(floor(extract(epoch FROM ${instant}) * 1000000) AS bigint)`;
  const [now, began] = [micros('clock_timestamp()'), micros('now()')];
  const returning = 'RETURNING name, CAST(version AS text) AS version';
  return {
    read: (name) =>
      sql`SELECT l.name AS name, coalesce(l.record, CAST('' AS text)) AS record, CAST(l.version + 0 AS text) AS version, CAST(${now} AS text) AS now, CAST(${began} AS text) AS began FROM (SELECT 1) AS one LEFT JOIN ${table} AS l ON l.name = ${[name]}`,
    list: (prefix) =>
      sql`SELECT name, record, CAST(${now} AS text) AS now FROM ${table} WHERE starts_with(name, ${[prefix]})`,
    write({ name, record, version, readAtUs, notAfterMs }) {
      const isLimited = notAfterMs !== undefined;
      const call = isLimited
        ? sql` FROM (SELECT CAST(${[notAfterMs]} AS bigint) - ${now} / 1000 AS remaining) AS call`
        : '';
      const isInTime = isLimited
        ? ` AND remaining > 0 AND set_config('lock_timeout', CAST(remaining AS text), true) <> ''`
        : '';
      const isOwn = sql`${began} >= CAST(${[readAtUs]} AS bigint)`;
      return version === undefined
        ? sql`INSERT INTO ${table} (name, record, version) SELECT ${[name]}, ${[record]}, 1${call} WHERE ${isOwn}${isInTime} ON CONFLICT (name) DO NOTHING ${returning}`
        : sql`UPDATE ${table} SET record = ${[record]}, version = version + 1${call} WHERE name = ${[name]} AND version = ${[version]} AND ${isOwn}${isInTime} ${returning}`;
    },
  };
}
