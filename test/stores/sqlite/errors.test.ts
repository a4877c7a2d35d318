import { describe, expect, test } from 'vitest';
import { SQLITE_ERRORS } from '../../../src/stores/sqlite/sqlite-errors.js';
import { judged, type Meanings, thrown } from '../sql/judged.js';

const NUMBERS: Readonly<Record<string, number>> = {
  ...{
    ERROR: 1,
    BUSY: 5,
    LOCKED: 6,
    NOMEM: 7,
    READONLY: 8,
    IOERR: 10,
    CORRUPT: 11,
    FULL: 13,
    CANTOPEN: 14,
    NOTADB: 26,
  },
  ...{ READONLY_DBMOVED: 1032, CONSTRAINT_NOTNULL: 1299 },
};

/*
 * Errors as these packages threw them: only the properties that matter. better-sqlite3, sqlite3 and a SQLite of
 * WebAssembly were not run: their entries follow what those packages document. Behind Drizzle and Knex the message holds the statement's values.
 */
const CLIENTS: Readonly<Record<string, (result: string, words: string) => unknown>> = {
  'node:sqlite of Node 24.21': (result, words) =>
    thrown(words, { code: 'ERR_SQLITE_ERROR', errcode: NUMBERS[result], errstr: 'SQL logic error' }),
  '@libsql/client 0.18.0 on a file': (result, words) =>
    thrown(`SQLITE_${result}: SQLITE_${result}: ${words}`, {
      name: 'LibsqlBatchError',
      code: `SQLITE_${result.split('_')[0]}`,
      rawCode: NUMBERS[result],
      cause: thrown(words, { name: 'SqliteError', code: `SQLITE_${result}`, rawCode: NUMBERS[result] }),
    }),
  '@libsql/client 0.18.0 over HTTP': (result, words) =>
    thrown(`SQLITE_${result}: SQLite error: ${words}`, {
      name: 'LibsqlError',
      code: `SQLITE_${result}`,
      cause: thrown(`SQLite error: ${words}`, { name: 'ResponseError', code: `SQLITE_${result}` }),
    }),
  'better-sqlite3 12': (result, words) => thrown(words, { name: 'SqliteError', code: `SQLITE_${result}` }),
  'D1 of workerd': (result, words) => {
    const message = `${words}: SQLITE_${result.split('_')[0]}${result.includes('_') ? ` (extended: SQLITE_${result})` : ''}`;
    return thrown(`D1_ERROR: ${message}`, { cause: thrown(message) });
  },
  'bun:sqlite 1.4.5': (result, words) =>
    thrown(words, { name: 'SQLiteError', code: `SQLITE_${result}`, errno: NUMBERS[result] }),
  'a SQLite of WebAssembly': (result, words) => thrown(words, { name: 'SQLite3Error', resultCode: NUMBERS[result] }),
  'sqlite3 behind Knex': (result, words) =>
    thrown(`select record from locks where name = 'unauthorized - 403' - SQLITE_${result}: ${words}`, {
      code: `SQLITE_${result}`,
      errno: NUMBERS[result],
    }),
  'libSQL behind Drizzle 0.45.4': (result, words) =>
    thrown('Failed query: SELECT …\nparams: unauthorized 403', {
      cause: thrown(`SQLITE_${result}: ${words}`, { code: `SQLITE_${result}` }),
    }),
  'Prisma 7.10.1 with @prisma/adapter-libsql': (result, words) =>
    thrown(`Raw query failed. Code: \`${NUMBERS[result]}\`. Message: \`${words}\``, {
      code: 'P2010',
      meta: {
        driverAdapterError: thrown('TableDoesNotExist', {
          cause: { originalCode: String(NUMBERS[result]), originalMessage: words, kind: 'TableDoesNotExist' },
        }),
      },
    }),
  'sqlite3 behind TypeORM and Sequelize': (result, words) =>
    thrown(words, {
      driverError: thrown(words, { code: `SQLITE_${result}` }),
      parent: thrown(words, { errno: NUMBERS[result], code: `SQLITE_${result}` }),
    }),
};

describe.each(Object.entries(CLIENTS))('F132 the result code counts, thrown by %s', (_, wrap) => {
  test.each([
    ['ERROR', 'no such table: nowhere', 'TABLE_NOT_FOUND', true],
    ['ERROR', 'no such column: l.record', 'KEY_SCHEMA', true],
    ['ERROR', 'table locks has no column named version', 'KEY_SCHEMA', true],
    ['ERROR', 'ON CONFLICT clause does not match any PRIMARY KEY or UNIQUE constraint', 'KEY_SCHEMA', true],
    ['ERROR', 'cannot modify locks because it is a view', 'KEY_SCHEMA', true],
    ['ERROR', 'near "RETURNING": syntax error', 'INVALID_REQUEST', true],
    ['ERROR', 'cannot start a transaction within a transaction', 'UNAVAILABLE', true],
    ['BUSY', 'database is locked', 'UNAVAILABLE', true],
    ['LOCKED', 'database table is locked', 'UNAVAILABLE', true],
    ['READONLY', 'attempt to write a readonly database', 'ACCESS_DENIED', true],
    ['READONLY_DBMOVED', 'attempt to write a readonly database', 'INVALID_REQUEST', true],
    ['IOERR', 'disk I/O error', 'UNAVAILABLE', false],
    ['NOMEM', 'out of memory', 'UNAVAILABLE', false],
    ['CORRUPT', 'database disk image is malformed', 'INVALID_REQUEST', true],
    ['FULL', 'database or disk is full', 'UNAVAILABLE', true],
    ['CANTOPEN', 'unable to open database file', 'INVALID_REQUEST', true],
    ['CONSTRAINT_NOTNULL', 'NOT NULL constraint failed: locks.more', 'KEY_SCHEMA', true],
    ['NOTADB', 'file is not a database', 'INVALID_REQUEST', true],
  ])('%s, %s is %s', (result, words, meaning, isUnsent) => {
    expect(judged(SQLITE_ERRORS, wrap(result, words))).toEqual([meaning, isUnsent]);
  });
});

