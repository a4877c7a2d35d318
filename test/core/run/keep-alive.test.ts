import { executeWithLock, LockLostError } from 'single-execution';
import { expect, test } from 'vitest';
import { pass } from '../../support/clocks.js';
import { storeCall } from '../../support/contract-harness.js';
import { keptLocks, MINUTE, NOW } from '../../support/memory-locks.js';

const takenAway = new LockLostError('digest', 'somebody else holds it, or an operator has freed it');

// For renewals that fail see test/core/run/extender.test.ts and, on real stores, test/chaos/keep-alive.test.ts.
test('F34 a renewal that hangs is given up after its time and sent again', async () => {
  const { clock, options, extendedAt } = keptLocks({ extend: ['hang', 'hang'] });
  const running = executeWithLock(() => pass(clock, 70_000), options);
  await clock.advance(70_000);

  expect(await running).toMatchObject({ release: 'released' });
  expect(extendedAt).toEqual([20_000, 26_000, 32_000, 52_000]);
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

test('F42 a nested run that the task did not wait for is covered by renewals until it has settled', async () => {
  const { clock, options, extendedAt } = keptLocks();
  const running = executeWithLock(() => {
    void executeWithLock(() => pass(clock, 90_000), options);
  }, options);
  await clock.advance(90_000);

  expect(await running).toMatchObject({ release: 'released', durationMs: 90_000 });
  expect(extendedAt).toEqual([20_000, 40_000, 60_000, 80_000]);
});
