import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { scheduleGaps } from '../../infra/constructs/schedule-gaps.js';

const MINUTE = 60_000;
const HOUR = 3_600_000;
const DAY = 86_400_000;

// The test of any expression, below, compares with a walk through the calendar. These are edges that it does not reach.
test.each<[string, number, number]>([
  ['rate(5 minutes)', 5 * MINUTE, 5 * MINUTE],
  ['rate(1 hour)', HOUR, HOUR],
  ['rate(1 hours)', HOUR, HOUR],
  ['cron(0/60 * * * ? *)', HOUR, HOUR],
  ['cron(0 0/24 * * ? *)', DAY, DAY],
  ['cron(0 22-2/2 * * ? *)', 2 * HOUR, 20 * HOUR],
  ['cron(0  2 ?  *  * *)', DAY, DAY],
  // Minutes come before hours: 02:00 and 02:01, not 00:02 and 01:02.
  ['cron(0,1 2 * * ? *)', MINUTE, DAY - MINUTE],
  ['cron(0,30 2 1 1 ? 2027)', 30 * MINUTE, 30 * MINUTE],
  ['cron(0 2 1 1 ? 1970/100)', 36_524 * DAY, 36_525 * DAY],
  // February has five Sundays in 2032 and 2060, and so once in 28 years.
  ['cron(0 2 ? 2 1#5 *)', 10_227 * DAY, 10_227 * DAY],
])('scheduleGaps: %s fires every %i to %i ms', (expression, shortestMs, longestMs) => {
  expect(scheduleGaps(expression)).toEqual({ shortestMs, longestMs });
});

test.each([
  'at(2024-02-29T23:59:59)',
  'cron(0 2 29 2 ? 2023-2026)',
  // The 29th of February 2024 is a Thursday.
  'cron(0 2 ? 2 5#5 2024)',
])('scheduleGaps has no gap for %s, which fires once', (expression) => {
  expect(scheduleGaps(expression)).toBeUndefined();
});

describe('scheduleGaps refuses', () => {
  const SIX =
    "EventBridge's cron has six: minutes hours day-of-month month day-of-week year, such as cron(0 2 * * ? *)";
  const ONE_ANY = 'exactly one of them must be ?, such as cron(0 2 * * ? *) or cron(0 2 ? * MON-FRI *)';
  const ANY_OF = 'use one such as cron(0 2 * * ? *), rate(5 minutes) or at(2026-01-01T02:00:00)';
  const COUNT = 'use a whole number from 1, one blank and minutes, hours or days, such as rate(5 minutes)';
  const DATE = 'use a date and time, such as at(2026-01-01T02:00:00)';
  const OR_MORE = 'or a list, a range or a step of them, or *';
  const DAYS = `use 1-31, L, LW or 15W, ${OR_MORE}`;
  const WEEKDAYS = `use 1-7 (1 is Sunday) or SUN-SAT, L, 6L or 3#2, ${OR_MORE}`;
  const NEVER = 'never fires: no such day is in its months and years; use days that they have';

  test.each<[string, string, string]>([
    ['nothing', '', ANY_OF],
    ['a line end behind', 'rate(5 minutes)\n', ANY_OF],
    ['a rate of zero', 'rate(0 minutes)', COUNT],
    ['a broken rate', 'rate(1.5 hours)', COUNT],
    ['a rate in seconds', 'rate(30 seconds)', COUNT],
    ['a rate beyond counting', 'rate(999999999 days)', 'too long to count; use fewer'],
    ['a date that no year has', 'at(2026-02-30T02:00:00)', DATE],
    ['an hour that no day has', 'at(2026-01-01T24:00:00)', DATE],
    ['the five fields of Unix', 'cron(0 2 * * *)', `has 5 fields; ${SIX}`],
    ['seconds and no year', 'cron(0 0 2 * * ?)', `day-of-month is '2' and day-of-week is '*'; ${ONE_ANY}`],
    ['a ? among the hours', 'cron(0 ? * * ? *)', `hours has '?'; use 0-23, ${OR_MORE}`],
    ['minute 60', 'cron(60 2 * * ? *)', `minutes has '60'; use 0-59, ${OR_MORE}`],
    ['hour 24', 'cron(0 1,24 * * ? *)', `hours has '24'; use 0-23, ${OR_MORE}`],
    ['day 0', 'cron(0 2 0 * ? *)', `day-of-month has '0'; ${DAYS}`],
    ['day 32', 'cron(0 2 1-32 * ? *)', `day-of-month has '1-32'; ${DAYS}`],
    ['the weekday nearest day 32', 'cron(0 2 32W * ? *)', `day-of-month has '32W'; ${DAYS}`],
    ['month 13', 'cron(0 2 1 13 ? *)', `month has '13'; use 1-12 or JAN-DEC, ${OR_MORE}`],
    ['the Sunday of Unix', 'cron(0 2 ? * 0 *)', `day-of-week has '0'; ${WEEKDAYS}`],
    ['weekday 8', 'cron(0 2 ? * 8L *)', `day-of-week has '8L'; ${WEEKDAYS}`],
    ['a sixth Tuesday', 'cron(0 2 ? * 3#6 *)', `day-of-week has '3#6'; ${WEEKDAYS}`],
    ['year 1969', 'cron(0 2 * * ? 1969)', `year has '1969'; use 1970-2199, ${OR_MORE}`],
    ['year 2200', 'cron(0 2 * * ? 2026-2200)', `year has '2026-2200'; use 1970-2199, ${OR_MORE}`],
    ['an empty place in a list', 'cron(0,,5 2 * * ? *)', `minutes has ''; use 0-59, ${OR_MORE}`],
    ['a step of 0', 'cron(0/0 * * * ? *)', "minutes has '0/0'; use a step of 1-59"],
    [
      'years that run backwards',
      'cron(0 2 * * ? 2030-2026)',
      "year has '2030-2026', which runs backwards; list its values, separated by commas",
    ],
    [
      'two times #',
      'cron(0 2 ? * 3#1,6#3 *)',
      'day-of-week has # in a list; use one schedule for each, such as cron(0 2 ? * 3#2 *)',
    ],
    ['a 30th of February', 'cron(0 2 30 2 ? *)', NEVER],
    ['a 29th of February in a common year', 'cron(0 2 29 2 ? 2100)', NEVER],
  ])('%s', (_, expression, problem) => {
    expect(() => scheduleGaps(expression)).toThrow(new RangeError(`schedule is '${expression}': ${problem}`));
  });
});

