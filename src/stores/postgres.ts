import type { LockAdminStore } from '../core/ports/lock-admin-store.js';
import type { LockStore } from '../core/ports/lock-store.js';
import type { MemberStore } from '../core/ports/member-store.js';
import { checkStoreOptions, describeType, namesOf } from '../core/values/checks.js';
import { readThrownText } from '../core/values/thrown.js';
import { explain } from './postgres-errors.js';
import { type Ask, type Database, makeTable, quotedTable, type Statements, sqlStore } from './sql.js';

/** A client of Postgres, or a function that runs a statement with its values and resolves to the rows. */
export type PostgresClient =
  | PostgresQueryClient
  | PostgresUnsafeClient
  | ((text: string, values: (string | number)[]) => Promise<readonly object[]>);

/** `Pool` or `Client` of pg, `Pool` of @neondatabase/serverless, a `PGlite`, or the result of `neon()`. */
export interface PostgresQueryClient {
  /** Runs a statement. Resolves to its rows, or to an object with them. */
  query(
    text: string,
    values: (string | number)[],
  ): Promise<
    | readonly object[]
    | {
        /** The rows. */
        readonly rows: readonly object[];
      }
  >;
}

/** The result of `postgres()` of the package postgres. */
export interface PostgresUnsafeClient {
  /** Runs a statement. Resolves to its rows. */
  unsafe(text: string, values: (string | number)[]): PromiseLike<readonly object[]>;
}

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
 * export const store = postgresStore({ client });
 * ```
 *
 * @throws TypeError for invalid options; nothing is sent
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
  return POSTGRES.creationOf(quotedTable(table));
}

/**
 * Creates the table, unless it exists.
 *
 * @example
 * ```ts
 * import { Pool } from 'pg';
 * import { createPostgresTable } from 'single-execution/postgres';
 *
 * await createPostgresTable(new Pool({ connectionString: process.env['DATABASE_URL'] }));
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

const POSTGRES: Database<PostgresClient> = {
  creationOf: (table) =>
    `CREATE TABLE IF NOT EXISTS ${table} (name text PRIMARY KEY, record text NOT NULL, version bigint NOT NULL)`,
  statementsOf,
  askOf,
  explain,
  // If two processes create the table at once, one of them fails with one of these codes.
  isMade: (error) => /^(23505|42P07)$/.test(readThrownText(error, 'code')),
};

const OPTIONS = namesOf<PostgresStoreOptions>({ client: true, table: true, keyPrefix: true });

function askOf(client: PostgresClient): Ask {
  const isObject = (typeof client === 'object' && client !== null) || typeof client === 'function';
  if (isObject && 'unsafe' in client) return async (text, values) => client.unsafe(text, [...values]);
  if (isObject && 'query' in client) {
    return async (text, values) => {
      const result = await client.query(text, [...values]);
      return 'rows' in result ? result.rows : result;
    };
  }
  if (typeof client === 'function') return async (text, values) => client(text, [...values]);
  throw new TypeError(
    `client is ${describeType(client)}: give a client of pg, postgres, Neon or PGlite, or a function (text, values) => rows`,
  );
}

/**
 * Makes the statements for Postgres 13 to 18 and compatible databases: only the types text and bigint, and no JSON
 * functions.
 */
function statementsOf(table: string): Statements {
  const now = 'floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint::text';
  return {
    read: `SELECT l.record, l.version::text AS version, ${now} AS now_ms FROM (SELECT 1) AS one LEFT JOIN ${table} AS l ON l.name = $1`,
    insert: `INSERT INTO ${table} (name, record, version) VALUES ($1, $2, 1) ON CONFLICT (name) DO NOTHING RETURNING name`,
    update: `UPDATE ${table} SET record = $1, version = version + 1 WHERE name = $2 AND version = $3 RETURNING name`,
    list: `SELECT name, record FROM ${table} WHERE left(name, length($1::text)) = $1::text`,
  };
}
