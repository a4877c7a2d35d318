import { type LockInfo, overdueTick, type RunInfo } from 'single-execution/admin';
import { cron, except, rate } from 'single-execution/schedule';
import { describe, expect, test } from 'vitest';

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

describe('a job with ticks', () => {
  test('that has done its newest tick is not overdue', () => {
    expect(overdue(lockOf({ doneTick: at('2026-11-26T02:00:00Z') }))).toBeUndefined();
  });

  test('that stopped three days ago is overdue since the first tick that is not done', () => {
    expect(overdue(lockOf({ doneTick: at('2026-11-23T02:00:00Z') }))).toBe('2026-11-24T02:00:00.000Z');
  });

  test('is overdue as soon as its tick is as old as the grace, which is 15 minutes', () => {
    const lock = lockOf({ doneTick: at('2026-11-25T02:00:00Z') });

    expect(overdue(lock, { now: at('2026-11-26T02:14:59Z') })).toBeUndefined();
    expect(overdue(lock, { now: at('2026-11-26T02:15:00Z') })).toBe('2026-11-26T02:00:00.000Z');
    expect(overdue(lock, { grace: '8h1ms' })).toBeUndefined();
    expect(overdue(lock, { grace: '8h' })).toBe('2026-11-26T02:00:00.000Z');
  });

  test('is not overdue while a live lease has that tick or a later one, and is when the lease is over', () => {
    const lock = lockOf({ doneTick: at('2026-11-25T02:00:00Z'), tick: at('2026-11-26T02:00:00Z'), state: 'held' });

    expect(overdue(lock)).toBeUndefined();
    expect(overdue({ ...lock, state: 'expired' })).toBe('2026-11-26T02:00:00.000Z');
    expect(overdue({ ...lock, tick: at('2026-11-25T02:00:00Z') })).toBe('2026-11-26T02:00:00.000Z');
  });

  test('is overdue when its newest tick has failed and is open', () => {
    const failed = [run('failed', '2026-11-26T02:00:01Z', { tick: at('2026-11-26T02:00:00Z') })];
    const lock = lockOf({
      doneTick: at('2026-11-25T02:00:00Z'),
      openTicks: [at('2026-11-26T02:00:00Z')],
      runs: failed,
    });

    expect(overdue(lock)).toBe('2026-11-26T02:00:00.000Z');
  });

  test('is not overdue while it is paused', () => {
    const paused = { until: at('2026-12-01T00:00:00Z'), by: 'ann' };

    expect(overdue(lockOf({ state: 'paused', underlyingState: 'free', paused }))).toBeUndefined();
  });

  test('is judged by the time at which the store was read, unless now is given', () => {
    const lock = lockOf({ doneTick: at('2026-11-25T02:00:00Z'), readAt: at('2026-11-26T02:10:00Z') });

    expect(overdueTick(lock, { schedule: daily })).toBeUndefined();
    expect(overdueTick(lock, { schedule: daily, now: NOW })).toEqual(at('2026-11-26T02:00:00Z'));
  });

  test('is judged by the schedule in its record, unless another is given', () => {
    const lock = lockOf({ doneTick: at('2026-11-26T02:00:00Z'), schedule: '0 3 * * * in Europe/Berlin' });

    expect(overdueTick(lock, { now: NOW })).toBeUndefined();
    expect(overdueTick(lock, { now: NOW, schedule: '9h' })).toBeUndefined();
    expect(overdueTick(lock, { now: NOW, schedule: cron('0 9 * * *') })).toEqual(at('2026-11-26T09:00:00Z'));
  });

  test('is not overdue for a tick that is optional or left out', () => {
    const berlin = cron('30 2 * * *', { timeZone: 'Europe/Berlin' });
    const lock = lockOf({ doneTick: at('2026-03-28T01:30:00Z') });

    expect(overdue(lock, { schedule: berlin, now: at('2026-03-29T12:00:00Z') })).toBeUndefined();
    const closed = except(berlin, { dates: ['2026-03-30'] });
    expect(overdue(lock, { schedule: closed, now: at('2026-03-30T12:00:00Z') })).toBeUndefined();
  });
});

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