/** A part of an expression with its meaning, which no cron library computes. */
interface Part<T> {
  readonly text: string;
  readonly matches: (value: T) => boolean;
}

const FIRST_YEAR = 2024;
const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
const WEEKDAYS = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];

/** A date of the month in which a day is. Date 0 of the next month is the last one of this. */
const sameMonth = (day: Date, date: number, later = 0): Date =>
  new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + later, date));
const lastOf = (day: Date): number => sameMonth(day, 0, 1).getUTCDate();

/** The day from Monday to Friday that is nearest to a date in the same month. */
const workingDay = (day: Date, near: number): number | undefined =>
  [near, near - 1, near + 1, near - 2, near + 2].find(
    (date) => date >= 1 && date <= lastOf(day) && sameMonth(day, date).getUTCDay() % 6 !== 0,
  );

/** A number from `first` to `last`, written in digits or as its name. */
function spelled(first: number, last: number, names: readonly string[] = []): fc.Arbitrary<[number, string]> {
  return fc.tuple(fc.integer({ min: first, max: last }), fc.constantFrom('digits', 'name', 'small')).map(([n, how]) => {
    const name = names[n - first];
    if (name === undefined || how === 'digits') return [n, `${n}`];
    return [n, how === 'name' ? name : name.toLowerCase()];
  });
}

type Value = readonly [value: number, text: string];

/**
 * One value, a range (also past the end), or steps from a value or in a range.
 *
 * @param first the value with which `*` begins
 * @param steps numbers of a step, and of a step in a range
 */
function shapesOf(
  first: number,
  value: fc.Arbitrary<Value>,
  range: fc.Arbitrary<readonly [from: Value, to: Value]>,
  [step, stepWithin]: readonly [fc.Arbitrary<number>, fc.Arbitrary<number>],
): fc.Arbitrary<Part<number>> {
  // Only a range whose end is not before its start may have steps.
  const forward = range.map(([a, b]) => (a[0] <= b[0] ? ([a, b] as const) : ([b, a] as const)));
  return fc.oneof(
    value.map(([n, text]) => ({ text, matches: (it: number) => it === n })),
    range.map(([[a, from], [b, to]]) => ({
      text: `${from}-${to}`,
      matches: (it: number) => (a <= b ? a <= it && it <= b : it >= a || it <= b),
    })),
    fc.tuple(value, step).map(([[a, from], by]) => ({
      text: `${from}/${by}`,
      matches: (it: number) => it >= a && (it - a) % by === 0,
    })),
    fc.tuple(forward, stepWithin).map(([[[a, from], [b, to]], by]) => ({
      text: `${from}-${to}/${by}`,
      matches: (it: number) => a <= it && it <= b && (it - a) % by === 0,
    })),
    step.map((by) => ({ text: `*/${by}`, matches: (it: number) => (it - first) % by === 0 })),
  );
}

function plain(first: number, last: number, names?: readonly string[]): fc.Arbitrary<Part<number>> {
  const value = spelled(first, last, names);
  const step = fc.integer({ min: 1, max: Math.min(last, last - first + 1) });
  return shapesOf(first, value, fc.tuple(value, value), [step, step]);
}

/** Years, of which few match: the test walks through each year that does. */
function someYears(): fc.Arbitrary<Part<number>> {
  const value = spelled(2020, 2104);
  const range = fc.tuple(value, fc.integer({ min: 0, max: 8 })).map(([[a, from], count]): [Value, Value] => [
    [a, from],
    [a + count, `${a + count}`],
  ]);
  return shapesOf(1970, value, range, [fc.integer({ min: 30, max: 200 }), fc.integer({ min: 1, max: 4 })]);
}

