import { withSingleExecution } from 'single-execution/process';
import { cron, type Schedule } from 'single-execution/schedule';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { memoryLocks } from '../support/memory-locks.js';

let lines: string[];
beforeEach(() => {
  lines = [];
  vi.spyOn(console, 'warn').mockImplementation((line) => {
    lines.push(JSON.parse(line).message);
  });
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** Calls a job at these instants, on a clock that shows them. */
async function callAt(schedule: Schedule, instants: readonly string[]): Promise<(string | Date | undefined)[]> {
  const { options, clock: stopped } = memoryLocks();
  const clock = { ...stopped, now: () => nowMs };
  let nowMs = 0;
  const job = withSingleExecution(async ({ tick }) => tick, {
    ...options,
    observers: [],
    lockAtMostFor: '1m',
    tick: 'nearest',
    schedule,
    clock,
  });
  const results: (string | Date | undefined)[] = [];
  for (const instant of instants) {
    nowMs = Date.parse(instant);
    const result = await job();
    results.push(result === undefined || result instanceof Date ? result : result.reason);
  }
  return results;
}

const daily = () => cron('0 9 * * *');
const days = (first: number, count: number, time: string) =>
  Array.from({ length: count }, (_, day) => `2026-03-${String(first + day).padStart(2, '0')}T${time}Z`);

const told = (minutes: string, schedule = '0 9 * * *') => [
  `lock "digest": calls always come ${minutes} a tick of the schedule ${schedule}: set schedule to the expression and the time zone of the scheduler, such as { timeZone: 'Europe/London' }`,
];

describe("row 150: 'nearest' warns once of a schedule that does not fit its calls", () => {
  test('of London, whose scheduler changes its clock while the schedule is in UTC', async () => {
    const results = await callAt(daily(), [
      ...days(26, 3, '09:00:00.020'),
      '2026-03-29T08:00:00.015Z',
      '2026-03-30T08:00:00.100Z',
      '2026-03-31T08:00:00.002Z',
    ]);

    expect(results[3]).toBe('already-executed');
    expect(lines).toEqual(told('60 minutes before'));
  });

  test.each<[string, Schedule, string[], string]>([
    ['west of UTC', daily(), days(2, 3, '14:00:03'), '300 minutes after'],
    ['in a zone of half an hour', daily(), days(2, 3, '03:30:02'), '330 minutes before'],
    ['at another time of day', daily(), days(2, 4, '14:23:20'), '323 minutes after'],
    [
      'every hour, in a zone of half an hour',
      cron('0 * * * *'),
      ['10:30:01', '11:30:00', '12:30:40', '13:29:50', '14:29:50'].map((time) => `2026-03-02T${time}Z`),
      '30 minutes after',
    ],
    [
      'over a weekend',
      cron('0 9 * * MON-FRI'),
      ['2026-03-06T08:00:01Z', '2026-03-09T08:00:02Z', '2026-03-10T08:00:02Z'],
      '60 minutes before',
    ],
  ])('%s', async (_, schedule, instants, minutes) => {
    await callAt(schedule, instants);

    expect(lines).toEqual(told(minutes, String(schedule)));
  });

  test.each<[string, Schedule, string[]]>([
    ['calls on time', daily(), days(1, 10, '09:00:00')],
    ['calls that are late by minutes', daily(), days(1, 10, '09:08:00')],
    [
      'one call by hand at a whole hour each day',
      daily(),
      days(1, 8, '09:00:00').flatMap((call) => [call, call.replace('T09', 'T17')]),
    ],
    [
      'a burst of calls after an outage',
      daily(),
      [
        ...days(1, 2, '09:00:00'),
        ...Array.from({ length: 9 }, (_, n) => `2026-03-04T14:00:0${n}Z`),
        ...days(5, 3, '09:00:00'),
      ],
    ],
    [
      'a scheduler that calls at any minute of the hour',
      daily(),
      ['09:12', '09:47', '09:03', '09:31', '09:30', '09:58', '09:21'].map(
        (time, day) => `2026-03-0${day + 1}T${time}:00Z`,
      ),
    ],
    [
      'a schedule of minutes',
      cron('*/5 * * * *'),
      Array.from({ length: 9 }, (_, n) => `2026-03-01T10:${n}3:00Z`.replace(/:(\d)3:/, ':$13:')).slice(0, 6),
    ],
    [
      'the days on which clocks change',
      cron('0 9 * * *', { timeZone: 'Europe/London' }),
      [...days(26, 3, '09:00:00'), ...days(29, 3, '08:00:00')],
    ],
  ])('never of %s', async (_, schedule, instants) => {
    await callAt(schedule, instants);

    expect(lines).toEqual([]);
  });
});
