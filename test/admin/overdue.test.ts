import fc from 'fast-check';
import { executeWithLock } from 'single-execution';
import { type LockInfo, lockAdmin, overdueTick, type RunInfo } from 'single-execution/admin';
import { cron, except, rate } from 'single-execution/schedule';
import { expect, test } from 'vitest';
import { MINUTE, memoryLocks } from '../support/memory-locks.js';

const at = (text: string) => new Date(text);
const daily = cron('0 2 * * *');
const NOW = at('2026-11-26T10:00:00Z');

function lockOf(more: Partial<LockInfo> = {}): LockInfo {
  return { name: 'digest', state: 'free', failuresInARow: 0, runs: [], ...more };
}

const run = (status: RunInfo['status'], lockedAt: string, more: Partial<RunInfo> = {}): RunInfo => ({
  status,
  lockedAt: at(lockedAt),
  fencingToken: 1,
  ...more,
});

/** The overdue tick of a daily job at ten o'clock, as text. */
const overdue = (lock: LockInfo | undefined, options: Parameters<typeof overdueTick>[1] = {}) =>
  overdueTick(lock, { schedule: daily, now: NOW, ...options })?.toISOString();

test('row 195: a run by hand clears nothing', () => {
  const byHand = run('succeeded', '2026-11-26T09:30:00Z', { isManual: true });
  const held = { state: 'held', isManual: true, lockedAt: at('2026-11-26T09:50:00Z') } as const;
  const last = run('succeeded', '2026-11-25T02:00:00Z');

  expect(overdue(lockOf({ ...held, doneTick: at('2026-11-25T02:00:00Z'), runs: [byHand] }))).toBe(
    '2026-11-26T02:00:00.000Z',
  );
  expect(overdue(lockOf({ ...held, runs: [byHand, last] }))).toBe('2026-11-26T02:00:00.000Z');
  expect(overdue(lockOf({ ...held, runs: [byHand, last] }), { schedule: '6h' })).toBe('2026-11-25T08:00:00.000Z');
  expect(overdue(lockOf({ ...held, runs: [byHand] }), { schedule: '1h' })).toBe('2026-11-26T09:45:00.000Z');
});

const DONE_YESTERDAY = { doneTick: at('2026-11-25T02:00:00Z') };
const TODAYS = '2026-11-26T02:00:00.000Z';
const DONE = { doneTick: at(TODAYS) };
const LIVE = { ...DONE_YESTERDAY, state: 'held', tick: at(TODAYS), lockedAt: at('2026-11-26T02:00:01Z') } as const;
const DIED = { ...LIVE, state: 'expired', lockUntil: at('2026-11-26T03:00:00Z') } as const;
const PAUSED = { ...DONE_YESTERDAY, state: 'paused', underlyingState: 'free' } as const;
const LIVE_AND_PAUSED = { ...PAUSED, ...LIVE, state: 'paused', underlyingState: 'held' } as const;
const FAILED = { ...DONE_YESTERDAY, openTicks: [at(TODAYS)], runs: [run('failed', TODAYS)] };
const READ_EARLY = { ...DONE_YESTERDAY, readAt: at('2026-11-26T02:10:00Z') };
const SINCE = { since: at('2027-01-01T00:00:00Z') };
const IN_RECORD = { doneTick: at(TODAYS), schedule: '0 3 * * * in Europe/Berlin' };
const OWN = { schedule: undefined };
/** Its tick of the night on which summer begins is optional. */
const BERLIN = { schedule: cron('30 2 * * *', { timeZone: 'Europe/Berlin' }), now: at('2026-03-29T12:00:00Z') };
const CLOSED = { schedule: except(BERLIN.schedule, { dates: ['2026-03-30'] }), now: at('2026-03-30T12:00:00Z') };
const SPRING = lockOf({ doneTick: at('2026-03-28T01:30:00Z') });
const LATER = { schedule: rate('1d', { start: at('2027-01-01T00:00:00Z') }) };
/** A job without ticks, by its runs. */
const ranAt = (...runs: readonly Parameters<typeof run>[]) => lockOf({ runs: runs.map((one) => run(...one)) });
const TROUBLED = ranAt(['failed', TODAYS], ['crashed', '2026-11-26T02:01:00Z'], ['succeeded', '2026-11-25T02:00:03Z']);
const LONG = lockOf({
  ...{ state: 'held', lockedAt: at('2026-11-26T09:00:00Z') },
  runs: [run('succeeded', '2026-11-26T07:00:00Z')],
});

type Case = readonly [string, LockInfo | undefined, options?: object | undefined, expected?: string | undefined];

