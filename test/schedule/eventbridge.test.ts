import { eventBridge } from 'single-execution/schedule';
import { describe, expect, test } from 'vitest';

const AT = new Date('2026-11-22T10:07:00Z');
const iso = (date: Date | undefined) => date?.toISOString();

describe('row 88: the schedule of an expression of EventBridge', () => {
  test.each<[string, string | undefined, string | undefined]>([
    // 1 is Sunday.
    ['cron(0 9 ? * 2-6 *)', '2026-11-20T09:00:00.000Z', '2026-11-23T09:00:00.000Z'],
    ['cron(0 9 ? * MON-FRI *)', '2026-11-20T09:00:00.000Z', '2026-11-23T09:00:00.000Z'],
    ['cron(0 12 ? * L *)', '2026-11-21T12:00:00.000Z', '2026-11-28T12:00:00.000Z'],
    ['cron(0 12 ? * 6L *)', '2026-10-30T12:00:00.000Z', '2026-11-27T12:00:00.000Z'],
    ['cron(0 12 ? * 3#2 *)', '2026-11-10T12:00:00.000Z', '2026-12-08T12:00:00.000Z'],
    ['cron(0 12 LW * ? *)', '2026-10-30T12:00:00.000Z', '2026-11-30T12:00:00.000Z'],
    ['cron(7 10 22 11 ? 2026)', '2026-11-22T10:07:00.000Z', undefined],
    ['cron(0 0 1 1 ? 2030/5)', undefined, '2030-01-01T00:00:00.000Z'],
    ['cron(0 0 1 1 ? 2020-2022)', '2022-01-01T00:00:00.000Z', undefined],
    // What Scheduler takes beyond the field: a step has one value, a range past the end goes on at the first value.
    ['cron(0/60 * * * ? *)', '2026-11-22T10:00:00.000Z', '2026-11-22T11:00:00.000Z'],
    ['cron(15/75 * * * ? *)', '2026-11-22T09:15:00.000Z', '2026-11-22T10:15:00.000Z'],
    ['cron(0 0/24 * * ? *)', '2026-11-22T00:00:00.000Z', '2026-11-23T00:00:00.000Z'],
    ['cron(0 20-4/4 * * ? *)', '2026-11-22T04:00:00.000Z', '2026-11-22T20:00:00.000Z'],
    ['cron(0 0 1 NOV-MAR/2 ? *)', '2026-11-01T00:00:00.000Z', '2027-01-01T00:00:00.000Z'],
    ['cron(0 0 ? * SAT-MON/2 *)', '2026-11-21T00:00:00.000Z', '2026-11-23T00:00:00.000Z'],
    ['at(2026-12-24T18:00:00)', undefined, '2026-12-24T18:00:00.000Z'],
    ['at(2020-12-24T18:00:00)', '2020-12-24T18:00:00.000Z', undefined],
    ['at(2026-11-22T10:07:00)', '2026-11-22T10:07:00.000Z', undefined],
  ])('%s fires at or before 10:07 at %o, and next at %o', (expression, before, after) => {
    const schedule = eventBridge(expression);

    expect(iso(schedule.previous(AT))).toBe(before);
    expect(iso(schedule.next(AT))).toBe(after);
  });

  test('is in the time zone that is given', () => {
    const evening = eventBridge('at(2026-12-24T18:00:00)', { timeZone: 'Europe/Berlin' });

    expect(iso(evening.next(AT))).toBe('2026-12-24T17:00:00.000Z');
    expect(String(evening)).toBe('at(2026-12-24T18:00:00) in Europe/Berlin');
  });

  test('knows how far apart the ticks of a rate are, and not when they are due', () => {
    const rate = eventBridge('rate(15 minutes)', { timeZone: 'Europe/Berlin' });

    expect(rate.everyMs).toBe(900_000);
    expect(iso(rate.next(AT))).toBe('2026-11-22T10:22:00.000Z');
    expect(String(rate)).toBe('rate(15 minutes)');
    expect(eventBridge('cron(0 9 * * ? *)').everyMs).toBeUndefined();
  });

  test.each<[string, string | undefined, string]>([
    ['0 9 ? * MON-FRI *', undefined, 'use one such as cron(0 2 * * ? *), rate(5 minutes) or at(2026-01-01T02:00:00)'],
    ['cron(0 9 30 2 ? *)', undefined, 'never fires: no such day is in its months and years; use days that they have'],
    [
      'cron(30 2 29 3 ? 2026)',
      'Europe/Berlin',
      'never fires: in Europe/Berlin the clock goes forward over that time; use another time',
    ],
    [
      'at(2026-03-29T02:30:00)',
      'Europe/Berlin',
      'never fires: in Europe/Berlin the clock goes forward over that time; use another time',
    ],
  ])('refuses %s in %s', (expression, timeZone, problem) => {
    expect(() => eventBridge(expression, timeZone ? { timeZone } : {})).toThrow(
      new RangeError(`schedule is '${expression}': ${problem}`),
    );
  });

  test.each([
    ['rate(1 hours)', 3_600_000],
    ['rate(1 minutes)', 60_000],
    ['rate(1 days)', 86_400_000],
    ['rate(12 hour)', 43_200_000],
  ])('reads %s, which Scheduler takes', (expression, everyMs) => {
    expect(eventBridge(expression).everyMs).toBe(everyMs);
  });

  test('refuses an unknown option by its owner', () => {
    expect(() => eventBridge('rate(5 minutes)', { zone: 'UTC' } as object)).toThrow(
      new TypeError("unknown option 'zone' of eventBridge: the option is timeZone"),
    );
  });
});
