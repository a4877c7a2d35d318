import { expect, test } from 'vitest';
import { acquireCall, extendCall, releaseCall } from '../../../src/core/run/deadlines.js';
import { holdOf } from '../../../src/core/run/hold.js';
import { MINUTES_15, orderWith } from '../../support/order-with.js';

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

test.each([0, -60_000])(
  'with %i ms remaining, as an emulator may say, an acquire gets one whole try',
  async (remaining) => {
    const { policy, order } = await orderWith(remaining);

    expect(acquireCall(order, policy).budgetMs).toBe(1_000);
  },
);

test.each([
  [60_000, 5_000],
  [13_000, 2_400],
  [10_700, 100],
  [10_600, 1],
  [9_000, 1],
])('an extension of a lease that ends at %i may take %i ms', async (endMono, budgetMs) => {
  const { clock, policy } = await orderWith(undefined);
  const asked = { leaseMs: 60_000, lockUntilMs: 60_000, firstSentMono: 9_000, firstSentWall: 0 };
  const hold = { ...holdOf(asked), endMono, guardMs: 600, deadlineMono: endMono - 600 };
  const { signal } = new AbortController();

  // A try that hangs leaves time for another.
  const tryMs = Math.min(1_000, budgetMs / 2);
  expect(extendCall(hold, policy, signal)).toEqual({ clock, signal, tryMs, budgetMs, maxClockSkewMs: 3_000 });
});
