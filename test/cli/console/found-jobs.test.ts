import type { LockInfo } from 'single-execution/admin';
import { describe, expect, test } from 'vitest';
import { countsOf, jobsOf, jobsWith } from '../../../src/cli/console/page/found-jobs.js';
import { RANGES, scaleOf, suitableRange } from '../../../src/cli/console/page/scale.js';
import { timelineOf } from '../../../src/cli/console/page/timeline.js';
import type { Job } from '../../../src/operate/troubles.js';

const NOON = Date.UTC(2026, 10, 20, 12);
const MINUTE = 60_000;
const at = (minutes: number) => new Date(NOON + minutes * MINUTE);
const job = (name: string, more: Partial<Job> = {}): Job => ({
  name,
  state: 'free',
  failuresInARow: 0,
  runs: [],
  ...more,
});
/** A job with a run of two minutes after each of so many. */
const every = (minutes: number, count = 10): Job =>
  job('digest', {
    runs: Array.from({ length: count }, (_, n) => ({
      status: 'succeeded',
      lockedAt: at(-minutes * (n + 1)),
      durationMs: 2 * MINUTE,
      fencingToken: 100 - n,
    })),
  });

const JOBS = [
  job('sync/acme', { troubles: ['overdue', 'failing'] }),
  job('sync/globex', { state: 'held', lockedBy: 'web-7' }),
  job('sync/initech', { lockedBy: 'web-7' }),
  job('digest', {
    state: 'paused',
    underlyingState: 'held' as LockInfo['underlyingState'] & string,
    lockedBy: 'web-1',
  }),
];
const names = (jobs: readonly Job[]) => jobs.map(({ name }) => name);

describe('the filter', () => {
  test.each([
    ['', ['sync/acme', 'sync/globex', 'sync/initech', 'digest']],
    ['SYNC', ['sync/acme', 'sync/globex', 'sync/initech']],
    [' ech  sync ', ['sync/initech']],
    ['web-7', ['sync/globex']],
    ['sync web-1', []],
  ])('finds by the words %j in a name, or in that of who has the lock now', (words, expected) => {
    expect(names(jobsWith(JOBS, words))).toEqual(expected);
  });

  test('row 243: finds by a trouble and by a state, and counts both', () => {
    expect(names(jobsOf(JOBS, 'trouble'))).toEqual(['sync/acme']);
    expect(names(jobsOf(JOBS, 'failing'))).toEqual(['sync/acme']);
    expect(names(jobsOf(JOBS, 'held'))).toEqual(['sync/globex', 'digest']);
    expect(names(jobsOf(JOBS, 'paused'))).toEqual(['digest']);
    expect(names(jobsOf(JOBS, ''))).toEqual(names(JOBS));
    expect(Object.fromEntries([...countsOf(JOBS)].filter(([, count]) => count > 0))).toEqual({
      trouble: 1,
      overdue: 1,
      failing: 1,
      held: 2,
      paused: 1,
      free: 2,
    });
  });
});

describe('the time that a list shows', () => {
  test.each([
    ['nothing', [], '1h'],
    ['jobs without a run', [job('new')], '1h'],
    ['jobs of each five minutes', [every(5), every(5)], '1h'],
    ['jobs of each hour', [every(60)], '6h'],
    ['jobs of each day', [every(1_440), every(1_440), every(5)], '7d'],
    ['a single one of each day', [every(1_440), every(60), every(60)], '6h'],
    ['a job that ran once', [every(600, 1)], '1d'],
    ['jobs of each month', [every(43_200)], '30d'],
  ])('fits %s', (_, jobs, expected) => {
    expect(suitableRange(jobs, NOON)[0]).toBe(expected);
  });

  test('moves in steps that nobody sees, and holds the present', () => {
    for (const [, , lengthMs] of RANGES) {
      const [scale, next] = [scaleOf(lengthMs, NOON + 1), scaleOf(lengthMs, NOON + lengthMs / 1_000)];
      expect(scale.fromMs).toBeLessThan(scale.nowMs);
      expect(scale.nowMs).toBeLessThan(scale.toMs);
      expect(NOON - scale.nowMs).toBeLessThanOrEqual(lengthMs / 600);
      expect(next.fromMs - scale.fromMs).toBeLessThanOrEqual(lengthMs / 600);
    }
  });

  test('is the same for all jobs; runs before it are counted', () => {
    const scale = scaleOf(6 * 60 * MINUTE, NOON);
    const [often, seldom] = [timelineOf(every(60), scale.nowMs, scale), timelineOf(every(1_440), scale.nowMs, scale)];

    expect(often).toMatchObject({ fromMs: scale.fromMs, toMs: scale.toMs, older: 4 });
    expect(often?.bars).toHaveLength(6);
    expect(seldom).toMatchObject({ fromMs: scale.fromMs, toMs: scale.toMs, older: 10, bars: [] });
  });
});

describe('row 243: what went on too long', () => {
  const overs = (more: Partial<Job>) =>
    timelineOf(job('digest', more), NOON)?.overs.map(({ kind, fromMs, toMs }) => [
      kind,
      (fromMs - NOON) / MINUTE,
      (toMs - NOON) / MINUTE,
    ]);
  const ran = { status: 'succeeded', lockedAt: at(-90), durationMs: 40 * MINUTE, fencingToken: 7 } as const;
  const held = { state: 'held', lockedAt: at(-30), lockUntil: at(30), fencingToken: 8 } as const;

  test('is marked from the tick that a run went on past', () => {
    expect(overs({ runs: [ran], overruns: [{ fencingToken: 7, tick: at(-60) }] })).toEqual([['past-tick', -60, -50]]);
    expect(overs({ ...held, overruns: [{ fencingToken: 8, tick: at(-10) }] })).toEqual([['past-tick', -10, 0]]);
  });

  test('is marked from the end of the lease that it has renewed, and not for one that is over', () => {
    expect(overs({ runs: [ran], leaseMs: 30 * MINUTE })).toEqual([['past-lease', -60, -50]]);
    expect(overs({ ...held, leaseMs: 20 * MINUTE })).toEqual([['past-lease', -10, 0]]);
    expect(overs({ ...held, state: 'expired', lockUntil: at(-10), leaseMs: 20 * MINUTE })).toEqual([]);
  });
});
