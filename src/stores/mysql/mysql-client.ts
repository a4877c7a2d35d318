import { UnexpectedAnswer } from '../../core/request/unexpected-answer.js';
import { describeType } from '../../core/values/checks.js';
import { systemClock } from '../../core/values/clock.js';
import { FOREIGN_TO_MYSQL, refuseForeign } from '../sql/foreign-clients.js';
import { halfOfPool } from '../sql/half-of-pool.js';
import type { Ask } from '../sql/sql.js';

/** A client of MySQL or MariaDB, or a function that runs a statement with its values. */
export type MysqlClient =
  | MysqlExecutingClient
  | MysqlCallbackClient
  | ((text: string, values: (string | number)[]) => Promise<readonly object[] | MysqlCount>);

/** A pool or a connection of mysql2/promise or of mariadb, or a client of \@planetscale/database. */
export interface MysqlExecutingClient {
  /** Runs a statement. Resolves to what this client makes of the answer. */
  execute(text: string, values: (string | number)[]): Promise<unknown>;
}

/** A pool or a connection of mysql2 with callbacks. */
export interface MysqlCallbackClient {
  /** Returns the same pool or connection with promises. */
  promise(): MysqlExecutingClient;
}

/** How many rows a statement has written. */
export interface MysqlCount {
  /** The number of rows. */
  readonly affectedRows: number | bigint;
}

/** What clients have besides `execute`. */
interface Members {
  readonly promise?: () => MysqlExecutingClient;
  readonly execute?: (...asked: readonly unknown[]) => Promise<unknown>;
  /** Only with mariadb. */
  readonly batch?: unknown;
  /** Only with mysql2/promise. */
  readonly Promise?: unknown;
  /** Only with pools. */
  readonly getConnection?: unknown;
  readonly refresh?: unknown;
  readonly connection?: unknown;
  readonly config?: { readonly connectionLimit?: unknown };
  /** In a pool of mysql2/promise, the pool with callbacks. */
  readonly pool?: { readonly config?: { readonly connectionLimit?: unknown } };
}

/**
 * Makes the function that runs statements with a client. Statements are prepared by the server, so that no client has to
 * write values into a text: it could not do that right under `NO_BACKSLASH_ESCAPES`.
 *
 * @throws TypeError for a value that is not a client
 */
export function askMysql(client: MysqlClient): Ask {
  refuseForeign(client, FOREIGN_TO_MYSQL);
  const { promise, execute, batch, getConnection, refresh, connection } = Object(client) as Members;
  if (typeof promise === 'function') return askMysql(promise.call(client));
  if (typeof execute === 'function') {
    // PlanetScale's client sends each statement over HTTP, so there are no connections to leave to the program.
    const isOverHttp = typeof refresh === 'function' || (typeof connection === 'function' && batch === undefined);
    if (isOverHttp) return async ({ text, values }) => answerOf(await execute.call(client, text, [...values]));
    const optionsOf = plainOptions(client as Members);
    const ask: Ask = async ({ text, values }) => {
      const asked: Asked = [optionsOf(text), [...values]];
      const isPool = typeof getConnection === 'function';
      return answerOf(
        await (isPool ? onConnection(client as unknown as MysqlPool, asked) : execute.call(client, ...asked)),
      );
    };
    return halfOfPool(client, ask, typeof getConnection === 'function' ? limitOf(client as Members) : 1);
  }
  if (typeof client === 'function' && describeType(client) !== 'a class') {
    return async ({ text, values }) => client(text, [...values]);
  }
  throw new TypeError(
    `client is ${describeType(client)}: pass a pool or a connection of mysql2 or mariadb, a client of @planetscale/database, or a function (text, values) => rows or { affectedRows }`,
  );
}

/**
 * Sets the options of mysql2 and mariadb that change what comes back as they are by default, for one statement: the
 * client may have others. Any other object with `execute` takes a text.
 */
