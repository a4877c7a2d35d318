import { finalProblemIn, isUnsentIn, judgeAll } from '../../core/request/error-chain.js';
import { errorName, readThrown, readThrownText } from '../../core/values/thrown.js';
import type { SqlFailure } from './sql.js';

/*
 * An error is judged by SQLite's result code. Words count only without a code, or to tell the kinds of `SQLITE_ERROR`
 * apart, and only at the beginning of a driver's message: further on, a message can contain a statement with the name
 * of a lock, such as `sales-403` or `no such table`.
 */

type Meaning = Pick<SqlFailure, 'code' | 'isUnsent'> & {
  /** Returns the problem and the remedy. @param table the quoted name, as in statements */
  why(table: string): string;
};

const means = (code: SqlFailure['code'], why: Meaning['why']): Meaning => ({ code, why, isUnsent: true });

const NO_TABLE = means(
  'TABLE_NOT_FOUND',
  (table) => `table ${table} does not exist: make it by createSqliteTable(client), or correct table`,
);
const OTHER_COLUMNS = means(
  'KEY_SCHEMA',
  (table) => `table ${table} has other columns: give the store a table of its own, made by sqliteTable()`,
);
const REFUSED_ROW = means(
  'KEY_SCHEMA',
  (table) =>
    `table ${table} refuses the row of a lock by a type, a constraint or a trigger: give the store a table of its own, made by sqliteTable()`,
);
const CREDENTIALS = means('ACCESS_DENIED', () => 'the database refused the credentials: check the token of the client');
const READ_ONLY = means(
  'ACCESS_DENIED',
  () => 'the database is read-only here: open it for writing, or connect to the primary',
);
const MOVED = means(
  'INVALID_REQUEST',
  () => 'the database file was deleted or replaced after it was opened: make a new client',
);
const CANNOT_OPEN = means('INVALID_REQUEST', () => 'the file cannot be opened: check its path and its rights');
const BUSY = means('UNAVAILABLE', () => 'another process is writing to the database; try again, or set a busy timeout');
const CLOSED = means('UNAVAILABLE', () => 'the client is closed: keep it open while the store is used');
const WRONG_URL = means(
  'INVALID_REQUEST',
  () => 'the URL of the database cannot be used: write libsql://host, https://host or file:path',
);

/**
 * The meanings of SQLite's primary result codes, and of one extended code. Each proves that nothing was written, unless
 * it is marked.
 */
const MEANINGS: Readonly<Record<string, Meaning>> = {
  PERM: CANNOT_OPEN,
  BUSY,
  LOCKED: BUSY,
  PROTOCOL: BUSY,
  READONLY: READ_ONLY,
  READONLY_DBMOVED: MOVED,
  IOERR: {
    code: 'UNAVAILABLE',
    why: () => 'SQLite could not read or write the file: check the disk and the rights of its folder',
  },
  CORRUPT: means('INVALID_REQUEST', () => 'the database file is damaged: restore it from a copy'),
  FULL: means('UNAVAILABLE', () => 'the disk or the database is full: free some space'),
  CANTOPEN: CANNOT_OPEN,
  TOOBIG: REFUSED_ROW,
  CONSTRAINT: REFUSED_ROW,
  MISMATCH: REFUSED_ROW,
  AUTH: CREDENTIALS,
  NOTADB: means('INVALID_REQUEST', () => 'the file is no SQLite database, or is encrypted: correct its path'),
};

/** The names of the result codes, by their numbers. */
const NAMES: Readonly<Record<number, string>> = {
  ...{ 1: 'ERROR', 3: 'PERM', 5: 'BUSY', 6: 'LOCKED', 8: 'READONLY', 10: 'IOERR', 11: 'CORRUPT', 13: 'FULL' },
  ...{ 14: 'CANTOPEN', 15: 'PROTOCOL', 18: 'TOOBIG', 19: 'CONSTRAINT', 20: 'MISMATCH', 23: 'AUTH', 26: 'NOTADB' },
  1032: 'READONLY_DBMOVED',
};

/** The meanings of the codes of clients. */
const OF_CLIENTS: Readonly<Record<string, Meaning>> = {
  CLIENT_CLOSED: CLOSED,
  BLOCKED: means('ACCESS_DENIED', () => 'the service has blocked this database: look at its plan and its limits'),
  URL_INVALID: WRONG_URL,
  URL_SCHEME_NOT_SUPPORTED: WRONG_URL,
  URL_PARAM_NOT_SUPPORTED: WRONG_URL,
};

/** Names of errors and codes that a driver puts before the words of SQLite. */
const PREFIX =
  '^(?:(?:[A-Z]\\w*Error|D1_ERROR|SQLITE_\\w+|SQLite error|SQLite3 error|prepare failed|Parse error)(?: code \\d+)?: )*';
const words = (pattern: string) => new RegExp(`${PREFIX}(?:${pattern})`);

