import { describe, expect, test } from 'vitest';
import type { LockOptions } from '../../../src/core/options/policy.js';
import { holdLimitMono, stopMono } from '../../../src/core/run/deadlines.js';
import { MINUTES_15, orderWith } from '../../support/order-with.js';

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
});
