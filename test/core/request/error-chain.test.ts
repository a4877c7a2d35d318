import { describe, expect, test } from 'vitest';
import { isUnsentBehind, judgeAll } from '../../../src/core/request/error-chain.js';
import { POSTGRES_ERRORS } from '../../../src/stores/postgres/postgres-errors.js';
import { explain } from '../../../src/stores/sql/sql-errors.js';
import { SQLITE_ERRORS } from '../../../src/stores/sqlite/sqlite-errors.js';

const refused = (more: object = {}) =>
  Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:5432'), {
    code: 'ECONNREFUSED',
    syscall: 'connect',
    ...more,
  });
const reset = () => Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET', syscall: 'read' });
const wrapped = (cause: unknown, message = 'fetch failed') => new Error(message, { cause });
const several = (...errors: unknown[]) => new AggregateError(errors, 'all failed');

describe('F132 a request is unsent if a network error behind any wrapper proves it', () => {
  test.each<[string, unknown]>([
    ['the error itself', refused()],
    ['a cause of causes', wrapped(wrapped(wrapped(refused())))],
    ['Sequelize', Object.assign(new Error('x'), { parent: refused(), original: refused() })],
    ['TypeORM', Object.assign(new Error('x'), { driverError: refused() })],
    ['both addresses of a host', wrapped(several(refused(), refused({ code: 'ETIMEDOUT' })))],
    ['words alone, with a client’s code before them', new Error('HRANA_WEBSOCKET_ERROR: connect ECONNREFUSED ::1:80')],
    ['no TLS at all', new Error('Client network socket disconnected before secure TLS connection was established')],
  ])('%s', (_, error) => {
    expect(isUnsentBehind(error)).toBe(true);
  });

  test.each<[string, unknown]>([
    ['an open connection', reset()],
    ['an open connection to a host that went away', wrapped(Object.assign(reset(), { code: 'EHOSTUNREACH' }))],
    ['a code on the wrapper of an open connection', Object.assign(wrapped(reset()), { code: 'EHOSTUNREACH' })],
    ['one of several tries', wrapped(several(refused(), reset()))],
    ['the other of several tries', several(reset(), refused())],
    ['the name of a lock in a statement', new Error("insert … values ('connect ECONNREFUSED') - lost")],
    ['nothing', undefined],
    ['a text', 'connect ECONNREFUSED'],
  ])('but not %s', (_, error) => {
    expect(isUnsentBehind(error)).toBe(false);
  });
});

describe('F132 any thrown value can be walked', () => {
  const cycle: { cause?: unknown; errors?: unknown; name: string } = { name: 'AggregateError' };
  cycle.cause = cycle;
  cycle.errors = [cycle, cycle];
  const deep = Array.from({ length: 5_000 }).reduce<unknown>((cause) => ({ cause, meta: { cause } }), reset());
  const throwing = new Proxy(
    {},
    {
      get() {
        throw new Error('no');
      },
    },
  );

  const revoked = Proxy.revocable<unknown[]>([], {});
  revoked.revoke();

  test.each<[string, unknown]>([
    ['a cycle', cycle],
    ['a list of errors that cannot be read', { name: 'AggregateError', errors: revoked.proxy }],
    ['a list of errors that is none', { name: 'AggregateError', errors: 7 }],
    ['a deep chain', deep],
    ['getters that throw', throwing],
    ['getters that throw in a cause', wrapped(throwing)],
    ['null as a cause', { cause: null }],
  ])('%s', (_, error) => {
    const unclear = { code: 'UNAVAILABLE', why: expect.stringMatching(/^no clear answer from .*; try again$/) };

    expect(isUnsentBehind(error)).toBe(false);
    for (const database of [POSTGRES_ERRORS, SQLITE_ERRORS]) {
      expect(explain(database, error, '"t"')).toEqual(unclear);
    }
  });
});

test('F132 of several tries the one that leaves a doubt decides, else the first', () => {
  const judge = ([error]: readonly unknown[]) => ({ error, isUnsent: error !== 'lost' });

  expect(judgeAll(several('a', 'lost', 'b'), judge).error).toBe('lost');
  expect(judgeAll(several('a', 'b'), judge).error).toBe('a');
  expect(judgeAll('alone', judge).error).toBe('alone');
});