/** What SQLite and its clients say, by the beginning of their messages. */
const SAYINGS: readonly (readonly [RegExp, Meaning])[] = [
  [words('no such table: '), NO_TABLE],
  [
    words('unknown database '),
    means(
      'INVALID_REQUEST',
      (table) => `no database is attached under the first name of ${table}: ATTACH it, or correct table`,
    ),
  ],
  [words('no such column: |table \\S+ has no column |ON CONFLICT clause does not match'), OTHER_COLUMNS],
  [
    words(
      'cannot modify \\S+ because it is a view|cannot (INSERT into|UPDATE) generated column|\\w+( \\w+)? constraint failed|cannot store \\w+ value in ',
    ),
    REFUSED_ROW,
  ],
  [words('attempt to write a readonly database'), READ_ONLY],
  // What fetch says without a code.
  [words('(bad port|unknown scheme)$'), WRONG_URL],
  [
    words('unable to open database|Unable to open connection|ConnectionFailed\\("Unable to open connection'),
    CANNOT_OPEN,
  ],
  [
    words(
      'database is not open|The database connection is not open|database connection is not open|The client is closed|statement has been finalized|Cannot use a closed database',
    ),
    CLOSED,
  ],
  [
    words('cannot commit transaction - SQL statements in progress'),
    means(
      'UNAVAILABLE',
      () =>
        'libSQL has kept a statement open that was refused as busy, and writes nothing meanwhile: make a new client, and give it a timeout',
    ),
  ],
  [
    words('cannot start a transaction within a transaction'),
    means(
      'UNAVAILABLE',
      () => 'the connection is inside a transaction: give the store a connection of its own; try again',
    ),
  ],
  [words('database (table |schema )?is locked'), BUSY],
  [
    words('near "[^"]*": syntax error|no such function: '),
    means('INVALID_REQUEST', () => 'SQLite refused the statement: it needs SQLite 3.42 or later'),
  ],
];

/** The answers of a server of libSQL that gave no result, by their HTTP status. */
const STATUSES: Readonly<Record<number, Meaning>> = {
  401: CREDENTIALS,
  403: CREDENTIALS,
  404: WRONG_URL,
};
const STATUS_WORDS = /^(?:SERVER_ERROR: )?Server returned HTTP status (\d{3})$/;

/** Finds the meaning of an error. @param table the quoted name, as in statements */
export function explain(error: unknown, table: string): SqlFailure {
  return judgeAll(error, (chain) => {
    const known = meaningOf(chain);
    if (known) return { ...known, why: known.why(table) };
    const problem = finalProblemIn(chain);
    if (problem !== undefined) return { code: 'INVALID_REQUEST', why: `no connection: ${problem}`, isUnsent: true };
    if (isUnsentIn(chain)) {
      return { code: 'UNAVAILABLE', why: 'the database could not be reached: check its address', isUnsent: true };
    }
    const name = chain.map((one) => readThrownText(one, 'code')).find((code) => code !== '') ?? errorName(error);
    return { code: 'UNAVAILABLE', why: `no clear answer from the database (${name}); try again` };
  });
}

function meaningOf(chain: readonly unknown[]): Meaning | undefined {
  const results = chain.map(resultOf).filter((result) => result !== undefined);
  const result = results.find((one) => one !== 'ERROR') ?? results[0];
  if (result !== undefined && result !== 'ERROR' && result !== 'BUSY') return MEANINGS[result];
  const said = saidBy(chain, result !== undefined);
  if (said) return said;
  if (result === 'BUSY') return BUSY;
  const code = chain.map((one) => readThrownText(one, 'code')).find((one) => Object.hasOwn(OF_CLIENTS, one));
  if (code !== undefined) return OF_CLIENTS[code];
  return chain.map((one) => STATUSES[statusOf(one)]).find((meaning) => meaning !== undefined);
}

/** Properties with SQLite's number: node:sqlite; libSQL; SQLite's own build for browsers. */
const NUMBERS = ['errcode', 'rawCode', 'resultCode'];

/** Finds SQLite's result code in one error: `BUSY` for `SQLITE_BUSY_SNAPSHOT`, and for the number 517. */
function resultOf(error: unknown): string | undefined {
  const isOfSqlite = /sqlite/i.test(errorName(error));
  const numbers = [...NUMBERS, ...(isOfSqlite ? ['errno', 'code'] : [])].map((property) => readThrown(error, property));
  const number = numbers.find((one) => Number.isInteger(one) && Number(one) > 0);
  // Prisma keeps the number as a text.
  const text = /^[1-9]\d*$/.exec(readThrownText(error, 'originalCode'))?.[0];
  if (number !== undefined || text !== undefined) {
    const result = Number(number ?? text);
    return NAMES[result] ?? NAMES[result % 256];
  }
  const said = /^D1_ERROR: .*: (SQLITE_[A-Z_]+)(?: \(extended: (\w+)\))?$/s.exec(readThrownText(error, 'message'));
  return /^SQLITE_(READONLY_DBMOVED|[A-Z]+)/.exec(said?.[2] ?? said?.[1] ?? readThrownText(error, 'code'))?.[1];
}

/** Reads the message of the innermost error, which is the driver's. */
function saidBy(chain: readonly unknown[], hasCode: boolean): Meaning | undefined {
  const messages = chain.flatMap((one) => [readThrownText(one, 'message'), readThrownText(one, 'originalMessage')]);
  const message = messages.findLast((one) => one !== '') ?? '';
  // Knex puts the statement with its values before the driver's words. Only the code proves that nothing was written.
  const drivers = hasCode && /^(select|insert|update|create) /i.test(message) ? message.split(' - ').at(-1) : message;
  return SAYINGS.find(([saying]) => saying.test(drivers ?? ''))?.[1];
}

function statusOf(error: unknown): number {
  const numbers = ['status', 'statusCode'].map((property) => readThrown(error, property));
  return Number(STATUS_WORDS.exec(readThrownText(error, 'message'))?.[1] ?? numbers.find(Number.isInteger));
}