function plainOptions({ batch, Promise: isOfMysql2 }: Members): (text: string) => Asked[0] {
  const plain = { rowsAsArray: false, nestTables: false, namedPlaceholders: false, metaAsArray: false };
  if (batch !== undefined) return (sql) => ({ ...plain, typeCast: undefined, sql });
  return isOfMysql2 === undefined ? (sql) => sql : (sql) => ({ ...plain, typeCast: true, sql });
}

/** A statement, perhaps with options, and its values. */
type Asked = readonly [string | { readonly sql: string }, (string | number)[]];

/** A connection of a pool of mysql2/promise or of mariadb. */
interface MysqlConnection {
  execute(...asked: Asked): Promise<unknown>;
  release(): unknown;
  destroy(): void;
  /** With mariadb: closes the connection if there is no answer in time. */
  ping(timeoutMs: number): Promise<void>;
  /** Only with mariadb. */
  readonly batch?: unknown;
}

interface MysqlPool {
  getConnection(): Promise<MysqlConnection>;
}

/** The longest time to wait for an answer on one connection. */
const LONGEST_MS = 2_000;

/**
 * Runs a statement on a connection of a pool. mysql2 has no time limit for statements, and would use a connection that
 * went dead again and again; such a connection is closed here.
 */
async function onConnection(pool: MysqlPool, asked: Asked): Promise<unknown> {
  const connection = await pool.getConnection();
  let closed: unknown;
  let cancel = () => {};
  const silence = new Promise<never>((_, reject) => {
    const timer = systemClock.setTimer(() => {
      closed = close(connection);
      reject(Object.assign(new Error(`no answer within ${LONGEST_MS} ms`), { code: 'ETIMEDOUT' }));
    }, LONGEST_MS);
    cancel = () => timer.cancel();
  });
  const answer = (async () => connection.execute(...asked))();
  // After its connection is closed, an answer may still reject.
  answer.catch(() => undefined);
  try {
    return await Promise.race([answer, silence]);
  } finally {
    cancel();
    // mariadb's `release` returns a promise. If its connection breaks meanwhile, the pool replaces the connection.
    Promise.resolve(closed)
      .then(() => connection.release())
      .catch(() => undefined);
  }
}

/**
 * Closes a connection that does not answer. mariadb's `destroy` would first send a KILL over another connection; if that
 * one breaks, too, nobody handles its rejection, which ends the process. A ping whose time is over closes without it.
 */
async function close(connection: MysqlConnection): Promise<void> {
  try {
    await (connection.batch === undefined ? connection.destroy() : connection.ping(1));
  } catch {
    // It is closed all the same, or the pool finds out.
  }
}

/** The connections of a pool that names no number, as those of mysql2 and mariadb have it. */
const USUAL_LIMIT = 10;

function limitOf({ config, pool }: Members): number {
  const limit = (config ?? pool?.config)?.connectionLimit;
  return typeof limit === 'number' && limit >= 1 ? limit : USUAL_LIMIT;
}

/** The bit of the server's status that says that the connection is inside a transaction. */
const IN_TRANSACTION = 1;

type Answer = Readonly<Record<string, unknown>>;

/** Finds the rows or the count in what a client returns. @throws UnexpectedAnswer */
function answerOf(answer: unknown): unknown {
  // mysql2 returns a pair: the rows or the count, and the columns.
  const own: unknown = Array.isArray(answer) && answer.length === 2 && isOfMysql2(answer) ? answer[0] : answer;
  const { headers, rows, rowsAffected, error, affectedRows, serverStatus } = Object(own) as Answer;
  if (typeof serverStatus === 'number' && (serverStatus & IN_TRANSACTION) !== 0 && affectedRows !== 0) {
    throw new UnexpectedAnswer(
      "the client's connection is inside a transaction of this program, which could take the lock back: pass a client with connections of its own, such as a pool",
    );
  }
  // PlanetScale names the columns of a SELECT, also if there are no rows, and can leave out a zero.
  if (!Array.isArray(headers) || error) return own;
  return headers.length > 0 ? rows : { affectedRows: rowsAffected ?? 0 };
}

/** Whether the second of a pair lists columns, as the rows of no table do. */
function isOfMysql2([, columns]: readonly unknown[]): boolean {
  return columns === undefined || Array.isArray(columns);
}
