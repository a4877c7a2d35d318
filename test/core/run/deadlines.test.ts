import { memoryStore } from 'single-execution/memory';
import { manualClock } from 'single-execution/testing';
import { describe, expect, test } from 'vitest';
import { type LockOptions, resolvePolicy } from '../../../src/core/options/policy.js';
import { acquireCall, extendCall, holdLimitMono, releaseCall, stopMono } from '../../../src/core/run/deadlines.js';
import { holdOf } from '../../../src/core/run/hold.js';
import type { Order } from '../../../src/core/run/invocation.js';
import { lease } from '../../support/lease.js';

const MINUTES_15 = 900_000;

/** An order at the monotonic instant 10,000. `remainingMs` is what the platform says is left. */
async function orderWith(remainingMs: number | undefined, options: Partial<LockOptions> = {}) {
  const clock = manualClock();
  await clock.advance(10_000);
  const policy = resolvePolicy({ store: memoryStore(), clock, maxClockSkew: '3s', ...options }, []);
  const order: Order = {
    name: 'digest',
    lockedBy: 'me',
    leaseMs: 60_000,
    ...(remainingMs !== undefined && { deadlineMono: 10_000 + remainingMs }),
  };
  return { clock, policy, order };
}

describe('row 26: a run is asked to end', () => {
  test.each<[string, number | undefined, Partial<LockOptions>, number | undefined]>([
    ['a second before a deadline in 15 minutes', MINUTES_15, {}, 10_000 + MINUTES_15 - 1_000],
    ['a second before a deadline in 10 s', 10_000, {}, 19_000],
    ['a tenth of the time before a deadline in 3 s', 3_000, {}, 12_700],
    ['at once when the deadline is now', 0, {}, 10_000],
    ['at the deadline that has passed already', -5_000, {}, 5_000],
    ['a gracePeriod of 10 s before a deadline in 15 s', 15_000, { gracePeriod: '10s' }, 15_000],
    ['a gracePeriod of 20 s before a deadline in 15 s', 15_000, { gracePeriod: '20s' }, 5_000],
    ['at the deadline with a gracePeriod of 0', 15_000, { gracePeriod: 0 }, 25_000],
    ['never without a deadline', undefined, { gracePeriod: '10s' }, undefined],
  ])('%s', async (_, remaining, options, mono) => {
    const { policy, order } = await orderWith(remaining, options);

    expect(stopMono(order, policy)).toBe(mono);
  });

  test('a grace period before it must be over, where that is before the deadline', async () => {
    const { policy, order } = await orderWith(15_000, { gracePeriod: '2s' });

    expect(stopMono({ ...order, runUntilMono: 20_000 }, policy)).toBe(18_000);
  });
});

describe('row 23: all renewal and extension ends', () => {
  const granted = { ...lease, firstSentMono: 9_000 };

  test.each<[string, number | undefined, Partial<LockOptions>, number]>([
    ['after maxHold, counted from the grant', undefined, { maxHold: '2h' }, 7_209_000],
    ['after maxHold, also where the deadline is nearer', 5_000, { maxHold: '2h' }, 7_209_000],
    ['after maxHold, also where the deadline is further', MINUTES_15, { maxHold: '1m' }, 69_000],
    ['at the deadline without a maxHold', MINUTES_15, {}, 10_000 + MINUTES_15],
    ['after a day without either', undefined, {}, 86_409_000],
  ])('%s', async (_, remaining, options, mono) => {
    const { policy, order } = await orderWith(remaining, options);

    expect(holdLimitMono(order, policy, granted)).toBe(mono);
  });
});

describe('the time that a call may take', () => {
  test.each<[string, number | undefined, number]>([
    ['5 s without a deadline', undefined, 5_000],
    ['5 s of 15 minutes', MINUTES_15, 5_000],
    ['5 s of 10 s', 10_000, 5_000],
    ['half of 3 s', 3_000, 1_500],
    ['one whole try of no time, as an emulator may say', 0, 1_000],
    ['one whole try after the deadline', -60_000, 1_000],
  ])('of an acquire: %s', async (_, remaining, budgetMs) => {
    const { clock, policy, order } = await orderWith(remaining);

    expect(acquireCall(order, policy, 7)).toMatchObject({ clock, tryMs: 1_000, budgetMs, maxClockSkewMs: 3_000 });
  });

  test.each<[string, number | undefined, number]>([
    ['5 s without a deadline', undefined, 5_000],
    ['5 s of 15 minutes', MINUTES_15, 5_000],
    ['5 s of 5.1 s', 5_100, 5_000],
    ['3 s but 100 ms', 3_000, 2_900],
    ['200 ms but 100 ms', 200, 100],
    ['F43 one whole try of 199 ms, for code may run on', 199, 1_000],
    ['F43 one whole try of 100 ms', 100, 1_000],
    ['F43 one whole try of no time', 0, 1_000],
    ['F43 one whole try after the deadline', -60_000, 1_000],
  ])('of a release: %s', async (_, remaining, budgetMs) => {
    const { clock, policy, order } = await orderWith(remaining);

    expect(releaseCall(order, policy, undefined)).toMatchObject({ clock, tryMs: 1_000, budgetMs });
  });

  test.each([
    [60_000, 5_000],
    [13_000, 2_400],
    [10_700, 100],
    [10_600, 1],
    [9_000, 1],
  ])('of an extension whose lease ends at %i: %i ms', async (endMono, budgetMs) => {
    const { clock, policy } = await orderWith(undefined);
    const hold = { ...holdOf(lease), endMono, guardMs: 600, deadlineMono: endMono - 600 };
    const { signal } = new AbortController();

    // A try that hangs leaves time for another.
    const tryMs = Math.min(1_000, budgetMs / 2);
    expect(extendCall(hold, policy, signal)).toEqual({ clock, signal, tryMs, budgetMs, maxClockSkewMs: 3_000 });
  });
});
