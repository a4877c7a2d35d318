import { expect, test } from 'vitest';
import { MYSQL_ERRORS } from '../../../src/stores/sql/mysql-errors.js';
import { explain } from '../../../src/stores/sql/sql-errors.js';

const thrown = (message: string, more: object = {}) => Object.assign(new Error(message), more);

/** Errors as these packages throw them: only the properties that matter. PlanetScale and Prisma were not run. */
const CLIENTS: Readonly<Record<string, (errno: number, words: string) => unknown>> = {
  'mysql2 3.24.6': (errno, words) => thrown(words, { code: 'ER_X', errno, sqlState: 'HY000' }),
  'mariadb 3.5.4': (errno, words) =>
    thrown(`(conn:5, no: ${errno}, SQLState: HY000) ${words}`, { code: 'ER_X', errno }),
  '@planetscale/database 1.20.2': (errno, words) =>
    thrown(`target: x: vttablet: rpc error: ${words} (errno ${errno}) (sqlstate HY000)`, { name: 'DatabaseError' }),
  Drizzle: (errno, words) => thrown('Failed query: …', { cause: thrown(words, { code: 'ER_X', errno }) }),
  Sequelize: (errno, words) => thrown(words, { parent: thrown(words, { errno }), original: thrown(words, { errno }) }),
  Prisma: (errno, words) =>
    thrown('Raw query failed', { code: 'P2010', meta: { code: String(errno), message: words } }),
};

test.each(
  Object.entries(CLIENTS).flatMap(([client, wrap]) =>
    (
      [
        [1142, 'ACCESS_DENIED', true],
        [1044, 'ACCESS_DENIED', true],
        [1045, 'ACCESS_DENIED', true],
        [1146, 'TABLE_NOT_FOUND', true],
        [1049, 'INVALID_REQUEST', true],
        [1046, 'INVALID_REQUEST', true],
        [1054, 'KEY_SCHEMA', true],
        [1364, 'KEY_SCHEMA', true],
        [1406, 'KEY_SCHEMA', true],
        [1644, 'KEY_SCHEMA', true],
        [1290, 'UNAVAILABLE', true],
        [1040, 'UNAVAILABLE', true],
        [1205, 'UNAVAILABLE', true],
        [1213, 'UNAVAILABLE', true],
        [1461, 'UNAVAILABLE', true],
        [1615, 'UNAVAILABLE', true],
        [1665, 'INVALID_REQUEST', true],
        [1064, 'INVALID_REQUEST', true],
        [1059, 'INVALID_REQUEST', true],
        [1102, 'INVALID_REQUEST', true],
        [1103, 'INVALID_REQUEST', true],
        [1175, 'INVALID_REQUEST', true],
        [1251, 'INVALID_REQUEST', true],
        [3159, 'INVALID_REQUEST', true],
        [1130, 'ACCESS_DENIED', true],
        [1356, 'KEY_SCHEMA', true],
        [1449, 'KEY_SCHEMA', true],
        [1526, 'KEY_SCHEMA', true],
        [1053, 'UNAVAILABLE', false],
        [1927, 'UNAVAILABLE', false],
        [2013, 'UNAVAILABLE', false],
      ] as const
    ).map(([errno, code, isUnsent]) => ({ client, errno, code, isUnsent, error: wrap(errno, 'in words') })),
  ),
)('F132 $errno of $client is $code', ({ error, errno, code, isUnsent }) => {
  const judged = explain(MYSQL_ERRORS, error, '`locks`');

  expect([judged.code, judged.isUnsent ?? false]).toEqual([code, isUnsent]);
  expect(judged.why).toContain(`(${errno})`);
});

test.each<[string, unknown, string, boolean]>([
  [
    'a port that nobody listens on',
    thrown('connect ECONNREFUSED', { code: 'ECONNREFUSED', syscall: 'connect' }),
    'UNAVAILABLE',
    true,
  ],
  [
    'a host that is not known',
    thrown('getaddrinfo ENOTFOUND nowhere.invalid', { code: 'ENOTFOUND', errno: -3008, syscall: 'getaddrinfo' }),
    'UNAVAILABLE',
    true,
  ],
  [
    'an answer that is lost',
    thrown('read ECONNRESET', { code: 'ECONNRESET', syscall: 'read', errno: -104 }),
    'UNAVAILABLE',
    false,
  ],
  [
    'the same in mysql2',
    thrown('Connection lost: The server closed the connection.', { code: 'PROTOCOL_CONNECTION_LOST', fatal: true }),
    'UNAVAILABLE',
    false,
  ],
  ['a pool of mysql2 that has ended', thrown('Pool is closed.'), 'UNAVAILABLE', true],
  [
    'a pool of mariadb that has ended',
    thrown('pool is closed', { code: 'ER_POOL_ALREADY_CLOSED', errno: 45027 }),
    'UNAVAILABLE',
    true,
  ],
  [
    'a connection of mariadb that broke',
    thrown('socket', { code: 'ER_SOCKET_UNEXPECTED_CLOSE', errno: 45026 }),
    'UNAVAILABLE',
    false,
  ],
  ['TLS that the server does not speak', thrown('x', { code: 'HANDSHAKE_NO_SSL_SUPPORT' }), 'INVALID_REQUEST', true],
  [
    'a certificate of one’s own, in mysql2',
    thrown('self-signed', { code: 'HANDSHAKE_SSL_ERROR' }),
    'INVALID_REQUEST',
    true,
  ],
  [
    'a certificate of one’s own',
    thrown('self-signed', { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' }),
    'INVALID_REQUEST',
    true,
  ],
])('F133 %s', (_, error, code, isUnsent) => {
  const judged = explain(MYSQL_ERRORS, error, '`locks`');

  expect([judged.code, judged.isUnsent ?? false]).toEqual([code, isUnsent]);
});

test.each(['(errno 1146) (sqlstate 42S02)', 'Pool is closed.', '1146', 'connect ECONNREFUSED'])(
  'F134 a lost answer for a lock named %j proves nothing',
  (name) => {
    expect(explain(MYSQL_ERRORS, thrown(`Failed query: UPDATE …\nparams: {},${name},1`), '`locks`')).toMatchObject({
      code: 'UNAVAILABLE',
      why: expect.stringContaining('no clear answer'),
    });
  },
);
