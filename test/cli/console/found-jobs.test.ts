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
  job('digest', { state: 'paused', underlyingState: 'held', lockedBy: 'web-1' }),
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
    for (const [show, found] of [
      ['trouble', 'sync/acme'],
      ['failing', 'sync/acme'],
      ['held', 'sync/globex,digest'],
      ['paused', 'digest'],
      ['', names(JOBS).join()],
    ] as const) {
      expect(names(jobsOf(JOBS, show)).join()).toBe(found);
    }
    const counts = { trouble: 1, overdue: 1, failing: 1, held: 2, paused: 1, free: 2 };
    expect(Object.fromEntries([...countsOf(JOBS)].filter(([, count]) => count > 0))).toEqual(counts);
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

const RAN = { status: 'succeeded', lockedAt: at(-90), durationMs: 40 * MINUTE, fencingToken: 7 } as const;
const HELD = { state: 'held', lockedAt: at(-30), lockUntil: at(30), fencingToken: 8 } as const;
const past = (fencingToken: number, minutes: number) => ({ overruns: [{ fencingToken, tick: at(minutes) }] });

test.each<[string, Partial<Job>, string[]]>([
  ['from the tick that a run went on past', { runs: [RAN], ...past(7, -60) }, ['past-tick -60..-50']],
  ['from the tick that a run goes on past', { ...HELD, ...past(8, -10) }, ['past-tick -10..0']],
  ['from the end of a lease that was renewed', { runs: [RAN], leaseMs: 30 * MINUTE }, ['past-lease -60..-50']],
  ['from the end of a lease that is renewed', { ...HELD, leaseMs: 20 * MINUTE }, ['past-lease -10..0']],
  ['not for a lease that is over', { ...HELD, state: 'expired', lockUntil: at(-10), leaseMs: 20 * MINUTE }, []],
])('row 243: what went on too long is marked %s', (_, more, expected) => {
  const overs = timelineOf(job('digest', more), NOON)?.overs.map(({ kind, fromMs, toMs }) => {
    return `${kind} ${(fromMs - NOON) / MINUTE}..${(toMs - NOON) / MINUTE}`;
  });

  expect(overs).toEqual(expected);
});