/** Cases of a daily job at ten o'clock, by the overdue tick that is expected. */
const NOT_OVERDUE: readonly Case[] = [
  ['is done', lockOf(DONE)],
  ['is kept by lockAtLeastFor', lockOf({ ...DONE, state: 'waiting' })],
  ["is done at its start, by tickMark 'start', and failed", lockOf({ ...DONE, failuresInARow: 1 })],
  ['is younger than the usual grace', lockOf(DONE_YESTERDAY), { now: at('2026-11-26T02:14:59Z') }],
  ['is younger than the grace', lockOf(DONE_YESTERDAY), { grace: '8h1ms' }],
  ['is done by the schedule in its record', lockOf(IN_RECORD), OWN],
  ['is done by another schedule', lockOf(IN_RECORD), { schedule: '9h' }],
  ['is optional', SPRING, BERLIN],
  ['is left out', SPRING, CLOSED],
  ['is before since', undefined, { since: at(TODAYS) }],
  [
    'is before since, and the next one is younger than the grace',
    undefined,
    { schedule: '1h', since: at('2026-11-26T08:50:00Z') },
  ],
  ['is before the first one of all', undefined, LATER],
  ['is done by a call without a tick', ranAt(['succeeded', '2026-11-26T02:00:03Z'])],
  ['is done by a call without a tick that came early', ranAt(['succeeded', '2026-11-26T01:59:58Z'])],
  ['of two days is done by a run before those that failed', TROUBLED, { schedule: '2d' }],
  ['of a duration has a run at work that began less than it ago', LONG, { schedule: '2h' }],
  ['has a live lease', lockOf({ ...LIVE, lockUntil: at('2026-11-26T10:00:01Z') })],
  ['has a lease whose end is not known', lockOf(LIVE)],
  ['has a live lease beside a pause', lockOf(LIVE_AND_PAUSED)],
  ['is paused', lockOf({ ...PAUSED, paused: { until: at('2026-11-26T10:00:01Z'), by: 'ann' } })],
  ['F167 was not due when the store was read', lockOf(READ_EARLY), { now: undefined }],
  ['is before a since that is to come', undefined, SINCE],
  ['of the changed schedule is not due', lockOf(DONE), { schedule: cron('0 11 * * *') }],
];
const OVERDUE: readonly Case[] = [
  ['is not done', lockOf(DONE_YESTERDAY)],
  ['is as old as the usual grace', lockOf(DONE_YESTERDAY), { now: at('2026-11-26T02:15:00Z') }],
  ['is as old as the grace', lockOf(DONE_YESTERDAY), { grace: '8h' }],
  ['never ran', undefined],
  ['is without a record, though others ran', lockOf({ state: 'unused' })],
  ['failed and is open', lockOf(FAILED)],
  ['failed and crashed in calls without a tick', TROUBLED],
  ['F176 had a lease that is over when now is', lockOf({ ...LIVE, lockUntil: NOW })],
  ['F176 had a lease whose run died', lockOf(DIED)],
  ['had a lease whose end is not known', lockOf({ ...LIVE, state: 'expired' })],
  ['is run for an older tick', lockOf({ ...LIVE, tick: at('2026-11-24T02:00:00Z') })],
  ['is run without a tick', lockOf({ ...DONE_YESTERDAY, state: 'held', lockedAt: NOW })],
  ['was paused until now', lockOf({ ...PAUSED, paused: { until: NOW, by: 'ann' } })],
  ['F167 was due when the store was read', lockOf({ ...DONE_YESTERDAY, readAt: NOW }), { now: undefined }],
  ['was not due when the store was read, and is at the given now', lockOf(READ_EARLY)],
  ['F174 has a corrupt record', lockOf({ state: 'corrupt', problem: 'tick is torn' })],
  ['F174 has a corrupt record, and since is to come', lockOf({ state: 'corrupt' }), SINCE],
  ['is done by the schedule before', lockOf({ doneTick: at('2026-11-26T01:00:00Z') })],
  [
    'has a success without a tick only, beside ticks',
    lockOf({ ...DONE_YESTERDAY, runs: [run('succeeded', '2026-11-26T09:00:00Z')] }),
  ],
];
const OTHERS: readonly Case[] = [
  ['stopped three days ago', lockOf({ doneTick: at('2026-11-23T02:00:00Z') }), {}, '2026-11-24T02:00:00.000Z'],
  ['is late by another schedule', lockOf(IN_RECORD), { schedule: cron('0 9 * * *') }, '2026-11-26T09:00:00.000Z'],
  ['never ran by its hours', undefined, { schedule: '1h' }, '2026-11-26T09:45:00.000Z'],
  ['never ran, and has no schedule', undefined, OWN, '2026-11-26T09:45:00.000Z'],
  ['never ran since', undefined, { since: at('2026-11-24T12:00:00Z') }, '2026-11-25T02:00:00.000Z'],
  [
    'never ran since, by its hours',
    undefined,
    { schedule: '1h', since: at('2026-11-26T08:00:00Z') },
    '2026-11-26T09:00:00.000Z',
  ],
  ['is at work for longer than its duration', LONG, { schedule: '30m' }, '2026-11-26T09:30:00.000Z'],
  ['of a duration has failed ever since its success', TROUBLED, { schedule: '6h' }, '2026-11-25T08:00:03.000Z'],
];