const fetchFailed = (cause: Error) => new TypeError('fetch failed', { cause });

/** Mistakes and outages, by the code and by whether the statement is known not to have been sent. */
const MEANINGS: Meanings = [
  ['TABLE_NOT_FOUND', true, { 'words without a code': thrown('no such table: nowhere') }],
  [
    'INVALID_REQUEST',
    true,
    {
      'a directory, in libSQL': thrown('ConnectionFailed("Unable to open connection to local database /tmp: 14")'),
      'a text that is no URL': thrown("URL_INVALID: The URL 'locks.db' is not in a valid format", {
        code: 'URL_INVALID',
      }),
      'a scheme of another service': thrown('…', { code: 'URL_SCHEME_NOT_SUPPORTED' }),
      'a port that is none': Object.assign(new TypeError('Invalid URL'), { code: 'ERR_INVALID_URL' }),
      'a port that fetch refuses': fetchFailed(new Error('bad port')),
      'a certificate of one’s own': fetchFailed(thrown('x', { code: 'SELF_SIGNED_CERT_IN_CHAIN' })),
      'a database that is not there': thrown('SERVER_ERROR: Server returned HTTP status 404', { code: 'SERVER_ERROR' }),
    },
  ],
  [
    'ACCESS_DENIED',
    true,
    {
      'a token that is refused': thrown('SERVER_ERROR: Server returned HTTP status 401', {
        code: 'SERVER_ERROR',
        cause: thrown('Server returned HTTP status 401', { status: 401 }),
      }),
    },
  ],
  [
    'UNAVAILABLE',
    true,
    {
      'a client of libSQL that is closed': thrown('CLIENT_CLOSED: The client is closed', { code: 'CLIENT_CLOSED' }),
      'a node:sqlite that is closed': thrown('database is not open', { code: 'ERR_INVALID_STATE' }),
      'a statement of libSQL that is open': thrown(
        'SQLITE_BUSY: cannot commit transaction - SQL statements in progress',
        { code: 'SQLITE_BUSY' },
      ),
      'a WebSocket that nobody listens on': thrown('HRANA_WEBSOCKET_ERROR: connect ECONNREFUSED 127.0.0.1:1', {
        code: 'HRANA_WEBSOCKET_ERROR',
        cause: thrown('connect ECONNREFUSED 127.0.0.1:1'),
      }),
    },
  ],
  [
    'UNAVAILABLE',
    false,
    {
      'a server that is busy': thrown('SERVER_ERROR: Server returned HTTP status 503', {
        cause: thrown('x', { status: 503 }),
      }),
      'an answer that is lost': fetchFailed(thrown('read ECONNRESET', { code: 'ECONNRESET', syscall: 'read' })),
      'an answer of another service': thrown('HRANA_PROTO_ERROR: Expected array', { code: 'HRANA_PROTO_ERROR' }),
    },
  ],
];

describe.each(MEANINGS)('F133 %s, surely not sent: %s', (code, isUnsent, errors) => {
  test.each(Object.entries(errors))('%s', (_, error) => {
    expect(judged(SQLITE_ERRORS, error)).toEqual([code, isUnsent]);
  });
});

describe.each([
  'sales-403',
  'http-401',
  'no such table: x',
  'readonly',
  'is locked',
  'unauthorized',
  'forbidden',
  'SQLITE_BUSY: database is locked',
  ': SQLITE_READONLY',
  'database is not open',
  'x - no such table: y',
  'connect ECONNREFUSED',
  'Server returned HTTP status 401',
  '",syntax error',
])('F134 a lost answer for a lock named %j', (name) => {
  test.each<[string, unknown]>([
    [
      'Drizzle',
      thrown(`Failed query: UPDATE …\nparams: {},${name},1`, {
        cause: thrown('fetch failed', { cause: thrown('other side closed', { code: 'UND_ERR_SOCKET' }) }),
      }),
    ],
    ['Drizzle, its message alone', thrown(`Failed query: UPDATE …\nparams: {},${name}`)],
    ['D1', thrown('D1_ERROR: Network connection lost.', { cause: thrown('Network connection lost.') })],
    ['Knex', thrown(`update "locks" set … where name = '${name}'`)],
    ['a client of one’s own', thrown(`no answer to ${name} from https://${name}.example`)],
    ['a path in a message', thrown(`request to /v2/${name} failed`, { code: 'ETIMEDOUT' })],
  ])('behind %s proves nothing', (_, error) => {
    expect(judged(SQLITE_ERRORS, error)).toEqual(['UNAVAILABLE', false]);
  });
});