describe('a job that never ran', () => {
  test('is overdue at once, with the newest tick that is old enough', () => {
    expect(overdue(undefined)).toBe('2026-11-26T02:00:00.000Z');
    expect(overdue(lockOf({ state: 'unused' }))).toBe('2026-11-26T02:00:00.000Z');
    expect(overdue(undefined, { schedule: '1h' })).toBe('2026-11-26T09:45:00.000Z');
    expect(overdueTick(undefined, { now: NOW })).toEqual(at('2026-11-26T09:45:00Z'));
  });

  test('is overdue from its first tick after since', () => {
    expect(overdue(undefined, { since: at('2026-11-26T02:00:00Z') })).toBeUndefined();
    expect(overdue(undefined, { since: at('2026-11-24T12:00:00Z') })).toBe('2026-11-25T02:00:00.000Z');
    expect(overdue(undefined, { schedule: '1h', since: at('2026-11-26T08:50:00Z') })).toBeUndefined();
    expect(overdue(undefined, { schedule: '1h', since: at('2026-11-26T08:00:00Z') })).toBe('2026-11-26T09:00:00.000Z');
  });

  test('has no ticks that could be overdue before its first tick of all', () => {
    expect(overdue(undefined, { schedule: rate('1d', { start: at('2027-01-01T00:00:00Z') }) })).toBeUndefined();
  });
});

describe('a job whose calls carry no tick', () => {
  test('counts from its last success, which may have begun a little before its tick', () => {
    expect(overdue(lockOf({ runs: [run('succeeded', '2026-11-26T02:00:03Z')] }))).toBeUndefined();
    expect(overdue(lockOf({ runs: [run('succeeded', '2026-11-26T01:59:58Z')] }))).toBeUndefined();
    expect(overdue(lockOf({ runs: [run('succeeded', '2026-11-25T02:00:03Z')] }))).toBe('2026-11-26T02:00:00.000Z');
  });

  test('does not count runs that failed or crashed', () => {
    const runs = [
      run('failed', '2026-11-26T02:00:00Z'),
      run('crashed', '2026-11-26T02:01:00Z'),
      run('succeeded', '2026-11-25T02:00:03Z'),
    ];

    expect(overdue(lockOf({ runs }))).toBe('2026-11-26T02:00:00.000Z');
    expect(overdue(lockOf({ runs }), { schedule: '2d' })).toBeUndefined();
    expect(overdue(lockOf({ runs }), { schedule: '6h' })).toBe('2026-11-25T08:00:03.000Z');
  });

  test('is not overdue while a run has the lock, until a whole duration after its start', () => {
    const lock = lockOf({
      state: 'held',
      lockedAt: at('2026-11-26T09:00:00Z'),
      runs: [run('succeeded', '2026-11-26T07:00:00Z')],
    });

    expect(overdue(lock, { schedule: '2h' })).toBeUndefined();
    expect(overdue(lock, { schedule: '30m' })).toBe('2026-11-26T09:30:00.000Z');
  });
});

test.each<[string, () => unknown, Error]>([
  [
    'a record without a schedule, and none given',
    () => overdueTick(lockOf(), { now: NOW }),
    new TypeError("the record has no schedule: give schedule, such as cron('0 9 * * *') or '1h'"),
  ],
  [
    'a grace without a unit',
    () => overdue(undefined, { grace: '15' }),
    new TypeError("grace is '15', which has no unit: write '15ms', '15s' or '15m'"),
  ],
  [
    'an invalid now',
    () => overdue(undefined, { now: new Date(Number.NaN) }),
    new TypeError('now is an invalid Date: give a valid Date'),
  ],
  [
    'a text as since',
    () => overdue(undefined, { since: '2026' as never }),
    new TypeError("since is '2026': give a valid Date"),
  ],
  [
    'a schedule of the record that nobody can read',
    () => overdueTick(lockOf({ schedule: 'each full moon' }), { now: NOW }),
    new RangeError(
      "schedule is 'each full moon': has 3 fields; give five, minutes hours day-of-month month day-of-week, such as 0 9 * * MON-FRI, or six with seconds in front",
    ),
  ],
])('refuses %s', (_, ask, error) => {
  expect(ask).toThrow(error);
});