type Row = [string, LockInfo | undefined, options: object | undefined, expected: string | undefined];

test.each<Row>([
  ...NOT_OVERDUE.map(([name, lock, options]): Row => [`${name}: none`, lock, options, undefined]),
  ...OVERDUE.map(([name, lock, options]): Row => [`${name}: today's`, lock, options, TODAYS]),
  ...OTHERS.map(([name, lock, options, expected]): Row => [name, lock, options, expected]),
])('row 181: a job, or its tick, %s', (_, lock, options, expected) => {
  expect(overdue(lock, options)).toBe(expected);
});

const HOURLY = { schedule: cron('0 * * * *') };
const hour = (hours: number, seconds = 0) =>
  new Date(at('2026-11-26T00:00:00Z').getTime() + hours * 3_600_000 + seconds * 1_000);
const hours = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, n) => hour(first + n));
const failedAt = (hours: number, seconds = 0): RunInfo => ({
  status: 'failed',
  lockedAt: hour(hours, seconds),
  fencingToken: hours,
});
const tenFailures = (last: number) => hours(last - 9, last).map((_, n) => failedAt(last - n, 2));
const DIED_FIRST = { state: 'expired', lockedAt: hour(9, 2), lockUntil: hour(9, 300) } as const;

/** Cases of a job of each hour that has never succeeded, at ten past ten, by the hour of the overdue tick. */
test.each<[name: string, lock: Partial<LockInfo>, options: object, expected: number | undefined]>([
  ['failed within the grace', { openTicks: hours(10, 10), tick: hour(10) }, {}, undefined],
  ['failed', { openTicks: hours(9, 9), tick: hour(9) }, {}, 9],
  ['failed, as all since then', { openTicks: hours(3, 10), runs: [failedAt(10, 2), failedAt(9, 2)] }, {}, 3],
  ['failed so long ago that a full list lacks it', { openTicks: hours(-89, 10) }, {}, -89],
  [
    'failed so long ago that a full list within the grace lacks it',
    { openTicks: hours(-89, 10) },
    { grace: '5d' },
    -110,
  ],
  ['died within the grace', { ...DIED_FIRST, tick: hour(9) }, { grace: '2h' }, undefined],
  ['died', { ...DIED_FIRST, tick: hour(9) }, {}, 9],
  ['died, as its second', { ...DIED_FIRST, tick: hour(9), openTicks: hours(8, 8) }, {}, 8],
  ['is at work', { ...DIED_FIRST, tick: hour(9), state: 'held', lockUntil: hour(11) }, {}, undefined],
  [
    'failed, and is at work again',
    { ...DIED_FIRST, tick: hour(10), state: 'held', lockUntil: hour(11), openTicks: hours(8, 9) },
    {},
    undefined,
  ],
  ['failed before the tick was left out', { openTicks: hours(8, 8) }, { schedule: cron('0 9 * * *') }, 9],
  ['failed, and was due since an earlier tick', { openTicks: hours(9, 9) }, { since: hour(5) }, 6],
  ['failed, and is due since a later one', { openTicks: hours(3, 3) }, { since: hour(5) }, 6],
  ['without a tick failed within the grace', { runs: [failedAt(10, 2)] }, {}, undefined],
  ['without a tick failed', { runs: [failedAt(10, 2), failedAt(9, 2), failedAt(7, 2)] }, {}, 7],
  ['without a tick failed, a little early', { runs: [failedAt(9, 3_598)] }, {}, undefined],
  ['without a tick is not among the last ten', { runs: tenFailures(10) }, {}, 1],
  ['without a tick is not among the last ten, all within the grace', { runs: tenFailures(10) }, { grace: '1d' }, -14],
  ['without a tick died, as far as anybody knows', DIED_FIRST, { grace: '2h' }, 8],
  ['without a tick died', DIED_FIRST, {}, 9],
  [
    'was by hand',
    { runs: [{ ...failedAt(7), isManual: true }], state: 'expired', isManual: true, lockedAt: hour(8) },
    {},
    9,
  ],
  ['of a duration failed within the grace', { runs: [failedAt(10)] }, { schedule: '1h' }, undefined],
  ['of a duration failed', { runs: [failedAt(9), failedAt(8)] }, { schedule: '1h' }, 8],
  ['of a duration with ticks failed', { openTicks: hours(7, 9) }, { schedule: '1h' }, 7],
])('F221 a job whose first run %s', (_, lock, options, expected) => {
  const tick = overdueTick(lockOf(lock), { ...HOURLY, now: hour(10, 600), ...options });

  expect(tick).toEqual(expected === undefined ? undefined : hour(expected));
});

