import { CronTime } from 'cron';
import { Cron } from 'croner';
import fc from 'fast-check';
import nodeCron from 'node-cron';
import { cron, type Dialect } from 'single-execution/schedule';
import { describe, expect, test } from 'vitest';
import { debianCron } from './debian-cron.js';

const SECOND = 1_000;
const DAY = 86_400_000;

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

/** Days of the month and of the week, often with a star in front. */
const days = fc.tuple(
  fc.oneof(field(1, 28), fc.constantFrom('*/2', '*/1', '*,15', '1-31', '1,*', '*/9')),
  fc.oneof(field(0, 6), fc.constantFrom('*/2', '*/1', '*/7', '*,3', '0-6', '1,*')),
);
const expressions = fc.oneof(
  crontab,
  days.map(([dayOfMonth, dayOfWeek]) => `0 2 ${dayOfMonth} * ${dayOfWeek}`),
);
/** Before today: cron looks no further than eight years ahead of it. */
const instants = fc.date({ min: new Date('2000-01-01'), max: new Date('2026-01-01'), noInvalidDate: true });
const zone = 'Etc/UTC';

/** The first tick after an instant in whole seconds, by the scheduler's own calculation. */
const NEXT: Readonly<Record<Exclude<Dialect, 'crontab'>, (expression: string, at: Date) => Date | null>> = {
  croner: (expression, at) => new Cron(expression, { paused: true, timezone: zone }).nextRun(at),
  cron: (expression, at) => {
    const fields = expression.split(' ').length === 5 ? `0 ${expression}` : expression;
    return new CronTime(fields, zone).getNextDateFrom(at).toJSDate();
  },
  'node-cron': nodeCronNext,
};

function nodeCronNext(expression: string, at: Date): Date | null {
  const task = nodeCron.createTask(expression, () => {}, { timezone: zone }) as unknown as Matcher;
  return task.timeMatcher.getNextMatch(at);
}

interface Matcher {
  readonly timeMatcher: { getNextMatch(at: Date): Date };
}

describe('row 151: cron() follows its dialect', () => {
  test.each(Object.entries(NEXT))(
    'fires when %s does, for every expression, while clocks do not change',
    (name, next) => {
      fc.assert(
        fc.property(expressions, instants, (expression, at) => {
          const second = new Date(Math.floor(at.getTime() / SECOND) * SECOND);

          expect(cron(expression, { dialect: name as Dialect }).next(second)).toEqual(next(expression, second));
        }),
        { numRuns: 300 },
      );
    },
  );

  test("fires on the days of Debian's cron, which cronie has too", () => {
    fc.assert(
      fc.property(days, fc.integer({ min: 2000, max: 2090 }), ([dayOfMonth, dayOfWeek], year) => {
        const expression = `0 2 ${dayOfMonth} * ${dayOfWeek}`;
        const fromMs = Date.UTC(year, 0, 31);
        const started = debianCron(expression, 'UTC', fromMs, fromMs + 5 * DAY);

        expect(cron(expression).between(new Date(fromMs), new Date(fromMs + 5 * DAY))).toEqual(started);
      }),
      { numRuns: 60 },
    );
  });
});
