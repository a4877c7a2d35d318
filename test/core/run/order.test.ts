import { memoryStore } from 'single-execution/memory';
import { manualClock } from 'single-execution/testing';
import { describe, expect, test } from 'vitest';
import { type LockOptions, resolvePolicy } from '../../../src/core/options/policy.js';
import { holdOf } from '../../../src/core/run/hold.js';
import {
  acquireCall,
  extendCall,
  holdLimitMono,
  type Order,
  releaseCall,
  stopMono,
} from '../../../src/core/run/order.js';

const MINUTES_15 = 900_000;

/** An order at the monotonic instant 10,000 with so much time remaining. */
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

test.each<[string, number | undefined, number]>([
  ['no deadline', undefined, 5_000],
  ['15 minutes', MINUTES_15, 5_000],
  ['10 s', 10_000, 5_000],
  ['3 s', 3_000, 1_500],
])('an acquire may take 5 s or half of the remaining time: with %s', async (_, remaining, budgetMs) => {
  const { clock, policy, order } = await orderWith(remaining);

  expect(acquireCall(order, policy)).toMatchObject({ clock, tryMs: 1_000, budgetMs, maxClockSkewMs: 3_000 });
});

test.each<[string, number | undefined, number]>([
  ['no deadline', undefined, 5_000],
  ['15 minutes', MINUTES_15, 5_000],
  ['5.1 s', 5_100, 5_000],
  ['3 s', 3_000, 2_900],
  ['200 ms', 200, 100],
])('a release may take all of the remaining time but 100 ms, at most 5 s: with %s', async (_, remaining, budgetMs) => {
  const { clock, policy, order } = await orderWith(remaining);

  expect(releaseCall(order, policy)).toMatchObject({ clock, tryMs: 1_000, budgetMs });
});

test.each([199, 100, 0, -60_000])(
  'F43 with %i ms remaining a release gets one whole try, for code may run on',
  async (remaining) => {
    const { policy, order } = await orderWith(remaining);

    expect(releaseCall(order, policy).budgetMs).toBe(1_000);
  },
);

describe('row 26: a run is asked to end', () => {
  test.each<[string, number, number]>([
    ['a second before a deadline in 15 minutes', MINUTES_15, 10_000 + MINUTES_15 - 1_000],
    ['a second before a deadline in 10 s', 10_000, 19_000],
    ['a tenth of the time before a deadline in 3 s', 3_000, 12_700],
    ['at once when the deadline is now', 0, 10_000],
    ['at the deadline that has passed already', -5_000, 5_000],
  ])('%s', async (_, remaining, mono) => {
    const { policy, order } = await orderWith(remaining);

    expect(stopMono(order, policy)).toBe(mono);
  });

  test.each<[string | number, number]>([
    ['10s', 15_000],
    ['20s', 5_000],
    [0, 25_000],
  ])('a gracePeriod of %o before a deadline in 15 s, however long that is', async (gracePeriod, mono) => {
    const { policy, order } = await orderWith(15_000, { gracePeriod });

    expect(stopMono(order, policy)).toBe(mono);
  });

  test('a grace period before it must be over, where that is before the deadline', async () => {
    const { policy, order } = await orderWith(15_000, { gracePeriod: '2s' });

    expect(stopMono({ ...order, runUntilMono: 20_000 }, policy)).toBe(18_000);
  });

  test('never without a deadline', async () => {
    const { policy, order } = await orderWith(undefined, { gracePeriod: '10s' });

    expect(stopMono(order, policy)).toBeUndefined();
  });
});

test.each([0, -60_000])(
  'with %i ms remaining, as an emulator may say, an acquire gets one whole try',
  async (remaining) => {
    const { policy, order } = await orderWith(remaining);

    expect(acquireCall(order, policy).budgetMs).toBe(1_000);
  },
);

describe('row 23: all renewal and extension ends', () => {
  const lease = {
    name: 'digest',
    attemptId: 'a1',
    fencingToken: 1,
    leaseMs: 60_000,
    lockedAtMs: 0,
    lockUntilMs: 60_000,
    firstSentMono: 9_000,
    firstSentWall: 0,
  };

  test.each<[string, number | undefined, Partial<LockOptions>, number]>([
    ['after maxHold, counted from the grant', undefined, { maxHold: '2h' }, 7_209_000],
    ['after maxHold, also where the deadline is nearer', 5_000, { maxHold: '2h' }, 7_209_000],
    ['after maxHold, also where the deadline is further', MINUTES_15, { maxHold: '1m' }, 69_000],
    ['at the deadline without a maxHold', MINUTES_15, {}, 10_000 + MINUTES_15],
    ['after a day without either', undefined, {}, 86_409_000],
  ])('%s', async (_, remaining, options, mono) => {
    const { policy, order } = await orderWith(remaining, options);

    expect(holdLimitMono(order, policy, lease)).toBe(mono);
  });

  test.each([
    [60_000, 5_000],
    [13_000, 2_400],
    [10_700, 100],
    [10_600, 1],
    [9_000, 1],
  ])('an extension of a lease that ends at %i may take %i ms', async (endMono, budgetMs) => {
    const { clock, policy } = await orderWith(undefined);
    const hold = { ...holdOf(lease), endMono, guardMs: 600, deadlineMono: endMono - 600 };
    const { signal } = new AbortController();

    // A try that hangs leaves time for another.
    const tryMs = Math.min(1_000, budgetMs / 2);
    expect(extendCall(hold, policy, signal)).toEqual({ clock, signal, tryMs, budgetMs, maxClockSkewMs: 3_000 });
  });
});
