import { executeWithLock } from 'single-execution';
import { lockAdmin } from 'single-execution/admin';
import { memoryStore } from 'single-execution/memory';
import { cron } from 'single-execution/schedule';
import { manualClock } from 'single-execution/testing';
import { expect, test } from 'vitest';
import type { LockInfo } from '../../src/admin/lock-admin.js';
import {
  isIdle,
  lockFacts,
  lockSummary,
  missedCount,
  missedTicksOf,
  openCount,
} from '../../src/operate/lock-summary.js';
import { lastRenewal, verdictOf } from '../../src/operate/verdict.js';

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

test('a tick is missed only in the time of which the history knows', () => {
  const runs = Array.from({ length: 10 }, (_, n) => {
    return { status: 'succeeded', tick: at(40 - 2 * n), lockedAt: at(40 - 2 * n), fencingToken: 20 - n } as const;
  });
  const openTicks = [at(21), at(31)];

  expect(missedTicksOf(lock({ openTicks, runs }))).toEqual([at(31)]);
  expect(missedTicksOf(lock({ openTicks, runs: runs.slice(0, 9) }))).toEqual(openTicks);
});

test('row 173: a tick that was skipped while its lock was paused is shown as a tick without a run', async () => {
  const store = memoryStore();
  const clock = manualClock(Date.UTC(2026, 10, 20, 9));
  const admin = lockAdmin(store, { clock });
  const hour = (n: number) => new Date(Date.UTC(2026, 10, 20, n));
  const call = async (n: number) => {
    await clock.advance(hour(n).getTime() - clock.now());
    const order = { name: 'job', store, clock, lockAtMostFor: '1m', observers: [] } as const;
    return (await executeWithLock(() => {}, { ...order, tick: hour(n), schedule: cron('0 * * * *') })).status;
  };
  await call(9);
  await admin.pause('job', { by: 'ada' });
  expect(await call(10)).toBe('skipped');
  await admin.resume('job');
  expect(await call(11)).toBe('executed');

  const facts = new Map(lockFacts((await admin.get('job')) as LockInfo, clock.now()));
  expect(facts.get('of them missed')).toBe(
    '2026-11-20T10:00:00Z; without a run: no call came, or it was skipped, as while the lock was paused or held',
  );
});

test('a list of open ticks that is full says that there may have been more', () => {
  const ticks = (count: number) => Array.from({ length: count }, (_, n) => at(n));

  const counts = [1, 7, 8, 29, 99, 100];
  expect(counts.map((count) => openCount({ openTicks: ticks(count) }))).toEqual(['1', '7', '8+', '29', '99', '100+']);
  const summary = (count: number) => lockSummary(lock({ openTicks: ticks(count) }), NOW);
  expect(counts.map((count) => missedCount(summary(count)))).toEqual(['1', '7', '8+', '29', '99', '100+']);
  const wordsOf = (count: number) => new Map(lockFacts(lock({ openTicks: ticks(count) }), NOW)).get('open ticks');
  expect(wordsOf(8)).toContain('the record keeps the newest 8: older ones may be forgotten');
  expect(wordsOf(7)).not.toContain('forgotten');
});

const HUNG = { state: 'held', lockedBy: 'web-1', lockedAt: at(-3_600_000), leaseMs: 30_000 } as const;

test('of a run that renews its lease again and again, the last renewal is told', () => {
  const hung = lock({ ...HUNG, lockUntil: at(21_000) });

  expect(lastRenewal(hung, NOW)).toEqual(at(-9_000));
  expect(new Map(lockFacts(hung, NOW)).get('last renewed')).toMatch(/, 9s ago$/);
  expect(verdictOf('job', hung, NOW).sentence).toMatch(
    /for 21s from now, unless .* renewal was 9s ago, so its process is alive/,
  );
});

test.each<[string, Partial<LockInfo>]>([
  ['never renewed its lease', { lockedAt: at(-9_000), lockUntil: at(21_000) }],
  ['extended its lease by another time', { lockUntil: at(3_600_000) }],
  ['has ended', { state: 'free', lockUntil: at(21_000) }],
  ['has a record without a lease', { leaseMs: undefined as never, lockUntil: at(21_000) }],
])('of a run that %s, no renewal is told', (_, over) => {
  expect(lastRenewal(lock({ ...HUNG, ...over }), NOW)).toBeUndefined();
});

test.each<[LockInfo['state'], object]>([
  ['held', { holder: 'web-1', tick: at(3) }],
  ['expired', { holder: 'web-1', tick: at(3) }],
  ['free', {}],
])('of a lock that is %s the holder’s tick and the last result are told apart', (state, holder) => {
  const runs = [
    { status: 'forced', tick: at(2), lockedAt: at(2), durationMs: 5, fencingToken: 2 },
    { status: 'succeeded', tick: at(1), lockedAt: at(1), durationMs: 5, fencingToken: 1 },
  ] as const;
  const summary = lockSummary(lock({ state, lockedBy: 'web-1', tick: at(3), lastResult: 'succeeded', runs }), NOW);

  expect(summary).toMatchObject({ lastResult: 'forced', lastTick: at(2), ...holder });
  expect('tick' in summary).toBe('tick' in holder);
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
