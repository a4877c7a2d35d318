import { postgresTable } from 'single-execution/postgres';
import { describe, expect, test } from 'vitest';
import { POSTGRES_ERRORS } from '../../../src/stores/postgres/postgres-errors.js';
import { explain } from '../../../src/stores/sql/sql-errors.js';
import { eachOf, judged, type Meanings, thrown } from '../sql/judged.js';

const words: Readonly<Record<string, string>> = {
  '42P01': 'relation "locks" does not exist',
  '08006': 'connection failure',
};
/** An error of the server, as pg 8.23.1 throws it. */
const ofPg = (code: string) => thrown(words[code] ?? 'no', { name: 'error', severity: 'ERROR', code });

/*
 * Errors as these packages threw them on PostgreSQL 15, for a statement on a table that is not there: only the
 * properties that matter. pg 8.23.1, pg-promise 12.7.1, Kysely 0.28.19, Slonik 47.3.2 and MikroORM 7.2.5 pass on the
 * error of pg; Knex 3.3.0 puts the statement before its message. Entries without a version were not run: they follow
 * what those packages document.
 */
const WRAPPERS: Readonly<Record<string, (code: string) => unknown>> = {
  'pg 8.23.1': ofPg,
  'postgres 3.4.9': (code) => thrown('no', { name: 'PostgresError', code, parameters: ['sales-403'] }),
  'Drizzle 0.45.4': (code) =>
    thrown('Failed query: SELECT record FROM "locks" WHERE name = $1\nparams: sales-403', { cause: ofPg(code) }),
  'Drizzle in a transaction of somebody’s own': (code) =>
    thrown('job failed', { cause: thrown('Failed query: …\nparams: x', { cause: ofPg(code) }) }),
  'TypeORM 1.1.1': (code) => thrown('no', { name: 'QueryFailedError', driverError: ofPg(code), code }),
  'TypeORM, its own error only': (code) => thrown('no', { driverError: ofPg(code) }),
  'Sequelize 6.37.8': (code) =>
    thrown('no', { name: 'SequelizeDatabaseError', parent: ofPg(code), original: ofPg(code), sql: 'SELECT' }),
  'Knex 3.3.0': (code) => thrown('SELECT record FROM "locks" WHERE name = $1 - no', { code }),
  'Objection (db-errors)': (code) => thrown('no', { name: 'DBError', nativeError: ofPg(code) }),
  'a MikroORM of version 5': (code) => thrown('no', { name: 'DriverException', previous: ofPg(code) }),
  'Prisma 7.10.1 with @prisma/adapter-pg': (code) =>
    thrown(
      `\nInvalid \`prisma.$queryRawUnsafe()\` invocation:\n\n\nRaw query failed. Code: \`${code}\`. Message: \`no\``,
      {
        name: 'PrismaClientKnownRequestError',
        code: 'P2010',
        meta: {
          driverAdapterError: thrown('TableDoesNotExist', {
            name: 'DriverAdapterError',
            cause: { originalCode: code, originalMessage: words[code] ?? 'no', kind: 'TableDoesNotExist' },
          }),
        },
      },
    ),
  'a Prisma of version 6 with its own engine': (code) =>
    thrown('Raw query failed', { code: 'P2010', meta: { code, message: 'no' } }),
  'SQL of Bun 1.4.5': (code) =>
    thrown('no', { name: 'PostgresError', code: 'ERR_POSTGRES_SERVER_ERROR', errno: code, severity: 'ERROR' }),
  'a client that keeps the fields apart': (code) => thrown('no', { fields: { code, severity: 'ERROR' } }),
  'an AggregateError': (code) => new AggregateError([ofPg(code)], 'all failed'),
};

describe.each(Object.entries(WRAPPERS))('F132 the SQLSTATE counts, thrown by %s', (_, wrap) => {
  test.each(
    eachOf([
      ['TABLE_NOT_FOUND', true, ['42P01']],
      ['ACCESS_DENIED', true, ['42501', '28P01']],
      ['KEY_SCHEMA', true, ['42703', '22P02', '23502']],
      ['INVALID_REQUEST', true, ['3D000']],
      ['UNAVAILABLE', true, ['40001', '40P01', '53300', '57P03', '25006', '57014']],
      ['UNAVAILABLE', false, ['08006', '57P01', 'XX000', '40003']],
    ]),
  )('%s is %s', (code, meaning, isUnsent) => {
    const error = wrap(String(code));

    expect(judged(POSTGRES_ERRORS, error)).toEqual([meaning, isUnsent]);
    expect(explain(POSTGRES_ERRORS, error, '"locks"').why).toContain(`(${code})`);
  });
});

