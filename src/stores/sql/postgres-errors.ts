import { finalProblemIn, isUnsentIn, judgeAll } from '../../core/request/error-chain.js';
import { describe } from '../../core/values/checks.js';
import { errorName, readThrownText } from '../../core/values/thrown.js';
import type { SqlFailure } from './sql.js';

/** What is known of a failure besides its code. */
interface Said {
  /** The error and the errors inside of it. */
  readonly chain: readonly unknown[];
  /** The first word of the statement; empty if it is not known. */
  readonly verb: string;
}

interface Meaning {
  /** Matches the SQLSTATE, or the code of a client. */
  readonly codes: RegExp;
  readonly code: SqlFailure['code'];
  /** Returns the problem and the remedy. @param table the quoted name, as in statements */
  why(table: string, said: Said): string;
}

/**
 * The meanings of Postgres's error codes, and of the codes of clients. Each of these codes proves that nothing was
 * written. The first match counts.
 */
const MEANINGS: readonly Meaning[] = [
  { codes: /^42501$/, code: 'ACCESS_DENIED', why: rightOf },
  { codes: /^(28...|P1000|P1010)$/, code: 'ACCESS_DENIED', why: loginOf },
  {
    codes: /^(42P01|3F000)$/,
    code: 'TABLE_NOT_FOUND',
    why: (table) =>
      `table ${table} does not exist in this database: make it by createPostgresTable(client), or correct table or the search_path`,
  },
  {
    codes: /^(42703|42804|42883|42P10)$/,
    code: 'KEY_SCHEMA',
    why: (table) => `table ${table} has other columns: give the store a table of its own, made by postgresTable()`,
  },
  {
    // P0001: a trigger raised an error. 0A000: the table has rules, or is foreign.
    codes: /^(42809|428C9|23...|22P02|2200[13]|44000|55000|P0001|0A000)$/,
    code: 'KEY_SCHEMA',
    why: (table) =>
      `table ${table} refuses the row of a lock by a type, a constraint, a rule or a trigger: give the store a table of its own, made by postgresTable()`,
  },
  {
    codes: /^(3D000|P1003)$/,
    code: 'INVALID_REQUEST',
    why: () => 'the database does not exist: correct its name',
  },
  {
    codes: /^(ERR_POSTGRES_TLS_NOT_AVAILABLE|P1011|TlsConnectionError|NO_SSL)$/,
    code: 'INVALID_REQUEST',
    why: () => 'TLS with Postgres failed: set ssl or sslmode of the client as the server has it',
  },
  {
    codes: /^(P1012|P1013|NO_SCHEME|(missing|invalid)_connection_string)$/,
    code: 'INVALID_REQUEST',
    why: () => 'the connection string cannot be read: write postgres://user:password@host:5432/database',
  },
  {
    codes: /^25006$/,
    code: 'UNAVAILABLE',
    why: () => 'Postgres is read-only here: connect to the primary, not to a replica',
  },
  {
    codes: /^25P02$/,
    code: 'UNAVAILABLE',
    why: () =>
      "the client's connection is inside a transaction of this program, which has failed: pass a client with connections of its own, such as a pool",
  },
  {
    codes: /^53300$/,
    code: 'UNAVAILABLE',
    why: () => 'Postgres has too many connections: close some, or raise max_connections; try again',
  },
  {
    codes: /^(40001|40P01|53...|55P03|57014|57P03)$/,
    code: 'UNAVAILABLE',
    why: () => 'Postgres cannot write now; try again',
  },
  { codes: /^(22|42)...$/, code: 'INVALID_REQUEST', why: () => 'Postgres refused the statement' },
];

/** Finds the right that is missing. A server in another language than English does not say where it is missing. */
function rightOf(table: string, { chain, verb }: Said): string {
  if (chain.some((one) => readThrownText(one, 'routine') === 'ExecWithCheckOptions')) {
    return `row level security of table ${table} refuses the row: give the store a table without it`;
  }
  if (says(chain, /^permission denied for database /)) {
    return 'no right to this database: GRANT CONNECT ON that DATABASE TO the role of this client';
  }
  if (says(chain, /^permission denied for schema /)) {
    const right = verb === 'CREATE' ? 'CREATE' : 'USAGE';
    return `no right to the schema of table ${table}: GRANT ${right} ON that SCHEMA TO the role of this client`;
  }
  const refused = /^(SELECT|INSERT|UPDATE)$/.test(verb) ? ` (${verb} was refused)` : '';
  return `no right to table ${table}${refused}: GRANT SELECT, INSERT, UPDATE ON ${table} TO the role of this client`;
}

function loginOf(_: string, { chain }: Said): string {
  return says(chain, /^no pg_hba\.conf entry for .*, no encryption$/)
    ? 'Postgres lets this user in with TLS only: set ssl, or sslmode=require, for the client'
    : 'Postgres refused the login: give the client the right user and password';
}

/** Whether a message of one of the errors matches. */
function says(chain: readonly unknown[], words: RegExp): boolean {
  return chain.some((one) => ['message', 'originalMessage'].some((said) => words.test(readThrownText(one, said))));
}

