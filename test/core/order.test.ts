import { memoryStore } from 'single-execution/memory';
import { manualClock } from 'single-execution/testing';
import { describe, expect, test } from 'vitest';
import { acquireCall, type Order, releaseCall, stopMono } from '../../src/core/order.js';
import { resolvePolicy } from '../../src/core/policy.js';

const MINUTES_15 = 900_000;

/** An order at the monotonic instant 10,000 with so much time remaining. */
async function orderWith(remainingMs: number | undefined) {
  const clock = manualClock();
  await clock.advance(10_000);
  const policy = resolvePolicy({ store: memoryStore(), clock, maxClockSkew: '3s' }, []);
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

  test('never without a deadline', async () => {
    const { policy, order } = await orderWith(undefined);

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
