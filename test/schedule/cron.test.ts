import { Cron } from 'croner';
import fc from 'fast-check';
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
    // Either day is enough where both are given, as in a crontab.
    ['0 0 13 * FRI', '2026-11-20T00:00:00.000Z', '2026-11-27T00:00:00.000Z'],
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

  const EVENTBRIDGE = "is in EventBridge's dialect; give it to eventBridge(), such as eventBridge('cron(0 2 * * ? *)')";
  const FIVE =
    'give five, minutes hours day-of-month month day-of-week, such as 0 9 * * MON-FRI, or six with seconds in front';
  const OR_MORE = 'or a list, a range or a step of them, or *';

  test.each<[string, string]>([
    ['', `has 0 fields; ${FIVE}`],
    ['daily', `has 1 field; ${FIVE}`],
    ['@daily', `has 1 field; ${FIVE}`],
    ['0 9 * *', `has 4 fields; ${FIVE}`],
    ['0 0 9 * * * 2026', `has 7 fields; ${FIVE}`],
    ['0 9 ? * MON-FRI *', EVENTBRIDGE],
    ['cron(0 9 ? * MON-FRI *)', EVENTBRIDGE],
    ['rate(5 minutes)', EVENTBRIDGE],
    ['60 * * * *', `minutes has '60'; give 0-59, ${OR_MORE}`],
    ['60 0 * * * *', `seconds has '60'; give 0-59, ${OR_MORE}`],
    ['0 24 * * *', `hours has '24'; give 0-23, ${OR_MORE}`],
    ['0 9 * * 8', `day-of-week has '8'; give 0-7 (0 and 7 are Sunday) or SUN-SAT, 5L or 2#2, ${OR_MORE}`],
    ['0 9 * * L', `day-of-week has 'L'; give 0-7 (0 and 7 are Sunday) or SUN-SAT, 5L or 2#2, ${OR_MORE}`],
    ['*/0 * * * *', "minutes has '*/0'; give a step of 1-59"],
    ['0 0 30 2 *', 'never fires: no such day is in its months and years; give days that they have'],
  ])('refuses %o', (expression, problem) => {
    expect(() => cron(expression)).toThrow(new RangeError(`schedule is '${expression}': ${problem}`));
  });

  test.each<[unknown, object, Error]>([
    [5, {}, new TypeError('schedule is 5: give a text')],
    [undefined, {}, new TypeError('schedule is undefined: give a text')],
    ['* * * * *', { timezone: 'UTC' }, new TypeError("unknown option 'timezone' of cron: the option is timeZone")],
    [
      '* * * * *',
      { timeZone: 1 },
      new TypeError('timeZone is 1: give a name such as Europe/Berlin, or leave it out for UTC'),
    ],
    ...['Mars/Phobos', '', '+02:00'].map((timeZone): [unknown, object, Error] => [
      '* * * * *',
      { timeZone },
      new RangeError(`timeZone is '${timeZone}', which is unknown here: give a name such as Europe/Berlin, or UTC`),
    ]),
  ])('refuses %o with %o', (expression, options, error) => {
    expect(() => cron(expression as string, options)).toThrow(error);
  });
});

/** A field as a crontab has it: values, ranges and steps, in lists. */
function field(first: number, last: number, names: readonly string[] = []): fc.Arbitrary<string> {
  const value = fc.integer({ min: first, max: last });
  const spelled = value.chain((n) => fc.constantFrom(String(n), names[n - first] ?? String(n)));
  const pair = fc.tuple(value, value).map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const);
  const step = fc.integer({ min: 1, max: last - first });
  const item = fc.oneof(
    spelled,
    pair.map(([a, b]) => `${a}-${b}`),
    fc.tuple(pair, step).map(([[a, b], by]) => `${a}-${b}/${Math.min(by, Math.max(1, b - a))}`),
    step.map((by) => `*/${by}`),
  );
  return fc.oneof(
    fc.constant('*'),
    fc.array(item, { minLength: 1, maxLength: 3 }).map((items) => items.join(',')),
  );
}

const crontab = fc
  .tuple(
    fc.option(field(0, 59), { nil: undefined }),
    field(0, 59),
    field(0, 23),
    field(1, 28),
    field(1, 12, ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC']),
    field(0, 6, ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT']),
  )
  .map((fields) => fields.filter((text) => text !== undefined).join(' '));

test('row 88: fires when croner does, for every crontab, while clocks do not change', () => {
  const instant = fc.date({ min: new Date('2000-01-01'), max: new Date('2090-01-01'), noInvalidDate: true });
  fc.assert(
    fc.property(crontab, instant, (expression, at) => {
      const [schedule, job] = [cron(expression), new Cron(expression, { paused: true, timezone: 'Etc/UTC' })];

      expect(iso(schedule.next(at))).toBe(iso(job.nextRun(new Date(Math.floor(at.getTime() / 1_000) * 1_000))));
    }),
    { numRuns: 300 },
  );
});
