import { withSingleExecution } from 'single-execution/process';
import { scheduleFromEnvironment } from 'single-execution/schedule';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { MINUTE, memoryLocks, NOW } from '../support/memory-locks.js';

const AT = new Date('2026-11-22T10:07:00Z');

describe('row 88: the schedule of the environment', () => {
  test('has the expression and the time zone that stand there', () => {
    vi.stubEnv('SINGLE_EXECUTION_SCHEDULE', 'cron(0 9 * * ? *)');
    vi.stubEnv('SINGLE_EXECUTION_TIME_ZONE', 'America/New_York');

    expect(scheduleFromEnvironment().next(AT)).toEqual(new Date('2026-11-22T14:00:00Z'));
  });

  test('is in UTC without a time zone', () => {
    vi.stubEnv('SINGLE_EXECUTION_SCHEDULE', 'cron(0 9 * * ? *)');

    expect(String(scheduleFromEnvironment())).toBe('cron(0 9 * * ? *)');
  });

  test.each([undefined, ''])('is refused where there is none: %o', (value) => {
    vi.stubEnv('SINGLE_EXECUTION_SCHEDULE', value);

    expect(() => scheduleFromEnvironment()).toThrow(
      new TypeError(
        'SINGLE_EXECUTION_SCHEDULE is not set: SingleExecutionFunction sets it unless its schedules differ; elsewhere set it, such as to cron(0 2 * * ? *), or pass the schedule in code',
      ),
    );
  });

  describe('row 152: that cannot be read', () => {
    const { options, clock } = memoryLocks();
    const locks = { ...options, observers: [], clock: { ...clock, now: () => tickMs } };
    let tickMs = NOW;
    let lines: string[];
    beforeEach(() => {
      lines = [];
      vi.spyOn(console, 'warn').mockImplementation((line) => lines.push(JSON.parse(line).message));
    });
    afterEach(() => {
      vi.restoreAllMocks();
    });

    test.each<[string, string, string | undefined]>([
      ['0 9 * * *', 'use one such as cron(0 2 * * ? *), rate(5 minutes) or at(2026-01-01T02:00:00)', undefined],
      ['cron(0 9 L-2 * ? *)', "day-of-month has 'L-2'", undefined],
      ['cron(0 9 * * ? *)', "timeZone is 'Mars/Phobos', which is unknown here", 'Mars/Phobos'],
    ])('%s is one warning, and a schedule without ticks', async (expression, problem, timeZone) => {
      vi.stubEnv('SINGLE_EXECUTION_SCHEDULE', expression);
      vi.stubEnv('SINGLE_EXECUTION_TIME_ZONE', timeZone);
      const schedule = scheduleFromEnvironment();

      expect(lines).toEqual([
        expect.stringContaining('SINGLE_EXECUTION_SCHEDULE cannot be read, so no tick is missed or caught up with: '),
      ]);
      expect(lines[0]).toContain(problem);
      expect([schedule.previous(AT), schedule.next(AT), schedule.between(new Date(0), AT)]).toEqual([
        undefined,
        undefined,
        [],
      ]);
      expect(String(schedule)).toBe(expression);
    });

    test.each(['none', 'latest', 'all'] as const)('keeps no function from starting, with catchUp %s', async (mode) => {
      vi.stubEnv('SINGLE_EXECUTION_SCHEDULE', 'every monday');
      const schedule = scheduleFromEnvironment();
      const missed: number[] = [];
      const job = withSingleExecution(({ missedTicks }) => missed.push(missedTicks.length), {
        ...locks,
        name: mode,
        schedule,
        catchUp: { mode },
        tick: () => tickMs,
      });
      for (const day of [0, 5, 6]) {
        tickMs = NOW + day * 24 * 60 * MINUTE;
        await job();
      }

      expect(missed).toEqual([0, 0, 0]);
      expect(lines).toHaveLength(1);
    });

    test("is refused with tick: 'nearest', as any schedule that does not say when ticks are due", () => {
      vi.stubEnv('SINGLE_EXECUTION_SCHEDULE', 'every monday');

      expect(() =>
        withSingleExecution(() => {}, { ...locks, tick: 'nearest', schedule: scheduleFromEnvironment() }),
      ).toThrow("tick is 'nearest', but no schedule says when ticks are due");
    });
  });
});
