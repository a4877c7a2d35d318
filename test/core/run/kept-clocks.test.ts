import { executeWithLock, LockLostError } from 'single-execution';
import { type FaultPlan, manualClock } from 'single-execution/testing';
import { describe, expect, test } from 'vitest';
import { pass } from '../../support/clocks.js';
import { keptLocks, MINUTE, NOW } from '../../support/memory-locks.js';

const leaseOver = new LockLostError('digest', 'its lease is over');

describe('a wall clock that steps while a lease is renewed', () => {
  test('F28 back: no renewal shortens the stored lease, and the run keeps its lock to its end', async () => {
    const { clock, options, item } = keptLocks();
    const running = executeWithLock(async ({ signal }) => {
      await pass(clock, 10 * MINUTE);
      return signal.aborted;
    }, options);
    let lockUntil = 0;
    for (let seconds = 0; seconds < 590; seconds += 10) {
      await clock.advance(10_000);
      if (seconds === 30) clock.stepWall(-7_200_000);
      const { lockUntil: now = 0 } = await item();
      expect(now).toBeGreaterThanOrEqual(lockUntil);
      lockUntil = now;
    }
    await clock.advance(MINUTE);

    expect(await running).toMatchObject({ value: false, release: 'released' });
  });

  test('F28 back: the lock still keeps out a host whose clock is right', async () => {
    const { clock, store, options } = keptLocks();
    const right = manualClock(NOW);
    const running = executeWithLock(() => pass(clock, 5 * MINUTE), options);
    await clock.advance(30_000);
    clock.stepWall(-7_200_000);
    await clock.advance(90_000);
    await right.advance(120_000);

    expect(await executeWithLock(() => {}, { ...options, store, clock: right })).toMatchObject({ reason: 'locked' });
    await clock.advance(5 * MINUTE);
    expect(await running).toMatchObject({ release: 'released' });
  });

  test('F29 forward past the lease: the run is ended early, and asks for nothing more', async () => {
    const { clock, options, extendedAt } = keptLocks();
    const running = executeWithLock(async ({ signal }) => {
      await pass(clock, 26_001);
      return signal.reason;
    }, options);
    await clock.advance(25_000);
    clock.stepWall(3_600_000);
    await clock.advance(MINUTE);

    expect(await running).toMatchObject({ value: leaseOver });
    expect(extendedAt).toEqual([20_000]);
  });

  test('F29 forward by less: the next renewal counts from the new time', async () => {
    const { clock, options } = keptLocks();
    const running = executeWithLock(async ({ signal }) => {
      await pass(clock, 5 * MINUTE);
      return signal.aborted;
    }, options);
    for (let steps = 0; steps < 10; steps++) {
      await clock.advance(25_000);
      clock.stepWall(20_000);
    }
    await clock.advance(MINUTE);

    expect(await running).toMatchObject({ value: false });
  });
});

test.each<[string, FaultPlan, number, number, Error | undefined, number[]]>([
  ['past the lease: it is lost when it wakes, and no renewal is sent', {}, 39_500, 45_000, leaseOver, [20_000]],
  ['for less than what is left: it wakes, renews and continues', {}, 39_500, 30_000, undefined, [20_000, 40_000]],
  [
    'during a renewal: an answer after the end of the lease does not bring it back',
    { extend: { delayMs: 2_000 } },
    20_500,
    60_000,
    leaseOver,
    [20_000],
  ],
])('F30 a host sleeps while its lease is renewed, %s', async (_, plan, atMs, sleptMs, reason, renewals) => {
  const { clock, options, extendedAt, observer } = keptLocks(plan);
  const running = executeWithLock(async ({ signal }) => {
    await pass(clock, 45_000);
    return signal.reason;
  }, options);
  await clock.advance(atMs);
  clock.suspend(sleptMs);
  await clock.advance(MINUTE);

  expect(await running).toMatchObject({ value: reason, release: 'released' });
  expect(extendedAt).toEqual(renewals);
  expect(observer.types().includes('lost')).toBe(reason !== undefined);
});
