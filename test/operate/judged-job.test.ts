import type { LockInfo, RunInfo } from 'single-execution/admin';
import { expect, test } from 'vitest';
import { judgedJob } from '../../src/operate/judged-job.js';
import { byUrgency } from '../../src/operate/troubles.js';

const NOON = Date.UTC(2026, 10, 20, 12);
const MINUTE = 60_000;
const at = (minutes: number) => new Date(NOON + minutes * MINUTE);

const run = (minutes: number, more: Partial<RunInfo> = {}): RunInfo => ({
  status: 'succeeded',
  tick: at(minutes),
  lockedAt: new Date(at(minutes).getTime() + 1_000),
  durationMs: 5 * MINUTE,
  fencingToken: 1_000 + minutes,
  ...more,
});

const lock = (more: Partial<LockInfo>): LockInfo => ({
  name: 'digest',
  state: 'free',
  failuresInARow: 0,
  runs: [],
  readAt: at(10),
  ...more,
});

/** A job of each hour, whose tick of noon is done. */
const hourly = { schedule: '0 * * * *', doneTick: at(0), runs: [run(0), run(-60)] } as const;
const held = { state: 'held', lockedBy: 'web-1', lockUntil: at(120), fencingToken: 2_000 } as const;
const heldSince = (minutes: number) => ({ ...held, lockedAt: at(minutes), tick: at(minutes) });
const failed = run(0, { status: 'failed' });
const daily = { schedule: '0 12 * * *' } as const;

test.each<[string, Partial<LockInfo>, LockInfo | object]>([
  ['nothing', hourly, {}],
  ['nothing of a job without a schedule', { runs: [run(-9_000)] }, {}],
  ['corrupt', { state: 'corrupt', problem: 'its token' }, { troubles: ['corrupt'] }],
  ['overdue', { ...hourly, readAt: at(80) }, { troubles: ['overdue'], overdueTick: at(60) }],
  ['overdue, if its schedule cannot be read', { ...hourly, schedule: 'at dawn' }, { troubles: ['overdue'] }],
  ['expired', { ...hourly, ...heldSince(0), state: 'expired' }, { troubles: ['expired'] }],
  [
    'expired behind its pause',
    { ...hourly, ...heldSince(0), state: 'paused', underlyingState: 'expired' },
    { troubles: ['expired'] },
  ],
  ['not too long with the lock', { ...hourly, ...heldSince(0) }, {}],
  [
    'too long with the lock, since a tick has come',
    { ...hourly, doneTick: at(-60), ...heldSince(0), readAt: at(61) },
    { troubles: ['too-long'], overruns: [{ fencingToken: 2_000, tick: at(60) }] },
  ],
  [
    'too long with the lock, compared with the runs before it',
    { ...daily, runs: [run(-1_440)], ...heldSince(0), leaseMs: 6 * MINUTE, readAt: at(16) },
    { troubles: ['too-long'] },
  ],
  [
    'not too long in its first lease',
    { ...daily, runs: [run(-1_440)], ...heldSince(0), leaseMs: 60 * MINUTE, readAt: at(16) },
    {},
  ],
  ['not too long if no run was before it', { ...daily, ...heldSince(0), leaseMs: 6 * MINUTE, readAt: at(60) }, {}],
  ['failing', { ...hourly, runs: [failed, run(-60)], failuresInARow: 1 }, { troubles: ['failing'] }],
  ['not failing if an operator has ended its run', { runs: [run(0, { status: 'forced' })], failuresInARow: 1 }, {}],
  [
    'paused past a tick',
    { ...hourly, state: 'paused', underlyingState: 'free', paused: { until: at(500), by: 'ada' }, readAt: at(80) },
    { troubles: ['long-pause'], pausedTick: at(60) },
  ],
  ['paused', { ...hourly, state: 'paused', paused: { until: at(500), by: 'ada' } }, {}],
  ['open', { ...hourly, openTicks: [at(-120)] }, { troubles: ['open'] }],
  [
    'several at once',
    { ...hourly, runs: [failed], failuresInARow: 1, openTicks: [at(0)], doneTick: at(-60), readAt: at(80) },
    { troubles: ['overdue', 'failing', 'open'], overdueTick: at(0) },
  ],
])('row 243: a job is known to be %s', (_, given, expected) => {
  const job = judgedJob(lock(given));
  const { troubles, overruns, overdueTick, pausedTick } = job;

  const found = Object.entries({ troubles, overruns, overdueTick, pausedTick }).filter(([, value]) => value);
  expect(Object.fromEntries(found)).toEqual(expected);
});

const overrunTicks = (schedule: string, ...runs: RunInfo[]) =>
  judgedJob(lock({ schedule, runs })).overruns?.map(({ tick }) => (tick.getTime() - NOON) / MINUTE) ?? [];

test.each<[string, RunInfo, number[]]>([
  ['is over before the next tick', run(-60), []],
  ['goes on at the next tick', run(-60, { durationMs: 61 * MINUTE }), [0]],
  ['goes on at two ticks, of which the first counts', run(-120, { durationMs: 121 * MINUTE }), [-60]],
  ['began a little early for its tick', run(-60, { lockedAt: new Date(at(-60).getTime() - 100) }), []],
  ['was for an older tick', run(-600, { lockedAt: at(-50) }), []],
  ['was for an older tick, and goes on', run(-600, { lockedAt: at(-50), durationMs: 51 * MINUTE }), [0]],
  ['has no tick', { ...run(-50, { durationMs: 51 * MINUTE }), tick: undefined as never }, [0]],
  ['crashed', { ...run(-60, { status: 'crashed' }), durationMs: undefined as never }, []],
  ['has an impossible duration', run(-60, { durationMs: 2 ** 53 - 1 }), []],
  ['has an impossible tick', run(-60, { tick: new Date(8.64e15) }), []],
])('row 243: a run that %s', (_, given, expected) => {
  expect(overrunTicks('0 * * * *', given)).toEqual(expected);
});

test('row 243: a run of an interval goes on past its next tick after that interval', () => {
  expect(overrunTicks('15m', run(-60, { durationMs: 14 * MINUTE }))).toEqual([]);
  expect(overrunTicks('15m', run(-60, { durationMs: 16 * MINUTE }))).toHaveLength(1);
});

test('row 243: the most urgent jobs come first, and others by their names', () => {
  const job = (name: string, more: Partial<LockInfo> = {}) => judgedJob(lock({ ...hourly, ...more, name }));
  const jobs = [
    job('b'),
    job('a'),
    job('open', { openTicks: [at(-120)] }),
    job('failing', { runs: [failed], failuresInARow: 1 }),
    job('overdue', { readAt: at(80) }),
    job('corrupt', { state: 'corrupt' }),
    job('an-overdue', { readAt: at(80), openTicks: [at(-120)] }),
  ];

  expect(jobs.sort(byUrgency).map(({ name }) => name)).toEqual([
    'corrupt',
    'an-overdue',
    'overdue',
    'failing',
    'open',
    'a',
    'b',
  ]);
});