test.each(['with ticks', 'without ticks'])(
  'F221 a job %s that fails from its first run on is overdue since then',
  async (kind) => {
    const { clock, store, options } = memoryLocks();
    const schedule = cron('0 * * * *');
    const admin = lockAdmin(store, { clock });
    const startMs = clock.now();
    const call = async (task: () => unknown) => {
      const tick = kind === 'with ticks' ? { tick: new Date(clock.now()) } : {};
      await executeWithLock(task, { ...options, ...tick, schedule }).catch(() => undefined);
    };
    const fail = () => Promise.reject(new Error('boom'));
    const found = async () =>
      overdueTick(await admin.get('digest'), { schedule, now: new Date(clock.now()) })?.getTime();

    await call(fail);
    expect(await found()).toBeUndefined();
    await clock.advance(15 * MINUTE);
    expect(await found()).toBe(startMs);
    for (let hours = 1; hours <= 9; hours++) {
      await clock.advance(startMs + hours * 60 * MINUTE - clock.now());
      await call(fail);
      expect(await found()).toBe(startMs);
    }
    await call(() => 'done');
    expect(await found()).toBeUndefined();
  },
);

test('row 181: any job is overdue exactly if its oldest unserved tick is as old as the grace', () => {
  const quarters = rate('15m', { start: at('2026-11-20T00:00:00Z') });
  const startMs = at('2026-11-20T00:00:00Z').getTime();
  const minute = fc.integer({ min: 0, max: 3_000 });
  const any = fc.record({
    now: minute,
    grace: fc.integer({ min: 0, max: 120 }),
    done: fc.option(fc.integer({ min: 0, max: 200 })),
    open: fc.uniqueArray(fc.integer({ min: 0, max: 200 }), { maxLength: 3 }),
    leased: fc.option(fc.record({ tick: fc.integer({ min: 0, max: 200 }), until: minute })),
    pausedUntil: fc.option(minute),
  });
  fc.assert(
    fc.property(any, ({ now, grace, done, open, leased, pausedUntil }) => {
      const instant = (minutes: number) => new Date(startMs + minutes * MINUTE);
      const held =
        leased && ({ state: 'held', tick: instant(leased.tick * 15), lockUntil: instant(leased.until) } as const);
      const paused =
        pausedUntil === null
          ? {}
          : ({
              state: 'paused',
              underlyingState: held ? 'held' : 'free',
              paused: { until: instant(pausedUntil), by: 'ann' },
            } as const);
      const lock = lockOf({
        ...(done !== null && { doneTick: instant(done * 15) }),
        openTicks: open.sort((a, b) => a - b).map((tick) => instant(tick * 15)),
        ...held,
        ...paused,
        readAt: instant(now),
      });
      const served = Math.max(done ?? -1, leased && leased.until > now ? leased.tick : -1);
      const begun = [...open, ...(leased ? [leased.tick] : [])];
      const first = begun.length > 0 ? Math.min(...begun) : Math.floor((now - grace) / 15);
      const oldest = served === -1 ? first : served + 1;
      const isOverdue = !(pausedUntil !== null && pausedUntil > now) && oldest >= 0 && oldest * 15 <= now - grace;

      expect(overdueTick(lock, { schedule: quarters, grace: grace * MINUTE })).toEqual(
        isOverdue ? instant(oldest * 15) : undefined,
      );
    }),
    { numRuns: 2_000 },
  );
});

const NO_SCHEDULE = "the record has no schedule: set schedule, such as cron('0 9 * * *') or '1h'";

test.each<[string, LockInfo | undefined, object, string]>([
  ['a record without a schedule, and none given', lockOf(), OWN, NO_SCHEDULE],
  [
    'a grace without a unit',
    undefined,
    { grace: '15' },
    "grace is '15', which has no unit: write '15ms', '15s' or '15m'",
  ],
  ['an invalid now', undefined, { now: new Date(Number.NaN) }, 'now is an invalid Date: pass a valid Date'],
  ['a text as since', undefined, { since: '2026' }, "since is '2026': pass a valid Date"],
  ['a crontab', undefined, { schedule: '0 9 * * *' }, "schedule is '0 9 * * *': pass a duration such as '15m', or a"],
  [
    'a rate',
    undefined,
    { schedule: 'rate(5 minutes)' },
    "schedule is 'rate(5 minutes)': pass a duration such as '15m'",
  ],
  [
    'a schedule of the record that nobody can read',
    lockOf({ schedule: 'each full moon' }),
    OWN,
    "schedule is 'each full moon': has 3 fields; use five",
  ],
])('refuses %s', (_, lock, options, message) => {
  expect(() => overdue(lock, options)).toThrow(message);
});
