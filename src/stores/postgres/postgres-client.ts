import { describeType } from '../../core/values/checks.js';
import { FOREIGN_TO_POSTGRES, refuseForeign } from '../sql/foreign-clients.js';
import { halfOfPool } from '../sql/half-of-pool.js';
import type { Ask } from '../sql/sql.js';

/** A client of Postgres, or a function that runs a statement with its values and resolves to the rows. */
export type PostgresClient =
  | PostgresQueryClient
  | PostgresUnsafeClient
  | ((text: string, values: (string | number)[]) => Promise<readonly object[]>);

/**
 * `Pool` or a connected `Client` of pg, `Pool` of @neondatabase/serverless, the result of `neon()`, `sql` of
 * \@vercel/postgres, a `PGlite`, or a database of pg-promise.
 */
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

/** The result of `postgres()` of the package postgres, or Bun's `SQL`. */
export interface PostgresUnsafeClient {
  /** Runs a statement. Resolves to its rows. */
  unsafe(text: string, values: (string | number)[]): PromiseLike<readonly object[]>;
}

/**
 * Makes the function that runs statements with a client. A lazy client, such as `sql` of \@vercel/postgres, cannot be
 * looked at before its address is known, as in a build: it is looked at again by the first statement.
 *
 * @throws TypeError for a value that is not a client
 */
export function askPostgres(client: PostgresClient): Ask {
  try {
    return askOf(client);
  } catch (error) {
    if (error instanceof TypeError) throw error;
    let ask: Ask | undefined;
    return async (statement, signal) => {
      ask ??= askOf(client);
      return ask(statement, signal);
    };
  }
}

/**
 * Finds out how a client runs statements. Properties are asked for their type: a lazy client is a proxy
 * that answers `in` with false. `query` comes before `unsafe`, because `neon()` has both, and its `unsafe` sends
 * nothing.
 *
 * @throws TypeError for a value that is not a client
 */
function askOf(client: PostgresClient): Ask {
  refuseForeign(client, FOREIGN_TO_POSTGRES);
  const { query, unsafe } = Object(client) as Partial<PostgresQueryClient & PostgresUnsafeClient>;
  if (typeof query === 'function') {
    const ask: Ask = async ({ text, values }) => rowsOf(await query.call(client, text, [...values]));
    // `neon()` sends each statement over HTTP, so there are no connections to leave to the program.
    const hasConnections =
      typeof client !== 'function' || typeof (client as { connect?: unknown }).connect === 'function';
    return hasConnections ? halfOfPool(client, ask) : ask;
  }
  if (typeof unsafe === 'function') {
    // Nothing is cancelled: a cancel of postgres.js can end the process, or leave a connection unusable.
    return halfOfPool(client, async ({ text, values }) => unsafe.call(client, text, [...values]));
  }
  if (typeof client === 'function' && describeType(client) !== 'a class') {
    return async ({ text, values }) => client(text, [...values]);
  }
  throw new TypeError(
    `client is ${describeType(client)}: pass a client of pg, postgres, Neon or PGlite, or a function (text, values) => rows`,
  );
}

/** Returns the rows of an object that has them, else the answer itself. */
function rowsOf(answer: unknown): unknown {
  return typeof answer === 'object' && answer !== null && 'rows' in answer ? answer.rows : answer;
}
