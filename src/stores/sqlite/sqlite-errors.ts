import { errorName, readThrown, readThrownText } from '../../core/values/thrown.js';
import { type DatabaseErrors, type Meaning, NO_TABLE, OTHER_COLUMNS, REFUSED_ROW } from '../sql/sql-errors.js';

/*
 * An error is judged by SQLite's result code. Words count only without a code, or to tell the kinds of `SQLITE_ERROR`
 * apart, and only at the beginning of a driver's message: further on, a message can contain a statement with the name
 * of a lock, such as `sales-403` or `no such table`.
 */

const means = (code: Meaning['code'], why: string): Meaning => ({ code, why: () => why });

const CREDENTIALS = means('ACCESS_DENIED', 'the database refused the credentials: check the token of the client');
const READ_ONLY = means(
  'ACCESS_DENIED',
  'the database is read-only here: open it for writing, or connect to the primary',
);
const MOVED = means(
  'INVALID_REQUEST',
  'the database file was deleted or replaced after it was opened: make a new client',
);
const CANNOT_OPEN = means('INVALID_REQUEST', 'the file cannot be opened: check its path and its rights');
const BUSY = means('UNAVAILABLE', 'another process is writing to the database; try again, or set a busy timeout');
const CLOSED = means('UNAVAILABLE', 'the client is closed: keep it open while the store is used');
const WRONG_URL = means(
  'INVALID_REQUEST',
  'the URL of the database cannot be used: write libsql://host, https://host or file:path',
);
const UNREADABLE_FILE = means(
  'UNAVAILABLE',
  'SQLite could not read or write the file: check the disk and the rights of its folder',
);

/** The meanings of SQLite's primary result codes and one extended code, of the codes of clients, and of statuses of HTTP. */
const MEANINGS: DatabaseErrors['meanings'] = [
  [/^SQLITE_(PERM|CANTOPEN)$/, CANNOT_OPEN],
  [/^SQLITE_(BUSY|LOCKED|PROTOCOL)$/, BUSY],
  [/^SQLITE_READONLY$/, READ_ONLY],
  [/^SQLITE_READONLY_DBMOVED$/, MOVED],
  [/^SQLITE_IOERR$/, { ...UNREADABLE_FILE, isUnsent: false }],
  [/^SQLITE_CORRUPT$/, means('INVALID_REQUEST', 'the database file is damaged: restore it from a copy')],
  [/^SQLITE_FULL$/, means('UNAVAILABLE', 'the disk or the database is full: free some space')],
  [/^SQLITE_(TOOBIG|CONSTRAINT|MISMATCH)$/, REFUSED_ROW],
  [/^(SQLITE_AUTH|HTTP 40[13])$/, CREDENTIALS],
  [
    /^SQLITE_NOTADB$/,
    means('INVALID_REQUEST', 'the file is not an SQLite database, or is encrypted: correct its path'),
  ],
  [/^CLIENT_CLOSED$/, CLOSED],
  [/^BLOCKED$/, means('ACCESS_DENIED', 'the service has blocked this database: look at its plan and its limits')],
  [/^(URL_(INVALID|SCHEME_NOT_SUPPORTED|PARAM_NOT_SUPPORTED)|HTTP 404)$/, WRONG_URL],
];

/** The names of the result codes, by their numbers. */
const NAMES: Readonly<Record<number, string>> = {
  ...{ 1: 'ERROR', 3: 'PERM', 5: 'BUSY', 6: 'LOCKED', 8: 'READONLY', 10: 'IOERR', 11: 'CORRUPT', 13: 'FULL' },
  ...{ 14: 'CANTOPEN', 15: 'PROTOCOL', 18: 'TOOBIG', 19: 'CONSTRAINT', 20: 'MISMATCH', 23: 'AUTH', 26: 'NOTADB' },
  1032: 'READONLY_DBMOVED',
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
    {
      code: 'INVALID_REQUEST',
      why: ({ table }) => `no database is attached under the first name of ${table}: ATTACH it, or correct table`,
    },
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
      'libSQL has kept a statement open that was refused as busy, and writes nothing meanwhile: make a new client, and set its timeout',
    ),
  ],
  [
    words('cannot start a transaction within a transaction'),
    means('UNAVAILABLE', 'the connection is inside a transaction: pass the store a connection of its own; try again'),
  ],
  [words('database (table |schema )?is locked'), BUSY],
  [
    words('near "[^"]*": syntax error|no such function: '),
    means('INVALID_REQUEST', 'SQLite refused the statement: it needs SQLite 3.42 or later'),
  ],
];

/** What a server of libSQL says if it gave no result. */
const STATUS_WORDS = /^(?:SERVER_ERROR: )?Server returned HTTP status (\d{3})$/;

/** Finds the code by which an error is judged: SQLite's, a client's, or a status of HTTP. */
function codeOf(chain: readonly unknown[]): string {
  const results = chain.map(resultOf).filter((result) => result !== undefined);
  const result = results.find((one) => one !== 'ERROR') ?? results[0];
  if (result !== undefined && result !== 'ERROR') return `SQLITE_${result}`;
  const codes = chain.map((one) => readThrownText(one, 'code')).filter((one) => /^\w{3,}$/.test(one));
  return (
    codes.find((code) => /^(CLIENT_CLOSED|BLOCKED|URL_\w+)$/.test(code)) ??
    chain.map(statusOf).find((status) => /^HTTP 40[134]$/.test(status)) ??
    codes[0] ??
    ''
  );
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
function said(chain: readonly unknown[]): Meaning | undefined {
  const messages = chain.flatMap((one) => [readThrownText(one, 'message'), readThrownText(one, 'originalMessage')]);
  const message = messages.findLast((one) => one !== '') ?? '';
  const hasCode = chain.some((one) => resultOf(one) !== undefined);
  // Knex puts the statement with its values before the driver's words. Only the code proves that nothing was written.
  const drivers = hasCode && /^(select|insert|update|create) /i.test(message) ? message.split(' - ').at(-1) : message;
  return SAYINGS.find(([saying]) => saying.test(drivers ?? ''))?.[1];
}

function statusOf(error: unknown): string {
  const numbers = ['status', 'statusCode'].map((property) => readThrown(error, property));
  return `HTTP ${Number(STATUS_WORDS.exec(readThrownText(error, 'message'))?.[1] ?? numbers.find(Number.isInteger))}`;
}

export const SQLITE_ERRORS: DatabaseErrors = {
  name: 'the database',
  door: 'Sqlite',
  meanings: MEANINGS,
  codeOf,
  // Words tell the kinds of these two apart.
  ofServer: /^SQLITE_(?!ERROR$|BUSY$)/,
  said,
};