function listed<T>(item: fc.Arbitrary<Part<T>>): fc.Arbitrary<Part<T>> {
  return fc.array(item, { minLength: 1, maxLength: 3 }).map((items) => ({
    text: items.map(({ text }) => text).join(','),
    matches: (it: T) => items.some(({ matches }) => matches(it)),
  }));
}

const every = fc.constant<Part<number>>({ text: '*', matches: () => true });
const minutes = fc.oneof(every, listed(plain(0, 59)));
const hours = fc.oneof(every, listed(plain(0, 23)));
const months = fc.oneof(every, listed(plain(1, 12, MONTHS)));
const years = fc.oneof({ weight: 1, arbitrary: every }, { weight: 5, arbitrary: listed(someYears()) });

const date = (part: Part<number>): Part<Date> => ({ ...part, matches: (day) => part.matches(day.getUTCDate()) });
/** In an expression 1 is Sunday. */
const weekday = (part: Part<number>): Part<Date> => ({ ...part, matches: (day) => part.matches(day.getUTCDay() + 1) });

const daysOfMonth: fc.Arbitrary<Part<Date>> = fc.oneof(
  every.map(date),
  fc.constant<Part<Date>>({ text: 'LW', matches: (day) => workingDay(day, lastOf(day)) === day.getUTCDate() }),
  listed(
    fc.oneof(
      plain(1, 31).map(date),
      fc.constant<Part<Date>>({ text: 'L', matches: (day) => day.getUTCDate() === lastOf(day) }),
      fc.integer({ min: 1, max: 31 }).map((near) => ({
        text: `${near}W`,
        matches: (day: Date) => near <= lastOf(day) && workingDay(day, near) === day.getUTCDate(),
      })),
    ),
  ),
);

const daysOfWeek: fc.Arbitrary<Part<Date>> = fc.oneof(
  every.map(weekday),
  fc.tuple(spelled(1, 7, WEEKDAYS), fc.integer({ min: 1, max: 5 })).map(([[n, text], nth]) => ({
    text: `${text}#${nth}`,
    matches: (day: Date) => day.getUTCDay() + 1 === n && Math.ceil(day.getUTCDate() / 7) === nth,
  })),
  listed(
    fc.oneof(
      plain(1, 7, WEEKDAYS).map(weekday),
      fc.constant<Part<Date>>({ text: 'L', matches: (day) => day.getUTCDay() === 6 }),
      spelled(1, 7, WEEKDAYS).map(([n, text]) => ({
        text: `${text}L`,
        matches: (day: Date) => day.getUTCDay() + 1 === n && day.getUTCDate() + 7 > lastOf(day),
      })),
    ),
  ),
);

const anyDay: Part<Date> = { text: '?', matches: () => true };
const days = fc.oneof(
  daysOfMonth.map((dayOfMonth) => ({ dayOfMonth, dayOfWeek: anyDay })),
  daysOfWeek.map((dayOfWeek) => ({ dayOfMonth: anyDay, dayOfWeek })),
);

function* calendar(from: number, to: number, years: Part<number>, months: Part<number>): Generator<Date> {
  for (let year = from; year <= to; year += 1) {
    if (!years.matches(year)) continue;
    for (let month = 1; month <= 12; month += 1) {
      if (!months.matches(month)) continue;
      const first = new Date(Date.UTC(year, month - 1));
      for (let date = 1; date <= lastOf(first); date += 1) yield sameMonth(first, date);
    }
  }
}

test('finds the gaps that a walk through the calendar finds, whatever the expression', () => {
  fc.assert(
    fc.property(minutes, hours, days, months, years, (minute, hour, { dayOfMonth, dayOfWeek }, month, year) => {
      const texts = [minute, hour, dayOfMonth, month, dayOfWeek, year].map(({ text }) => text);
      const expression = `cron(${texts.join(' ')})`;
      // A schedule without an end has each of its gaps within 56 years, which are two cycles of the calendar.
      const [from, to] = year.text === '*' ? [FIRST_YEAR, FIRST_YEAR + 55] : [1970, 2199];

      const times = Array.from({ length: 24 * 60 }, (_, at) => at).filter(
        (at) => minute.matches(at % 60) && hour.matches(Math.floor(at / 60)),
      );
      let last: number | undefined;
      let shortestMs = Number.POSITIVE_INFINITY;
      let longestMs = 0;
      for (const today of calendar(from, to, year, month)) {
        if (!dayOfMonth.matches(today) || !dayOfWeek.matches(today)) continue;
        for (const time of times) {
          const at = today.getTime() + time * MINUTE;
          if (last !== undefined) {
            shortestMs = Math.min(shortestMs, at - last);
            longestMs = Math.max(longestMs, at - last);
          }
          last = at;
        }
      }

      if (last === undefined) expect(() => scheduleGaps(expression)).toThrow('never fires');
      else if (longestMs === 0) expect(scheduleGaps(expression)).toBeUndefined();
      else expect(scheduleGaps(expression)).toEqual({ shortestMs, longestMs });
    }),
    { numRuns: 200 },
  );
});
