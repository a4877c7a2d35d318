import { cron } from 'single-execution/schedule';
import { describe, expect, test } from 'vitest';

const iso = (date: Date | null | undefined) => date?.toISOString();
/** A Sunday. */
const AT = new Date('2026-11-22T10:07:30.500Z');

describe('row 88: the schedule of a crontab', () => {
  test.each<[string, string | undefined, string | undefined]>([
    ['* * * * *', '2026-11-22T10:07:00.000Z', '2026-11-22T10:08:00.000Z'],
    ['0 9 * * MON-FRI', '2026-11-20T09:00:00.000Z', '2026-11-23T09:00:00.000Z'],
    ['0 9 * * 1-5', '2026-11-20T09:00:00.000Z', '2026-11-23T09:00:00.000Z'],
    ['0 9 * * fri-mon', '2026-11-22T09:00:00.000Z', '2026-11-23T09:00:00.000Z'],
    ['0 12 * * 0', '2026-11-15T12:00:00.000Z', '2026-11-22T12:00:00.000Z'],
    ['0 12 * * 7', '2026-11-15T12:00:00.000Z', '2026-11-22T12:00:00.000Z'],
    ['*/15 22-1 * * *', '2026-11-22T01:45:00.000Z', '2026-11-22T22:00:00.000Z'],
    ['5/20 * * * *', '2026-11-22T10:05:00.000Z', '2026-11-22T10:25:00.000Z'],
    ['0 0 31 * *', '2026-10-31T00:00:00.000Z', '2026-12-31T00:00:00.000Z'],
    ['0 0 29 2 *', '2024-02-29T00:00:00.000Z', '2028-02-29T00:00:00.000Z'],
    ['0 0 L * *', '2026-10-31T00:00:00.000Z', '2026-11-30T00:00:00.000Z'],
    ['0 0 LW * *', '2026-10-30T00:00:00.000Z', '2026-11-30T00:00:00.000Z'],
    ['0 0 15W * *', '2026-11-16T00:00:00.000Z', '2026-12-15T00:00:00.000Z'],
    ['0 0 * * 5L', '2026-10-30T00:00:00.000Z', '2026-11-27T00:00:00.000Z'],
    ['0 0 * * TUE#2', '2026-11-10T00:00:00.000Z', '2026-12-08T00:00:00.000Z'],
    ['30 0 9 * * *', '2026-11-22T09:00:30.000Z', '2026-11-23T09:00:30.000Z'],
    ['*/10 * * * * *', '2026-11-22T10:07:30.000Z', '2026-11-22T10:07:40.000Z'],
    // Either day is enough where both are given, as in a crontab; unless one begins with a star.
    ['0 0 13 * FRI', '2026-11-20T00:00:00.000Z', '2026-11-27T00:00:00.000Z'],
    ['0 2 */2 * MON', '2026-11-09T02:00:00.000Z', '2026-11-23T02:00:00.000Z'],
    ['0 9 1-7 * */7', '2026-11-01T09:00:00.000Z', '2026-12-06T09:00:00.000Z'],
    ['0 9 *,15 * MON', '2026-11-16T09:00:00.000Z', '2026-11-23T09:00:00.000Z'],
    ['@daily', '2026-11-22T00:00:00.000Z', '2026-11-23T00:00:00.000Z'],
    ['@midnight', '2026-11-22T00:00:00.000Z', '2026-11-23T00:00:00.000Z'],
    ['@hourly', '2026-11-22T10:00:00.000Z', '2026-11-22T11:00:00.000Z'],
    ['@weekly', '2026-11-22T00:00:00.000Z', '2026-11-29T00:00:00.000Z'],
    [' @Monthly ', '2026-11-01T00:00:00.000Z', '2026-12-01T00:00:00.000Z'],
    ['@yearly', '2026-01-01T00:00:00.000Z', '2027-01-01T00:00:00.000Z'],
    ['@annually', '2026-01-01T00:00:00.000Z', '2027-01-01T00:00:00.000Z'],
    // A step beyond the field has one value; a range past the end goes on at the first value.
    ['*/60 * * * *', '2026-11-22T10:00:00.000Z', '2026-11-22T11:00:00.000Z'],
    ['0 22-2/2 * * *', '2026-11-22T02:00:00.000Z', '2026-11-22T22:00:00.000Z'],
    ['0 0 * * FRI-TUE/2', '2026-11-22T00:00:00.000Z', '2026-11-24T00:00:00.000Z'],
    [' 0\t9  * * * ', '2026-11-22T09:00:00.000Z', '2026-11-23T09:00:00.000Z'],
  ])('%o fires before and after 10:07:30 at %o and %o', (expression, before, after) => {
    const schedule = cron(expression);

    expect(iso(schedule.previous(AT))).toBe(before);
    expect(iso(schedule.next(AT))).toBe(after);
  });

  test('is in UTC unless a time zone is given', () => {
    expect(iso(cron('0 9 * * *').next(AT))).toBe('2026-11-23T09:00:00.000Z');
    expect(iso(cron('0 9 * * *', { timeZone: 'America/New_York' }).next(AT))).toBe('2026-11-22T14:00:00.000Z');
  });

  test('shows its expression, and its time zone if that is not UTC', () => {
    expect(String(cron('0 9 * * *'))).toBe('0 9 * * *');
    expect(String(cron('0 9 * * *', { timeZone: 'Europe/Berlin' }))).toBe('0 9 * * * in Europe/Berlin');
  });

  test('fires in the years from 1970 to 2199', () => {
    const newYear = cron('0 0 1 1 *');

    expect(iso(newYear.previous(new Date(0)))).toBe('1970-01-01T00:00:00.000Z');
    expect(newYear.previous(new Date(-1))).toBeUndefined();
    expect(newYear.previous(new Date(-8.64e15))).toBeUndefined();
    expect(iso(newYear.next(new Date(-8.64e15)))).toBe('1970-01-01T00:00:00.000Z');
    expect(iso(newYear.previous(new Date(8.64e15)))).toBe('2199-01-01T00:00:00.000Z');
    expect(newYear.next(new Date('2199-01-01T00:00:00Z'))).toBeUndefined();
    expect(newYear.next(new Date(8.64e15))).toBeUndefined();
  });

  const EVENTBRIDGE = "is in EventBridge's dialect; pass it to eventBridge(), as eventBridge";
  const QUESTION = 'has a ?, which a crontab does not know; use * instead, as in';
  const WORDS = '@yearly, @annually, @monthly, @weekly, @daily, @midnight, @hourly';
  const FIVE =
    'use five, minutes hours day-of-month month day-of-week, such as 0 9 * * MON-FRI, or six with seconds in front';
  const OR_MORE = 'or a list, a range or a step of them, or *';

  test.each<[string, string]>([
    ['', `has 0 fields; ${FIVE}`],
    ['daily', `has 1 field; ${FIVE}`],
    ['@reboot', 'is for the start of a machine, which is not a scheduled time; use a time'],
    ['@every 5m', "is for an interval; pass it to rate(), such as rate('5m', { start })"],
    ['@fortnightly', `is not a word of a crontab; use one of ${WORDS}, or five fields`],
    ['@daily 2', `is not a word of a crontab; use one of ${WORDS}, or five fields`],
    ['0 9 * *', `has 4 fields; ${FIVE}`],
    ['0 0 9 * * * 2026', `has 7 fields; ${FIVE}`],
    ['0 9 ? * MON-FRI *', `${EVENTBRIDGE}('cron(0 9 ? * MON-FRI *)')`],
    ['0 9 * * ? *', `${EVENTBRIDGE}('cron(0 9 * * ? *)')`],
    ['cron(0 9 ? * MON-FRI *)', `${EVENTBRIDGE}('cron(0 9 ? * MON-FRI *)')`],
    ['rate(5 minutes)', `${EVENTBRIDGE}('rate(5 minutes)')`],
    ['at(2026-01-01T02:00:00)', `${EVENTBRIDGE}('at(2026-01-01T02:00:00)')`],
    ['0 9 ? * MON-FRI', `${QUESTION} 0 9 * * MON-FRI`],
    ['0 0 9 ? * MON-FRI', `${QUESTION} 0 0 9 * * MON-FRI`],
    ['0 0 9 1 * ?', `${QUESTION} 0 0 9 1 * *`],
    ['60 * * * *', `minutes has '60'; use 0-59, ${OR_MORE}`],
    ['60 0 * * * *', `seconds has '60'; use 0-59, ${OR_MORE}`],
    ['0 24 * * *', `hours has '24'; use 0-23, ${OR_MORE}`],
    ['0 9 * * 8', `day-of-week has '8'; use 0-7 (0 and 7 are Sunday) or SUN-SAT, 5L or 2#2, ${OR_MORE}`],
    ['0 9 * * L', `day-of-week has 'L'; use 0-7 (0 and 7 are Sunday) or SUN-SAT, 5L or 2#2, ${OR_MORE}`],
    ['*/0 * * * *', "minutes has '*/0'; use a step of 1-59"],
    ['0 0 30 2 *', 'never fires: no such day is in its months and years; use days that they have'],
  ])('refuses %o', (expression, problem) => {
    expect(() => cron(expression)).toThrow(new RangeError(`schedule is '${expression}': ${problem}`));
  });

  test.each<[unknown, object, Error]>([
    [5, {}, new TypeError('schedule is 5: pass a string')],
    [undefined, {}, new TypeError('schedule is undefined: pass a string')],
    ['* * * * *', { zone: 1 }, new TypeError("unknown option 'zone' of cron: the options are timeZone, dialect")],
    [
      '* * * * *',
      { dialect: 'quartz' },
      new TypeError("dialect is 'quartz': choose 'crontab' or 'croner' or 'cron' or 'node-cron'"),
    ],
    [
      '* * * * *',
      { timeZone: 1 },
      new TypeError('timeZone is 1: pass a name such as Europe/Berlin, or leave it out for UTC'),
    ],
    ...['Mars/Phobos', '', '+02:00'].map((timeZone): [unknown, object, Error] => [
      '* * * * *',
      { timeZone },
      new RangeError(`timeZone is '${timeZone}', which is unknown here: pass a name such as Europe/Berlin, or UTC`),
    ]),
  ])('refuses %o with %o', (expression, options, error) => {
    expect(() => cron(expression as string, options)).toThrow(error);
  });
});
