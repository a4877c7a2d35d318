import { Duration, TimeZone } from 'aws-cdk-lib';
import { ScheduleExpression, TimeWindow } from 'aws-cdk-lib/aws-scheduler';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isUtc, runGaps } from '../../infra/constructs/run-gaps.js';

const MINUTE = 60_000;
const HOUR = 3_600_000;
const DAY = 86_400_000;

const { rate, cron, expression } = ScheduleExpression;
const { ETC_UTC, ETC_GMT, EUROPE_BERLIN } = TimeZone;
const window = (minutes: number) => TimeWindow.flexible(Duration.minutes(minutes));

describe('row 79: the runs of a schedule', () => {
  test.each<[string, ScheduleExpression, number, number]>([
    ['a rate', rate(Duration.minutes(15)), 15 * MINUTE, 15 * MINUTE],
    ['a rate, which counts hours whatever the clock shows', expression('rate(1 day)', EUROPE_BERLIN), DAY, DAY],
    ['a time of day', cron({ minute: '0', hour: '12' }), DAY, DAY],
    ['a time of day in a zone', cron({ minute: '0', hour: '12', timeZone: EUROPE_BERLIN }), 23 * HOUR, 25 * HOUR],
    ['hours in a zone', cron({ minute: '0', timeZone: EUROPE_BERLIN }), HOUR, 2 * HOUR],
    ['minutes in a zone', cron({ minute: '*/5', timeZone: EUROPE_BERLIN }), 5 * MINUTE, HOUR + 5 * MINUTE],
    ['two hours in a zone', expression('cron(0 */2 * * ? *)', EUROPE_BERLIN), HOUR, 3 * HOUR],
    ['an expression without a zone', expression('cron(0 */2 * * ? *)'), 2 * HOUR, 2 * HOUR],
  ])('row 79: %s', (_, schedule, shortestMs, longestMs) => {
    expect(runGaps(schedule)).toEqual({ shortestMs, longestMs });
  });

  test.each<[string, ScheduleExpression, number, number, number]>([
    ['15 minutes of a rate', rate(Duration.hours(1)), 15, 45 * MINUTE, 75 * MINUTE],
    ['the whole period', rate(Duration.hours(1)), 60, 0, 2 * HOUR],
    ['more than the period', rate(Duration.minutes(5)), 15, 0, 20 * MINUTE],
    ['an hour, in a zone', cron({ minute: '0', hour: '12', timeZone: EUROPE_BERLIN }), 60, 22 * HOUR, 26 * HOUR],
  ])('row 79: can be nearer and further by a time window of %s', (_, schedule, minutes, shortestMs, longestMs) => {
    expect(runGaps(schedule, window(minutes))).toEqual({ shortestMs, longestMs });
  });

  test('row 77: are at most 25 hours apart, so that an alarm reports the night whose hour is skipped in spring', () => {
    const schedule = cron({ minute: '30', hour: '2', timeZone: EUROPE_BERLIN });

    expect(runGaps(schedule)?.longestMs).toBe(25 * HOUR);
  });

  test('row 79: are as they are when the time window is off', () => {
    expect(runGaps(rate(Duration.hours(1)), TimeWindow.off())).toEqual({ shortestMs: HOUR, longestMs: HOUR });
  });

  test('row 79: have no gap when there is one', () => {
    const at = ScheduleExpression.at(new Date('2027-01-01T02:00:00Z'), EUROPE_BERLIN);

    expect(runGaps(at, window(15))).toBeUndefined();
  });

  test('row 79: are whole minutes apart, as the ages of retries must be whole seconds', () => {
    const schedules = fc.oneof(
      fc.integer({ min: 1, max: 10_000 }).map((minutes) => rate(Duration.minutes(minutes))),
      fc
        .tuple(fc.nat({ max: 59 }), fc.nat({ max: 23 }), fc.constantFrom(ETC_UTC, EUROPE_BERLIN))
        .map(([minute, hour, timeZone]) => cron({ minute: `${minute}/7`, hour: `${hour}/5`, timeZone })),
    );
    fc.assert(
      fc.property(schedules, fc.integer({ min: 1, max: 1_440 }), (schedule, minutes) => {
        const { shortestMs, longestMs } = runGaps(schedule, window(minutes)) ?? { shortestMs: -1, longestMs: -1 };

        expect([shortestMs % MINUTE, longestMs % MINUTE]).toEqual([0, 0]);
        expect(shortestMs).toBeGreaterThanOrEqual(0);
        expect(longestMs).toBeGreaterThanOrEqual(shortestMs);
      }),
    );
    expect(() => TimeWindow.flexible(Duration.seconds(90))).toThrow('whole number of minutes');
  });
});

test.each<[string, ScheduleExpression, boolean]>([
  ['none', expression('cron(0 2 * * ? *)'), true],
  ['the default of a cron', cron({ minute: '0' }), true],
  ['UTC', expression('rate(1 hour)', TimeZone.of('UTC')), true],
  ['Etc/UTC', expression('rate(1 hour)', ETC_UTC), true],
  ['Etc/GMT', expression('rate(1 hour)', ETC_GMT), true],
  ['London, which is UTC in winter', expression('rate(1 hour)', TimeZone.EUROPE_LONDON), false],
  ['Berlin', expression('rate(1 hour)', EUROPE_BERLIN), false],
])('row 75: time zone %s', (_, schedule, is) => {
  expect(isUtc(schedule)).toBe(is);
});