/** Codes that Postgres's classes of errors begin with. `EPIPE` and Prisma's `P2010` have five characters, too. */
const SQLSTATE = /^(\d[\dA-Z]|F0|HV|P0|XX)[\dA-Z]{3}$/;
/** Where clients keep the SQLSTATE: `errno` in Bun, `originalCode` in Prisma's driver adapters. */
const CODES = ['code', 'errno', 'originalCode', 'sqlState', 'errorCode', 'kind'];

/** Codes of clients that have no connection: nothing was sent. */
const NO_CONNECTION =
  /^(CONNECT_TIMEOUT|CONNECTION_ENDED|ERR_POSTGRES_CONNECTION_REFUSED|P1001|P2024|DatabaseNotReachable)$/;
/** Errors of clients that have no connection and no code: nothing was sent. */
const NO_CONNECTION_WORDS =
  /^(timeout exceeded when trying to connect|timeout expired|Connection terminated due to connection timeout|Client was closed and is not queryable|Client has encountered a connection error and is not queryable|Cannot use a pool after calling end on the pool|There was an error establishing an SSL connection)$/;
const NO_CONNECTION_NAMES = /^(KnexTimeoutError|SequelizeConnectionAcquireTimeoutError)$/;

/** What clients say without a code, and the code by which it is judged. */
const SAID_BY_CLIENTS: readonly (readonly [RegExp, string])[] = [
  // pg; Neon over HTTP, whose proxy has no SQLSTATE for it.
  [/^SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a /, '28P01'],
  [/^(password authentication failed for user |Server error \(HTTP status 40[13]\): )/, '28P01'],
  [/^The server does not support SSL connections$/, 'NO_SSL'],
  // pg reads a text that is no URL as a path on a host of this name.
  [/^getaddrinfo ENOTFOUND base$/, 'NO_SCHEME'],
  [/^URI malformed$/, 'NO_SCHEME'],
];

/**
 * Finds the meaning of an error.
 *
 * @param table the quoted name, as in statements
 * @param statement the statement that failed, for the right that is missing
 */
export function explain(error: unknown, table: string, statement = ''): SqlFailure {
  return judgeAll(error, (chain) => {
    const code = codeOf(chain);
    const shown = code || errorName(chain[0]);
    const known = MEANINGS.find(({ codes }) => codes.test(code));
    if (known) {
      const why = known.why(table, { chain, verb: /^\w*/.exec(statement)?.[0] ?? '' });
      return { code: known.code, why: `${why} (${shown})`, isUnsent: true };
    }
    if (SQLSTATE.test(code)) return unclear(shown);
    const problem = finalProblemIn(chain);
    if (problem !== undefined) {
      return { code: 'INVALID_REQUEST', why: `no connection to Postgres: ${problem}`, isUnsent: true };
    }
    return isUnconnected(chain) ? unreached(chain, shown) : unclear(shown);
  });
}

function unclear(shown: string): SqlFailure {
  return { code: 'UNAVAILABLE', why: `no clear answer from Postgres (${shown}); try again` };
}

function unreached(chain: readonly unknown[], shown: string): SqlFailure {
  const isUnknown = chain.some((one) => /^(ENOTFOUND|EAI_AGAIN)$/.test(readThrownText(one, 'code')));
  const why = isUnknown
    ? `the host of Postgres was not found: check its name, and the name server (${shown})`
    : `Postgres could not be reached: start it, or check its address and the network (${shown})`;
  return { code: 'UNAVAILABLE', why, isUnsent: true };
}

function isUnconnected(chain: readonly unknown[]): boolean {
  return (
    isUnsentIn(chain) ||
    says(chain, NO_CONNECTION_WORDS) ||
    chain.some((one) => NO_CONNECTION_NAMES.test(errorName(one))) ||
    chain.some((one) => CODES.some((property) => NO_CONNECTION.test(readThrownText(one, property))))
  );
}

/** Finds the SQLSTATE in a chain of errors, else the first code of a client that has a meaning, else its first code. */
function codeOf(chain: readonly unknown[]): string {
  const codes = chain.flatMap((one) => CODES.map((property) => readThrownText(one, property)));
  const said = chain.map((one) => SAID_BY_CLIENTS.find(([words]) => words.test(readThrownText(one, 'message')))?.[1]);
  return (
    codes.find((code) => SQLSTATE.test(code)) ??
    said.find((code) => code !== undefined) ??
    codes.find((code) => MEANINGS.some((meaning) => meaning.codes.test(code))) ??
    codes.find((code) => /^\w{3,}$/.test(code)) ??
    ''
  );
}

/** The longest identifier of Postgres. It cuts off what is longer, without an error. */
const MOST_BYTES = 63;

/**
 * Checks a part of the name of a table.
 *
 * @throws TypeError for a name that Postgres would cut off: two such names could become one table
 */
export function checkIdentifier(part: string): void {
  const bytes = new TextEncoder().encode(part).length;
  if (bytes <= MOST_BYTES) return;
  throw new TypeError(
    `table has the name ${describe(part)} of ${bytes} bytes: Postgres cuts names off after ${MOST_BYTES}; give a shorter one`,
  );
}
