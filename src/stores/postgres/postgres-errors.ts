import { errorName, readThrownText } from '../../core/values/thrown.js';
import {
  type DatabaseErrors,
  type Failed,
  type Meaning,
  NO_DATABASE,
  NO_TABLE,
  NOT_NOW,
  noRight,
  OTHER_COLUMNS,
  READ_ONLY_SERVER,
  REFUSED_ROW,
  REFUSED_STATEMENT,
  TOO_MANY_CONNECTIONS,
  wrongLogin,
} from '../sql/sql-errors.js';

const REFUSED_LOGIN: Meaning = { code: 'ACCESS_DENIED', why: loginOf };
const NO_TLS: Meaning = {
  code: 'INVALID_REQUEST',
  why: () => 'TLS with Postgres failed: set ssl or sslmode of the client to what the server needs',
};
const UNREADABLE_URL: Meaning = {
  code: 'INVALID_REQUEST',
  why: () => 'the connection string cannot be read: write postgres://user:password@host:5432/database',
};

/**
 * The meanings of Postgres's error codes, and of the codes of clients. Each of these codes proves that nothing was
 * written.
 */
const MEANINGS: DatabaseErrors['meanings'] = [
  [/^42501$/, { code: 'ACCESS_DENIED', why: rightOf }],
  [/^(28...|P1000|P1010)$/, REFUSED_LOGIN],
  [/^(42P01|3F000)$/, { ...NO_TABLE, why: (failed) => `${NO_TABLE.why(failed)} or the search_path` }],
  [/^(42703|42804|42883|42P10)$/, OTHER_COLUMNS],
  // P0001: a trigger raised an error. 0A000: the table has rules, or is foreign.
  [/^(42809|428C9|23...|22P02|2200[13]|44000|55000|P0001|0A000)$/, REFUSED_ROW],
  [/^(3D000|P1003)$/, NO_DATABASE],
  [/^(ERR_POSTGRES_TLS_NOT_AVAILABLE|P1011|TlsConnectionError)$/, NO_TLS],
  [/^(P1012|P1013|(missing|invalid)_connection_string)$/, UNREADABLE_URL],
  [/^25006$/, READ_ONLY_SERVER],
  [
    /^25P02$/,
    {
      code: 'UNAVAILABLE',
      why: () =>
        "the client's connection is inside a transaction of this program, which has failed: pass a client with connections of its own, such as a pool",
    },
  ],
  [/^53300$/, TOO_MANY_CONNECTIONS],
  [/^(40001|40P01|53...|55P03|57014|57P03)$/, NOT_NOW],
  [/^(22|42)...$/, REFUSED_STATEMENT],
];

/** Finds the right that is missing. A server in another language than English does not say where it is missing. */
function rightOf(failed: Failed): string {
  const { table, chain, verb } = failed;
  if (chain.some((one) => readThrownText(one, 'routine') === 'ExecWithCheckOptions')) {
    return `row level security of table ${table} refuses the row: turn it off for this table`;
  }
  if (says(chain, /^permission denied for database /)) {
    return 'no right to this database: GRANT CONNECT ON that DATABASE TO the role of this client';
  }
  if (says(chain, /^permission denied for schema /)) {
    const right = verb === 'CREATE' ? 'CREATE' : 'USAGE';
    return `no right to the schema of table ${table}: GRANT ${right} ON that SCHEMA TO the role of this client`;
  }
  return noRight(failed, 'the role of this client');
}

function loginOf(failed: Failed): string {
  return says(failed.chain, /^no pg_hba\.conf entry for .*, no encryption$/)
    ? 'Postgres lets this user in with TLS only: set ssl, or sslmode=require, for the client'
    : wrongLogin(failed);
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

/** What clients say without a code. */
const SAID_BY_CLIENTS: readonly (readonly [RegExp, Meaning])[] = [
  // pg; Neon over HTTP, whose proxy has no SQLSTATE for it.
  [/^SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a /, REFUSED_LOGIN],
  [/^(password authentication failed for user |Server error \(HTTP status 40[13]\): )/, REFUSED_LOGIN],
  [/^The server does not support SSL connections$/, NO_TLS],
  // pg reads a text that is no URL as a path on a host of this name.
  [/^getaddrinfo ENOTFOUND base$/, UNREADABLE_URL],
  [/^URI malformed$/, UNREADABLE_URL],
];

function isUnconnected(chain: readonly unknown[]): boolean {
  return (
    says(chain, NO_CONNECTION_WORDS) ||
    chain.some((one) => NO_CONNECTION_NAMES.test(errorName(one))) ||
    chain.some((one) => CODES.some((property) => NO_CONNECTION.test(readThrownText(one, property))))
  );
}

/** Finds the SQLSTATE in a chain of errors, else the first code of a client that has a meaning, else its first code. */
function codeOf(chain: readonly unknown[]): string {
  const codes = chain.flatMap((one) => CODES.map((property) => readThrownText(one, property)));
  return (
    codes.find((code) => SQLSTATE.test(code)) ??
    codes.find((code) => MEANINGS.some(([meant]) => meant.test(code))) ??
    codes.find((code) => /^\w{3,}$/.test(code)) ??
    ''
  );
}

export const POSTGRES_ERRORS: DatabaseErrors = {
  name: 'Postgres',
  door: 'Postgres',
  meanings: MEANINGS,
  codeOf,
  ofServer: SQLSTATE,
  said: (chain) =>
    chain
      .map((one) => SAID_BY_CLIENTS.find(([words]) => words.test(readThrownText(one, 'message')))?.[1])
      .find((meaning) => meaning !== undefined),
  isUnconnected,
};
