import { acquireLock, DeadlineError, executeWithLock, LockLostError } from 'single-execution';
import { describe, expect, test } from 'vitest';
import { keptLocks } from '../../support/kept-locks.js';
import { MINUTE, memoryLocks, NOW } from '../../support/memory-locks.js';
import { pass } from '../../support/pass.js';

describe('a handle over time', () => {
  test('row 21: with keepAlive it is renewed until it is released', async () => {
    const { clock, options, extendedAt, item } = keptLocks();
    const lock = await acquireLock(options);
    await clock.advance(5 * MINUTE);
    expect(() => lock.assertHeld()).not.toThrow();
    expect(await item()).toMatchObject({ state: 'held' });
    const renewals = extendedAt.length;

    expect(await lock.release()).toBe('released');
    await clock.advance(5 * MINUTE);
    expect([renewals, extendedAt.length]).toEqual([15, 15]);
  });

  test('row 23: F39 forgotten, with keepAlive it keeps its lock until maxHold, and its signal says so', async () => {
    const { clock, store, options } = keptLocks();
    const lock = await acquireLock({ ...options, maxHold: '10m' });
    await clock.advance(10 * MINUTE);
    expect(lock.signal.reason).toEqual(new DeadlineError('digest', 'MAX_HOLD', 'it has held its lock for maxHold'));
    await clock.advance(MINUTE);

    expect(await executeWithLock(() => 'next', { ...options, store })).toMatchObject({ value: 'next' });
  });

  test('row 25: forgotten, without keepAlive it loses its lock at the end of the lease', async () => {
    const { clock, options } = memoryLocks();
    const lock = await acquireLock(options);
    await clock.advance(MINUTE);

    expect(lock.signal.reason).toEqual(new LockLostError('digest', 'its lease is over'));
    expect(() => lock.assertHeld()).toThrow(LockLostError);
    expect(await executeWithLock(() => 'next', options)).toMatchObject({ value: 'next' });
    expect(await lock.release()).toBe('lost');
  });

  test('row 24: its lockUntil moves when it is extended', async () => {
    const { clock, options } = memoryLocks();
    const lock = await acquireLock(options);
    await clock.advance(30_000);
    await lock.extend('5m');

    expect(lock.lockUntil).toEqual(new Date(NOW + 330_000));
    await clock.advance(5 * MINUTE - 5_000);
    expect(() => lock.assertHeld()).not.toThrow();
  });

  test('row 24: F36 released, it is extended no more', async () => {
    const { options, extendedAt } = keptLocks();
    const lock = await acquireLock(options);
    await lock.release();

    await expect(lock.extend('5m')).rejects.toThrow(new LockLostError('digest', 'the run has ended'));
    expect(() => lock.assertHeld()).toThrow(new LockLostError('digest', 'the run has ended'));
    expect(extendedAt).toEqual([]);
  });

  test('row 32: a release that fails is reported as unknown, and does not reject', async () => {
    const { options } = keptLocks({ release: 'lose-request' });
    const lock = await acquireLock(options);

    expect(await lock.release()).toBe('unknown');
  });

  test('row 26: with a deadline its signal aborts in time', async () => {
    const { clock, options } = memoryLocks();
    const lock = await acquireLock({ ...options, deadline: NOW + 10_000 });
    await clock.advance(9_000);

    expect(lock.signal.reason).toMatchObject({ name: 'DeadlineError', code: 'DEADLINE' });
  });

  test('row 9: taken inside a run that holds the same lock it is nested: it releases nothing, and the run ends after it', async () => {
    const { clock, options, item } = memoryLocks();
    const running = executeWithLock(async () => {
      const lock = await acquireLock(options);
      void pass(clock, 5_000).then(() => lock.release().then((status) => expect(status).toBe('none')));
    }, options);
    await clock.advance(4_999);
    expect(await item()).toMatchObject({ state: 'held' });
    await clock.advance(1);

    expect(await running).toMatchObject({ release: 'released', durationMs: 5_000 });
  });
});
