import { scheduleFromEnvironment } from 'single-execution/schedule';
import { describe, expect, test, vi } from 'vitest';

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
        'SINGLE_EXECUTION_SCHEDULE is not set: SingleExecutionFunction sets it unless its schedules differ; elsewhere set it, such as to cron(0 2 * * ? *), or give the schedule in code',
      ),
    );
  });

  test('is refused where it cannot be read', () => {
    vi.stubEnv('SINGLE_EXECUTION_SCHEDULE', '0 9 * * *');

    expect(() => scheduleFromEnvironment()).toThrow("schedule is '0 9 * * *': give one such as cron(0 2 * * ? *)");
  });
});