const typeError = (message: string, more: object) => Object.assign(new TypeError(message), more);
const ofPrisma = (kind: string) =>
  thrown('Raw query failed', { code: 'P2010', meta: { driverAdapterError: thrown(kind, { cause: { kind } }) } });
/** Neon over HTTP, which has the error of fetch inside. */
const ofNeon = (message: string, cause: Error) =>
  thrown(`Error connecting to database: TypeError: ${message}`, {
    name: 'NeonDbError',
    sourceError: typeError(message, { cause }),
  });
const notFound = (hostname: string) => thrown(`getaddrinfo ENOTFOUND ${hostname}`, { code: 'ENOTFOUND', hostname });

// As pg 8.23.1, postgres 3.4.9, Bun 1.4.5, Prisma 7.10.1 and Neon 1.2.0 threw them. P1003 and Knex's were not run.
const MEANINGS: Meanings = [
  [
    'INVALID_REQUEST',
    true,
    {
      'TLS that the server does not speak': thrown('The server does not support SSL connections'),
      'the same in Bun': thrown('Server does not support SSL', { code: 'ERR_POSTGRES_TLS_NOT_AVAILABLE' }),
      'TLS in Prisma': ofPrisma('TlsConnectionError'),
      'TLS in Neon': ofNeon('fetch failed', thrown('x', { code: 'ERR_SSL_WRONG_VERSION_NUMBER' })),
      'a certificate of one’s own': thrown('self-signed certificate', { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' }),
      'a certificate of another host': thrown('Hostname/IP …', { code: 'ERR_TLS_CERT_ALTNAME_INVALID' }),
      'the same behind Sequelize': thrown('x', { parent: thrown('x', { code: 'SELF_SIGNED_CERT_IN_CHAIN' }) }),
      'a certificate file that is not there': thrown('x', { code: 'ENOENT', syscall: 'open', path: '/nowhere.pem' }),
      'a URL without a scheme, in pg': notFound('base'),
      'a URL without a scheme, in postgres.js': typeError('Invalid URL', { code: 'ERR_INVALID_URL' }),
      'a URL without a scheme, in Neon': ofNeon('no URL', thrown('Invalid URL', { code: 'ERR_INVALID_URL' })),
      'no URL, in @vercel/postgres 0.10.0': thrown('VercelPostgresError', { code: 'missing_connection_string' }),
      'a URL with a wrong escape': new URIError('URI malformed'),
      'a host with a blank': notFound('ho st'),
      'a database that is not there, in an older Prisma': thrown('x', { errorCode: 'P1003' }),
    },
  ],
  [
    'ACCESS_DENIED',
    true,
    {
      'a login that pg was refused': thrown("password authentication failed for user 'u'"),
      'a login that Neon was refused': thrown('Server error (HTTP status 401): {"message":"nope"}'),
      'no password': thrown('SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string'),
    },
  ],
  [
    'UNAVAILABLE',
    true,
    {
      'a port that nobody listens on': thrown('connect ECONNREFUSED 127.0.0.1:1', { code: 'ECONNREFUSED' }),
      'the same in Bun': thrown('Failed to connect', { code: 'ERR_POSTGRES_CONNECTION_REFUSED' }),
      'the same in Prisma': ofPrisma('DatabaseNotReachable'),
      'a host that Neon cannot reach': ofNeon('fetch failed', notFound('db.example')),
      'a host that is not known': notFound('db.example'),
      'a pool that is full': thrown('timeout exceeded when trying to connect'),
      'a connection that takes too long': thrown('Connection terminated due to connection timeout'),
      'a pool that has ended': thrown('Cannot use a pool after calling end on the pool'),
      'a client that has ended': thrown('Client was closed and is not queryable'),
      'postgres.js after its end': thrown('write CONNECTION_ENDED 127.0.0.1:5432', { code: 'CONNECTION_ENDED' }),
      'Knex without a free connection': thrown('Timeout acquiring a connection.', { name: 'KnexTimeoutError' }),
      'too many connections': ofPg('53300'),
    },
  ],
  [
    'UNAVAILABLE',
    false,
    {
      'a connection that ended': thrown('Connection terminated unexpectedly'),
      'a reset': thrown('read ECONNRESET', { code: 'ECONNRESET', syscall: 'read' }),
      'a closed connection in Bun': thrown('Connection closed', { code: 'ERR_POSTGRES_CONNECTION_CLOSED' }),
      'EPIPE, which has five characters like an SQLSTATE': thrown('write EPIPE', { code: 'EPIPE', syscall: 'write' }),
      'Neon’s proxy': thrown('Server error (HTTP status 503): busy', { name: 'NeonDbError', code: null }),
      'an answer that Neon cannot read': new SyntaxError('Unexpected token \'<\', "<html>" is not valid JSON'),
      'an error of Prisma': thrown('x', { code: 'P2010' }),
    },
  ],
];

describe.each(MEANINGS)('F133 %s, surely not sent: %s', (code, isUnsent, errors) => {
  test.each(Object.entries(errors))('%s', (_, error) => {
    expect(judged(POSTGRES_ERRORS, error)).toEqual([code, isUnsent]);
  });
});

test.each([
  'no such table',
  'connect ECONNREFUSED',
  'timeout exceeded when trying to connect',
  'is not queryable',
  'SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string',
  'Invalid URL',
  'self-signed certificate',
])('F134 a lost answer for a lock named %j proves nothing', (name) => {
  const lost = thrown('Connection terminated unexpectedly');
  const drizzle = thrown(`Failed query: UPDATE "locks" SET …\nparams: {},${name},1`, { cause: lost });
  const knex = thrown(`update "locks" … '${name}' - Connection terminated unexpectedly`);
  const alone = thrown(`Failed query: UPDATE …\nparams: ${name}`);

  for (const error of [drizzle, knex, alone]) expect(judged(POSTGRES_ERRORS, error)).toEqual(['UNAVAILABLE', false]);
});

describe('F133 the remedy fits', () => {
  const denied = (what: string) => thrown(`permission denied for ${what}`, { code: '42501' });

  test.each<[string, unknown, string, string?]>([
    [
      'a right to the table',
      denied('table locks'),
      'no right to table "locks" (UPDATE was refused): GRANT SELECT, INSERT, UPDATE ON "locks" TO the role of this client (42501)',
      'UPDATE "locks" SET',
    ],
    [
      'a right to the schema',
      denied('schema jobs'),
      'no right to the schema of table "locks": GRANT USAGE ON that SCHEMA TO the role of this client (42501)',
      'SELECT l.record',
    ],
    [
      'a right to make a table',
      denied('schema jobs'),
      'no right to the schema of table "locks": GRANT CREATE ON that SCHEMA TO the role of this client (42501)',
      'CREATE TABLE IF NOT EXISTS',
    ],
    [
      'a right to the database',
      denied('database jobs'),
      'no right to this database: GRANT CONNECT ON that DATABASE TO the role of this client (42501)',
    ],
    [
      'row level security',
      thrown('new row violates …', { code: '42501', routine: 'ExecWithCheckOptions' }),
      'row level security of table "locks" refuses the row: turn it off for this table (42501)',
    ],
    [
      'a server that wants TLS',
      thrown('no pg_hba.conf entry for host "10.0.0.1", user "jobs", database "jobs", no encryption', {
        code: '28000',
      }),
      'Postgres lets this user in with TLS only: set ssl, or sslmode=require, for the client (28000)',
    ],
    [
      'a host that is not known',
      thrown('getaddrinfo ENOTFOUND db.example', { code: 'ENOTFOUND', hostname: 'db.example' }),
      'the host of Postgres was not found: check its name, and the name server (ENOTFOUND)',
    ],
  ])('%s', (_, error, why, statement) => {
    expect(explain(POSTGRES_ERRORS, error, '"locks"', statement).why).toBe(why);
  });
});

test('F133 a name that Postgres would cut off is refused with its length', () => {
  expect(() => postgresTable('ä'.repeat(31))).not.toThrow();
  expect(() => postgresTable('x'.repeat(63))).not.toThrow();
  expect(() => postgresTable('ä'.repeat(32))).toThrow(
    new TypeError(
      `table has the name '${'ä'.repeat(32)}' of 64 bytes: Postgres cuts names off after 63; use a shorter one`,
    ),
  );
});
