import { executeWithLock, LockLostError } from 'single-execution';
import { describe, expect, test } from 'vitest';
import { storeCall } from '../../support/contract-harness.js';
import { keptLocks, MINUTE, NOW } from '../../support/memory-locks.js';
import { pass } from '../../support/pass.js';

const lockLost = (why: string) => new LockLostError('digest', why);
const leaseOver = lockLost('its lease is over');
const takenAway = lockLost('somebody else holds it, or an operator has freed it');

describe('F32 a store that fails', () => {
  test('row 22: F32 one throttled renewal is tried again, reported, and the run completes under its lock', async () => {
    const { clock, options, extendedAt, observer } = keptLocks({ extend: ['lose-request'] });
    const running = executeWithLock(async ({ signal, assertHeld }) => {
      await pass(clock, 90_000);
      assertHeld();
      return signal.aborted;
    }, options);
    await clock.advance(90_000);

    expect(await running).toMatchObject({ value: false, release: 'released' });
    expect(extendedAt).toEqual([20_000, 21_000, 41_000, 61_000, 81_000]);
    expect(observer.types()).toEqual([
      ...['attempted', 'acquired', 'started', 'extend-failed'],
      ...['extended', 'extended', 'extended', 'extended', 'released', 'finished'],
    ]);
    expect(observer.events[3]).toMatchObject({ error: { name: 'LockStoreError', operation: 'extend' } });
  });

  test('F35 a renewal whose answer is lost is sent again and is no loss of the lock', async () => {
    const { clock, options, item, observer } = keptLocks({ extend: ['lose-response'] });
    const running = executeWithLock(() => pass(clock, 70_000), options);
    await clock.advance(20_500);
    expect(await item()).toMatchObject({ lockUntil: NOW + 80_000 });
    await clock.advance(MINUTE);

    expect(await running).toMatchObject({ release: 'released' });
    expect(observer.types()).not.toContain('lost');
  });

  test('row 25: when all renewals fail, the signal aborts at the deadline of the lease, not later', async () => {
    const { clock, options, observer } = keptLocks({ extend: 'lose-request' });
    const seen: unknown[] = [];
    const running = executeWithLock(async ({ signal }) => {
      await pass(clock, 59_399);
      seen.push(signal.reason);
      await pass(clock, 1);
      seen.push(signal.reason);
      await pass(clock, 100_000);
      return 'sent';
    }, options);
    await clock.advance(4 * MINUTE);

    expect(seen).toEqual([undefined, leaseOver]);
    expect(await running).toMatchObject({ value: 'sent', release: 'released' });
    expect(observer.types().filter((type) => type === 'extend-failed')).toHaveLength(40);
    expect(observer.types().filter((type) => type === 'lost')).toHaveLength(1);
  });

  test('F34 a renewal that hangs is given up after its time and sent again', async () => {
    const { clock, options, extendedAt } = keptLocks({ extend: ['hang', 'hang'] });
    const running = executeWithLock(() => pass(clock, 70_000), options);
    await clock.advance(70_000);

    expect(await running).toMatchObject({ release: 'released' });
    expect(extendedAt).toEqual([20_000, 26_000, 32_000, 52_000]);
  });
});

test('row 25: a lock that is taken away aborts the run within one renewal, once, and is never renewed again', async () => {
  const { clock, store, options, extendedAt, observer, item } = keptLocks();
  const seen: unknown[] = [];
  const running = executeWithLock(async ({ signal, assertHeld }) => {
    await pass(clock, 19_999);
    seen.push(signal.aborted);
    await pass(clock, 2);
    seen.push(signal.reason);
    expect(assertHeld).toThrow(LockLostError);
    await pass(clock, 5 * MINUTE);
  }, options);
  await clock.advance(5_000);
  const force = { name: 'digest', adminId: 'f1', fencingToken: NOW + 1, lockedAtMs: NOW, nowMs: NOW + 5_000 };
  await store.forceRelease(force, storeCall(clock));
  await clock.advance(6 * MINUTE);

  expect(await running).toMatchObject({ release: 'lost' });
  expect(seen).toEqual([false, takenAway]);
  expect(extendedAt).toEqual([20_000]);
  expect(observer.types()).toEqual(['attempted', 'acquired', 'started', 'lost', 'finished']);
  expect(await item()).toMatchObject({ state: 'forced', attemptId: 'f1' });
  expect(clock.pendingTimers()).toBe(0);
});

test('F27 an unguarded run renews nothing, and leaves no timer', async () => {
  const { clock, options, extendedAt } = keptLocks({ acquire: 'lose-request' });
  const running = executeWithLock(() => pass(clock, 90_000), { ...options, onStoreError: 'run' });
  await clock.advance(90_000);

  expect(await running).toMatchObject({ fencingToken: 0 });
  expect([extendedAt, clock.pendingTimers()]).toEqual([[], 0]);
});
