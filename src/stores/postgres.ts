import type { LockAdminStore } from '../core/ports/lock-admin-store.js';
import type { LockStore } from '../core/ports/lock-store.js';
import type { MemberStore } from '../core/ports/member-store.js';
import { isUnsent } from '../core/request/try-loop.js';
import { checkStoreOptions, describeType, namesOf } from '../core/values/checks.js';
import { errorName, readThrown, readThrownText } from '../core/values/thrown.js';
import { type Ask, type Database, makeTable, quotedTable, type SqlFailure, type Statements, sqlStore } from './sql.js';

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
 * // Without this listener, the process ends when Postgres closes a connection.
 * client.on('error', (error) => console.error(error.message));
 *
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

/**
 * The meanings of Postgres's error codes. Each of these codes proves that nothing was written. The first match counts.
 */
const MEANINGS: readonly Meaning[] = [
  {
    codes: /^42501$/,
    code: 'ACCESS_DENIED',
    why: (table) => `no right to table ${table}: GRANT SELECT, INSERT, UPDATE ON ${table} TO the role of this client`,
  },
  {
    codes: /^28/,
    code: 'ACCESS_DENIED',
    why: () => 'Postgres refused the login: give the client the right user and password',
  },
  {
    codes: /^(42P01|3F000)$/,
    code: 'TABLE_NOT_FOUND',
    why: (table) =>
      `table ${table} does not exist in this database: make it by createPostgresTable(client), or correct table or the search_path`,
  },
  {
    codes: /^(42703|42804|42P10)$/,
    code: 'KEY_SCHEMA',
    why: (table) => `table ${table} has other columns: give the store a table of its own, made by postgresTable()`,
  },
  { codes: /^3D000$/, code: 'INVALID_REQUEST', why: () => 'the database does not exist: correct its name' },
  {
    codes: /^25006$/,
    code: 'UNAVAILABLE',
    why: () => 'Postgres is read-only here: connect to the primary, not to a replica',
  },
  {
    codes: /^(40001|40P01|53\d{3}|55P03|57014|57P03)$/,
    code: 'UNAVAILABLE',
    why: () => 'Postgres cannot write now; try again',
  },
  { codes: /^(22|42|0A)/, code: 'INVALID_REQUEST', why: () => 'Postgres refused the statement' },
];

interface Meaning {
  readonly codes: RegExp;
  readonly code: SqlFailure['code'];
  /** Returns the problem and the remedy. @param table the quoted name, as in statements */
  why(table: string): string;
}

/** Messages of the packages pg and postgres without a connection: nothing was sent. */
const NO_CONNECTION = /^CONNECT_TIMEOUT$|^CONNECTION_ENDED$|when trying to connect|not queryable|after calling end/;
/** Message of the package pg without a password. */
const NO_PASSWORD = /client password must be a/;

/** Finds the meaning of an error. @param table the quoted name, as in statements */
function explain(error: unknown, table: string): SqlFailure {
  const [code, message] = [readThrownText(error, 'code'), readThrownText(error, 'message')];
  // 28P01: the server's code for a wrong password.
  const known = MEANINGS.find(({ codes }) => codes.test(NO_PASSWORD.test(message) ? '28P01' : code));
  if (known) return { code: known.code, why: `${known.why(table)} (${code || 'no password'})`, isUnsent: true };
  const isOut = NO_CONNECTION.test(code) || NO_CONNECTION.test(message);
  if (isOut || isUnsent(error) || isUnsent(readThrown(error, 'cause'))) {
    const why = `Postgres could not be reached: start it, or check its address and the network (${code || 'no connection'})`;
    return { code: 'UNAVAILABLE', why, isUnsent: true };
  }
  return {
    code: 'UNAVAILABLE',
    why: `no clear answer from Postgres (${code || errorName(error)}); try again`,
  };
}
