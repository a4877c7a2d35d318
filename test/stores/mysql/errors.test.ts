import { describe, expect, onTestFinished, test } from 'vitest';
import { askMysql } from '../../../src/stores/mysql/mysql-client.js';
import { MYSQL_ERRORS } from '../../../src/stores/mysql/mysql-errors.js';
import { explain } from '../../../src/stores/sql/sql-errors.js';
import { untilUnhandledAreTold } from '../../support/settled.js';
import { eachOf, judged, type Meanings, thrown } from '../sql/judged.js';

/** Errors as these packages throw them: only the properties that matter. PlanetScale was not run. */
const CLIENTS: Readonly<Record<string, (errno: number, words: string) => unknown>> = {
  'mysql2 3.24.6': (errno, words) => thrown(words, { code: 'ER_X', errno, sqlState: 'HY000' }),
  'mariadb 3.5.4': (errno, words) =>
    thrown(`(conn:5, no: ${errno}, SQLState: HY000) ${words}`, { code: 'ER_X', errno }),
  '@planetscale/database 1.20.2': (errno, words) =>
    thrown(`target: x: vttablet: rpc error: ${words} (errno ${errno}) (sqlstate HY000)`, { name: 'DatabaseError' }),
  Drizzle: (errno, words) => thrown('Failed query: …', { cause: thrown(words, { code: 'ER_X', errno }) }),
  Sequelize: (errno, words) => thrown(words, { parent: thrown(words, { errno }), original: thrown(words, { errno }) }),
  'Prisma before driver adapters': (errno, words) =>
    thrown('Raw query failed', { code: 'P2010', meta: { code: String(errno), message: words } }),
  'Prisma 7.10.1': (errno, words) => {
    const cause = { originalCode: String(errno), originalMessage: words, kind: 'mysql', code: errno, message: words };
    return thrown('Raw query failed', { code: 'P2010', meta: { driverAdapterError: thrown(words, { cause }) } });
  },
};

describe.each(Object.entries(CLIENTS))('F132 the number counts, thrown by %s', (_, wrap) => {
  test.each(
    eachOf([
      ['ACCESS_DENIED', true, [1142, 1044, 1045, 1130]],
      ['TABLE_NOT_FOUND', true, [1146]],
      ['INVALID_REQUEST', true, [1049, 1046, 1665, 1064, 1059, 1102, 1103, 1300, 1175, 1251, 3159]],
      ['KEY_SCHEMA', true, [1054, 1364, 1406, 1644, 1356, 1449, 1526]],
      ['UNAVAILABLE', true, [1290, 1040, 1205, 1213, 1461, 1615]],
      ['UNAVAILABLE', false, [1053, 1927, 2013]],
    ]),
  )('%s is %s', (errno, meaning, isUnsent) => {
    const error = wrap(Number(errno), 'in words');

    expect(judged(MYSQL_ERRORS, error)).toEqual([meaning, isUnsent]);
    expect(explain(MYSQL_ERRORS, error, '`locks`').why).toContain(`(${errno})`);
  });
});

const MEANINGS: Meanings = [
  [
    'INVALID_REQUEST',
    true,
    {
      'TLS that the server does not speak': thrown('x', { code: 'HANDSHAKE_NO_SSL_SUPPORT' }),
      'a certificate of one’s own, in mysql2': thrown('self-signed', { code: 'HANDSHAKE_SSL_ERROR' }),
      'a certificate of one’s own': thrown('self-signed', { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' }),
    },
  ],
  [
    'UNAVAILABLE',
    true,
    {
      'a port that nobody listens on': thrown('connect ECONNREFUSED', { code: 'ECONNREFUSED', syscall: 'connect' }),
      'a host that is not known': thrown('x', { code: 'ENOTFOUND', errno: -3008, syscall: 'getaddrinfo' }),
      'a pool of mysql2 that has ended': thrown('Pool is closed.'),
      'a pool of mariadb that has ended': thrown('closed', { code: 'ER_POOL_ALREADY_CLOSED', errno: 45027 }),
    },
  ],
  [
    'UNAVAILABLE',
    false,
    {
      'an answer that is lost': thrown('read ECONNRESET', { code: 'ECONNRESET', syscall: 'read', errno: -104 }),
      'the same in mysql2': thrown('Connection lost: …', { code: 'PROTOCOL_CONNECTION_LOST', fatal: true }),
      'a connection of mariadb that broke': thrown('socket', { code: 'ER_SOCKET_UNEXPECTED_CLOSE', errno: 45026 }),
    },
  ],
];

describe.each(MEANINGS)('F133 %s, surely not sent: %s', (code, isUnsent, errors) => {
  test.each(Object.entries(errors))('%s', (_, error) => {
    expect(judged(MYSQL_ERRORS, error)).toEqual([code, isUnsent]);
  });
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

const broken = (): never => {
  throw new Error('broken');
};
const silent = () => new Promise<never>(() => undefined);

// No real client fails in these ways at once; one that a tracing agent has wrapped can.
test.concurrent.each<[string, string, object]>([
  ['execute', 'broken', { execute: broken }],
  ['destroy', 'no answer within', { execute: silent, destroy: broken }],
  ['ping', 'no answer within', { execute: silent, ping: broken, batch: broken }],
])('F209 a connection whose %s throws goes back to its pool, and nothing else ends', async (_, words, more) => {
  const uncaught: unknown[] = [];
  const note = (error: unknown) => uncaught.push(error);
  for (const event of ['unhandledRejection', 'uncaughtException']) {
    process.on(event, note);
    onTestFinished(() => void process.off(event, note));
  }
  let released = 0;
  const connection = { ...more, release: () => void released++ };
  const pool = { execute: broken, Promise, getConnection: async () => connection };

  await expect(askMysql(pool)({ text: 'SELECT 1', values: [] })).rejects.toThrow(words);
  await untilUnhandledAreTold();
  expect({ released, uncaught }).toEqual({ released: 1, uncaught: [] });
});
