import { Duration, TimeZone } from 'aws-cdk-lib';
import { ScheduleExpression, TimeWindow } from 'aws-cdk-lib/aws-scheduler';
import { describe, expect, test } from 'vitest';
import { isUtc, runGaps } from '../../infra/constructs/run-gaps.js';

const MINUTE = 60_000;
const HOUR = 3_600_000;
const DAY = 86_400_000;

const { rate, cron, expression } = ScheduleExpression;
const { ETC_UTC, ETC_GMT, EUROPE_BERLIN } = TimeZone;
const window = (minutes: number) => TimeWindow.flexible(Duration.minutes(minutes));

const off = TimeWindow.off();
const noon = cron({ minute: '0', hour: '12', timeZone: EUROPE_BERLIN });

describe('row 79: the runs of a schedule', () => {
  test.each<[string, ScheduleExpression, TimeWindow | undefined, number, number]>([
    ['a rate', rate(Duration.minutes(15)), undefined, 15 * MINUTE, 15 * MINUTE],
    ['a rate, which counts hours whatever the clock shows', expression('rate(1 day)', EUROPE_BERLIN), off, DAY, DAY],
    ['a time of day', cron({ minute: '0', hour: '12' }), off, DAY, DAY],
    // At most 25 hours: an alarm reports the night whose hour is skipped in spring.
    ['a time of day in a zone', noon, off, 23 * HOUR, 25 * HOUR],
    ['hours in a zone', cron({ minute: '0', timeZone: EUROPE_BERLIN }), off, HOUR, 2 * HOUR],
    ['minutes in a zone', cron({ minute: '*/5', timeZone: EUROPE_BERLIN }), off, 5 * MINUTE, HOUR + 5 * MINUTE],
    ['two hours in a zone', expression('cron(0 */2 * * ? *)', EUROPE_BERLIN), off, HOUR, 3 * HOUR],
    ['an expression without a zone', expression('cron(0 */2 * * ? *)'), off, 2 * HOUR, 2 * HOUR],
    ['a rate with a time window', rate(Duration.hours(1)), window(15), 45 * MINUTE, 75 * MINUTE],
    ['a time window of the whole period', rate(Duration.hours(1)), window(60), 0, 2 * HOUR],
    ['a time window of more than the period', rate(Duration.minutes(5)), window(15), 0, 20 * MINUTE],
    ['a time window of an hour, in a zone', noon, window(60), 22 * HOUR, 26 * HOUR],
  ])('%s', (_, schedule, timeWindow, shortestMs, longestMs) => {
    expect(runGaps(schedule, timeWindow)).toEqual({ shortestMs, longestMs });
  });

  test('have no gap when there is one', () => {
    const at = ScheduleExpression.at(new Date('2027-01-01T02:00:00Z'), EUROPE_BERLIN);

    expect(runGaps(at, window(15))).toBeUndefined();
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
