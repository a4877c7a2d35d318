import { expect, test } from 'vitest';
import type { LockInfo } from '../../src/admin/lock-admin.js';
import { isIdle, missedTicksOf } from '../../src/operate/lock-summary.js';

const NOW = Date.UTC(2026, 10, 20, 12);
const at = (ms: number) => new Date(NOW + ms);
const lock = (over: Partial<LockInfo>): LockInfo => ({
  name: 'job',
  state: 'free',
  failuresInARow: 0,
  runs: [],
  ...over,
});

test('missed ticks are the open ones that no run was for', () => {
  const runs = [{ status: 'failed', tick: at(2), lockedAt: at(2), fencingToken: 1 }] as const;

  expect(missedTicksOf(lock({ openTicks: [at(1), at(2), at(3)], runs, tick: at(3) }))).toEqual([at(1)]);
});

test.each<[boolean, Partial<LockInfo>]>([
  [true, { lockedAt: at(-2_000), lastReleasedAt: at(-1_000) }],
  [false, { lockedAt: at(-2_000), lastReleasedAt: at(-999) }],
  [false, { state: 'held', lockedAt: at(-5_000) }],
  [false, { state: 'paused', underlyingState: 'held' }],
  [true, { state: 'unused' }],
])('idle for a second: %s %j', (expected, over) => {
  expect(isIdle(lock(over), NOW, 1_000)).toBe(expected);
});
