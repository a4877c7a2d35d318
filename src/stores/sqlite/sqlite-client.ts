import { describeType } from '../../core/values/checks.js';
import { FOREIGN_TO_SQLITE, refuseForeign } from '../sql/foreign-clients.js';
import { type Ask, OpenTransaction } from '../sql/sql.js';
import { askLibsqlFile, isInsideTransaction } from './libsql-file.js';

/** A client of SQLite, or a function that runs a statement with its values and returns the rows. */
export type SqliteClient =
  | SqlitePreparingClient
  | SqliteExecutingClient
  | ((text: string, values: (string | number)[]) => readonly object[] | Promise<readonly object[]>);

/** A `DatabaseSync` of node:sqlite, a `Database` of better-sqlite3, or Cloudflare's D1. */
export interface SqlitePreparingClient {
  /** Prepares a statement. */
  prepare(text: string): SqliteStatement | Promise<SqliteStatement>;
  /** With node:sqlite from Node 22.16 on: whether the connection is inside a transaction. */
  readonly isTransaction?: boolean;
  /** With better-sqlite3: whether the connection is inside a transaction. */
  readonly inTransaction?: boolean;
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

/**
 * Makes the function that runs statements with a client. Whatever a client returns is awaited, because a promise that
 * nobody awaits ends the process when it rejects.
 *
 * @throws TypeError for a value that is not a client
 */
export function askSqlite(client: SqliteClient): Ask {
  refuseForeign(client, FOREIGN_TO_SQLITE);
  const { execute, batch, prepare } = Object(client) as Partial<SqliteExecutingClient & SqlitePreparingClient>;
  if (typeof execute === 'function') {
    const { protocol } = client as SqliteExecutingClient;
    if (typeof batch === 'function' && protocol === 'file') return askLibsqlFile(batch.bind(client));
    return async ({ text, values }) => {
      const answer: unknown = await execute.call(client, { sql: text, args: [...values] });
      return memberOf(answer, 'rows');
    };
  }
  if (typeof prepare === 'function') return askPrepared(client as SqlitePreparingClient);
  if (typeof client === 'function' && describeType(client) !== 'a class') {
    return async ({ text, values }) => client(text, [...values]);
  }
  throw new TypeError(
    `client is ${describeType(client)}: pass a client of D1, libSQL, node:sqlite or better-sqlite3, or a function (text, values) => rows`,
  );
}

function askPrepared(client: SqlitePreparingClient): Ask {
  return async ({ text, values }) => {
    const statement = await client.prepare(text);
    // All statements but the creation of a table return rows. The creation has no values.
    if (statement.reader === false) {
      await statement.run?.();
      return [];
    }
    const all = () =>
      statement.bind && values.length > 0 ? statement.bind(...values).all() : statement.all(...values);
    return memberOf(await outsideTransactions(client, all), 'results');
  };
}

/**
 * Runs a statement unless the connection is inside a transaction. A connection of node:sqlite reports that from Node
 * 22.16 on; an older one only refuses to begin another transaction.
 *
 * @throws OpenTransaction
 */
function outsideTransactions<T>(client: SqlitePreparingClient, run: () => T): T {
  if (client.isTransaction === true || client.inTransaction === true) throw new OpenTransaction();
  const isSilent = client.constructor.name === 'DatabaseSync' && client.isTransaction === undefined;
  const { exec } = client as { exec?(text: string): unknown };
  if (!isSilent || exec === undefined) return run();
  try {
    exec.call(client, 'BEGIN');
  } catch (error) {
    throw isInsideTransaction(error) ? new OpenTransaction() : error;
  }
  try {
    const answer = run();
    exec.call(client, 'COMMIT');
    return answer;
  } catch (error) {
    exec.call(client, 'ROLLBACK');
    throw error;
  }
}

/** Returns a member of an object that has it, else the answer itself. */
function memberOf(answer: unknown, member: string): unknown {
  return typeof answer === 'object' && answer !== null && member in answer
    ? (answer as Readonly<Record<string, unknown>>)[member]
    : answer;
}
