import { CorruptLockError, LockHeldError, LockLostError, LockStoreError, RunEndedError } from 'single-execution';
import { describe, expect, test, vi } from 'vitest';
import { toStoreError } from '../../../src/core/public/errors.js';

const cause = new Error('socket hang up');
const storeError = new LockStoreError('acquire of lock "digest" failed: timed out', {
  code: 'UNAVAILABLE',
  lockName: 'digest',
  operation: 'acquire',
  retryable: true,
  cause,
});
const skipped = { status: 'skipped', name: 'digest', reason: 'locked' } as const;
const holder = {
  lockedBy: 'digest 7 eu-west-1',
  lockedAt: '2026-01-01T00:00:00.000Z',
  lockUntil: '2026-01-01T00:01:00.000Z',
  fencingToken: 5,
};

test.each<[Error, object, message: string]>([
  [
    storeError,
    { name: 'LockStoreError', code: 'UNAVAILABLE', operation: 'acquire', retryable: true, cause },
    'acquire of lock "digest" failed: timed out',
  ],
  [new LockHeldError(skipped), { code: 'LOCK_HELD', skipped }, 'run of lock "digest" skipped: locked'],
  [
    new LockHeldError({ ...skipped, holder }),
    { name: 'LockHeldError', skipped: { ...skipped, holder } },
    'run of lock "digest" skipped: locked, held by digest 7 eu-west-1 until 2026-01-01T00:01:00.000Z',
  ],
  [
    new LockLostError('digest', 'its lease is over'),
    { name: 'LockLostError', code: 'LOCK_LOST' },
    'lock "digest" is not held by this run: its lease is over; stop writing, or guard each write with the fencing token',
  ],
  [
    new RunEndedError('digest', 'MAX_HOLD', 'it was held for 2h'),
    { name: 'RunEndedError', code: 'MAX_HOLD' },
    'run under lock "digest" must end: it was held for 2h',
  ],
  [
    new CorruptLockError('digest', 'lockUntil', 'the number 5', cause),
    { name: 'CorruptLockError', code: 'CORRUPT_LOCK', attribute: 'lockUntil', cause },
    'record of lock "digest" is corrupt: lockUntil is the number 5; remove that attribute from the record, or set it right, by hand',
  ],
])('%s has a stable code and names the lock', (error, fields, message) => {
  expect(error).toBeInstanceOf(Error);
  expect(error).toMatchObject({ ...fields, lockName: 'digest' });
  expect(error.message).toBe(message);
  expect(error.stack).toContain('errors.test.ts');
});

test('an error without a cause has none', () => {
  const details = { code: 'LATE', lockName: 'digest', operation: 'acquire', retryable: true } as const;

  expect('cause' in new LockStoreError('late', details)).toBe(false);
  expect('cause' in new CorruptLockError('digest', 'v', 'the number 5')).toBe(false);
});

describe('toStoreError', () => {
  test.each([storeError, new CorruptLockError('digest', 'v', 'the number 5')])('passes %s by identity', (error) => {
    expect(toStoreError(error, 'acquire', 'digest')).toBe(error);
  });

  test.each<[unknown, string]>([
    [new TypeError('secret'), 'TypeError'],
    [Object.assign(new Error('secret'), { name: 'ThrottlingException' }), 'ThrottlingException'],
    ['secret', 'string'],
    [{ password: 'secret' }, 'object'],
    [null, 'object'],
    [undefined, 'undefined'],
  ])('F89 row 50: wraps %o with its name and cause, and repeats nothing of its message', (thrown, name) => {
    const error = toStoreError(thrown, 'release', 'digest');

    expect(error).toMatchObject({
      name: 'LockStoreError',
      message: `release of lock "digest" failed: ${name}; see the cause`,
      code: 'UNAVAILABLE',
      lockName: 'digest',
      operation: 'release',
      retryable: true,
    });
    expect(error.cause).toBe(thrown);
  });
});

describe('row 95: instanceof, if a process has loaded the library twice', () => {
  const details = { code: 'LATE', lockName: 'digest', operation: 'acquire', retryable: false } as const;
  const errors = (library: typeof import('single-execution')): Readonly<Record<string, Error>> => ({
    LockStoreError: new library.LockStoreError('late', details),
    LockHeldError: new library.LockHeldError(skipped),
    LockLostError: new library.LockLostError('digest', 'its lease is over'),
    RunEndedError: new library.RunEndedError('digest', 'MAX_HOLD', 'it was held for 2h'),
    CorruptLockError: new library.CorruptLockError('digest', 'lockUntil', 'the number 5'),
  });
  const classes = { LockStoreError, LockHeldError, LockLostError, RunEndedError, CorruptLockError };
  const secondCopy = async () => {
    vi.resetModules();
    return import('single-execution');
  };

  test.each(Object.entries(classes))('%s knows its errors of both copies, and no others', async (name, type) => {
    const other = await secondCopy();
    expect(other.LockStoreError).not.toBe(LockStoreError);

    for (const library of [{ ...classes } as typeof other, other]) {
      for (const [made, error] of Object.entries(errors(library))) expect(error instanceof type).toBe(made === name);
    }
    for (const stranger of [new Error('x'), { name }, name, null, undefined])
      expect(stranger instanceof type).toBe(false);
  });

  test('a class that extends one of them knows its own errors only', async () => {
    class TableIsFull extends LockStoreError {}
    const other = await secondCopy();
    const own = new TableIsFull('full', details);

    expect(own).toBeInstanceOf(TableIsFull);
    expect(own).toBeInstanceOf(other.LockStoreError);
    expect(storeError instanceof TableIsFull).toBe(false);
    expect(new other.LockStoreError('late', details) instanceof TableIsFull).toBe(false);
  });

  test('what a store of the other copy throws passes as it is', async () => {
    const { LockStoreError: OtherError } = await secondCopy();
    const thrown = new OtherError('late', details);

    expect(toStoreError(thrown, 'acquire', 'digest')).toBe(thrown);
  });

  test('the mark is not seen where an error is printed or compared', () => {
    expect(Reflect.ownKeys({ ...storeError })).toEqual(['name', 'code', 'lockName', 'operation', 'retryable']);
  });
});
