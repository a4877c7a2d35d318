import type { LockStoreErrorCode } from '../../core/public/errors.js';
import { finalProblemIn, isUnsentIn, judgeAll } from '../../core/request/error-chain.js';
import { errorName, readThrownText } from '../../core/values/thrown.js';

/*
 * What the errors of databases mean. A database says by which code each of these failures can be known; how an error is
 * judged, and the remedies, are the same for all.
 */

/** The meaning of a database's error. */
export interface SqlFailure {
  readonly code: LockStoreErrorCode;
  /** The problem and the remedy. */
  readonly why: string;
  /** Whether the error proves that nothing was written. Every code but `UNAVAILABLE` also proves that. */
  readonly isUnsent?: boolean;
}

/** What is known of a failure besides its code. */
export interface Failed {
  /** The quoted name of the table, as in statements. */
  readonly table: string;
  /** The first word of the statement; empty if it is not known. */
  readonly verb: string;
  /** The error and the errors inside of it. */
  readonly chain: readonly unknown[];
  readonly database: DatabaseErrors;
}

/** What a code means. */
export interface Meaning {
  readonly code: LockStoreErrorCode;
  /** Returns the problem and the remedy. */
  why(failed: Failed): string;
  /** False for a code that does not prove that nothing was written. */
  readonly isUnsent?: false;
}

/** The errors of a database and of its clients. */
export interface DatabaseErrors {
  /** The database's name in messages. */
  readonly name: string;
  /** The database's name in the functions of its door, such as `Postgres` in `createPostgresTable`. */
  readonly door: string;
  /** The meanings of codes. The first match counts. */
  readonly meanings: readonly (readonly [codes: RegExp, meaning: Meaning])[];
  /** Finds the code by which an error is judged; empty if the error has none. */
  codeOf(chain: readonly unknown[]): string;
  /** Matches the codes that only the database itself sends: with one of them, no words count. */
  readonly ofServer: RegExp;
  /** Finds the meaning of words of the database or of a client. */
  said(chain: readonly unknown[]): Meaning | undefined;
  /** Whether the client says in its own way that it has no connection, so that nothing was sent. */
  isUnconnected?(chain: readonly unknown[]): boolean;
}

export const NO_TABLE: Meaning = {
  code: 'TABLE_NOT_FOUND',
  why: ({ table, database }) =>
    `table ${table} does not exist: make it with create${database.door}Table(client) or single-execution table create, or correct its name`,
};
export const OTHER_COLUMNS: Meaning = {
  code: 'KEY_SCHEMA',
  why: ({ table, database }) => `table ${table} has other columns: ${tableOfItsOwn(database)}`,
};
export const REFUSED_ROW: Meaning = {
  code: 'KEY_SCHEMA',
  why: ({ table, database }) =>
    `table ${table} has a type, a constraint, a rule or a trigger that refuses the row of a lock: ${tableOfItsOwn(database)}`,
};
export const NO_DATABASE: Meaning = {
  code: 'INVALID_REQUEST',
  why: () => 'the database does not exist: correct its name',
};
export const READ_ONLY_SERVER: Meaning = {
  code: 'UNAVAILABLE',
  why: ({ database }) => `${database.name} is read-only here: connect to the primary, not to a replica`,
};
export const TOO_MANY_CONNECTIONS: Meaning = {
  code: 'UNAVAILABLE',
  why: ({ database }) => `${database.name} has too many connections: close some, or raise max_connections; try again`,
};
/** A lock that was waited for too long, a deadlock, a server that starts or stops. */
export const NOT_NOW: Meaning = {
  code: 'UNAVAILABLE',
  why: ({ database }) => `${database.name} cannot write now; try again`,
};
export const REFUSED_STATEMENT: Meaning = {
  code: 'INVALID_REQUEST',
  why: ({ database }) => `${database.name} refused the statement`,
};

function tableOfItsOwn({ door }: DatabaseErrors): string {
  return `create a table only for the store, with ${door.toLowerCase()}Table()`;
}

/** Says that a right to the table is missing. @param grantee whom to grant it */
export function noRight({ table, verb }: Failed, grantee: string): string {
  const refused = /^(SELECT|INSERT|UPDATE)$/.test(verb) ? ` (${verb} was refused)` : '';
  return `no right to table ${table}${refused}: GRANT SELECT, INSERT, UPDATE ON ${table} TO ${grantee}`;
}

/** Says that the server does not take the user or the password. */
export function wrongLogin({ database }: Failed): string {
  return `${database.name} refused the login: check the user and the password`;
}

/**
 * Finds the meaning of an error.
 *
 * @param table the quoted name, as in statements
 * @param statement the statement that failed, for the right that is missing
 */
export function explain(database: DatabaseErrors, error: unknown, table: string, statement = ''): SqlFailure {
  const { name, ofServer } = database;
  return judgeAll(error, (chain) => {
    const code = database.codeOf(chain);
    const shown = code || errorName(chain[0]);
    const isOfServer = ofServer.test(code);
    const said = isOfServer ? undefined : database.said(chain);
    const known = said ?? database.meanings.find(([codes]) => codes.test(code))?.[1];
    if (known) {
      const why = known.why({ table, verb: /^\w*/.exec(statement)?.[0] ?? '', chain, database });
      return { code: known.code, why: `${why} (${shown})`, isUnsent: known.isUnsent ?? true };
    }
    const unclear: SqlFailure = { code: 'UNAVAILABLE', why: `no clear answer from ${name} (${shown}); try again` };
    if (isOfServer) return unclear;
    const problem = finalProblemIn(chain);
    if (problem !== undefined) {
      return { code: 'INVALID_REQUEST', why: `no connection to ${name}: ${problem}`, isUnsent: true };
    }
    const isUnsent = isUnsentIn(chain) || database.isUnconnected?.(chain) === true;
    return isUnsent ? { code: 'UNAVAILABLE', why: unreached(name, chain, shown), isUnsent } : unclear;
  });
}

function unreached(name: string, chain: readonly unknown[], shown: string): string {
  const isUnknown = chain.some((one) => /^(ENOTFOUND|EAI_AGAIN)$/.test(readThrownText(one, 'code')));
  return isUnknown
    ? `the host of ${name} was not found: check its name, and the name server (${shown})`
    : `${name} could not be reached: start it, or check its address and the network (${shown})`;
}
