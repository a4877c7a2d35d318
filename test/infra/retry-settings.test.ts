import { Duration } from 'aws-cdk-lib';
import { ScheduleExpression, TimeWindow } from 'aws-cdk-lib/aws-scheduler';
import fc from 'fast-check';
import type { SingleExecutionFunctionProps } from 'single-execution/cdk';
import { describe, expect, test } from 'vitest';
import { deliveryRetries, lastRunEndsMs, runRetries } from '../../infra/constructs/retry-settings.js';
import { digest } from './digest.js';
import { propertiesOf, templateOf } from './synthesised.js';

const SECOND = 1_000;
const MINUTE = 60_000;
const HOUR = 3_600_000;
const DAY = 86_400_000;
const NEVER_AGAIN = Number.POSITIVE_INFINITY;

describe("row 79: Lambda's retries of a failed run", () => {
  // Scheduler sends an event within a minute of its tick. Lambda retries after one minute, then after two.
  test.each<[string, number, number, number, number, number]>([
    ['4 minutes, 1 minute', 4 * MINUTE, MINUTE, 1, 4 * MINUTE, 4 * MINUTE],
    ['7 minutes, 61 seconds', 7 * MINUTE, 61 * SECOND, 1, 7 * MINUTE, 242 * SECOND],
    ['6 hours, 15 minutes', 6 * HOUR, 15 * MINUTE, 2, 6 * HOUR, 49 * MINUTE],
    ['1 day, 5 minutes', DAY, 5 * MINUTE, 2, 6 * HOUR, 19 * MINUTE],
    ['no second tick, 5 minutes', NEVER_AGAIN, 5 * MINUTE, 2, 6 * HOUR, 19 * MINUTE],
    ['no time at all, 3 seconds', 0, 3 * SECOND, 0, MINUTE, 63 * SECOND],
  ])('%s', (_, periodMs, timeoutMs, attempts, maxAgeMs, endsMs) => {
    expect(runRetries(periodMs, timeoutMs)).toEqual({ attempts, maxAgeMs });
    expect(lastRunEndsMs(attempts, timeoutMs)).toBe(endsMs);
  });

  test("are over when the next tick is due, and no more of them would be; their age is within Lambda's limits", () => {
    const periods = fc.oneof(
      fc.nat({ max: 2 * HOUR }),
      fc.nat({ max: 1_000_000 }).map((seconds) => seconds * SECOND),
    );
    const timeouts = fc.integer({ min: 1, max: 900 }).map((seconds) => seconds * SECOND);
    fc.assert(
      fc.property(periods, timeouts, (periodMs, timeoutMs) => {
        const { attempts, maxAgeMs } = runRetries(periodMs, timeoutMs);
        const ends = [MINUTE + timeoutMs, 2 * (MINUTE + timeoutMs), 4 * MINUTE + 3 * timeoutMs];

        expect(lastRunEndsMs(attempts, timeoutMs)).toBe(ends[attempts]);
        expect(ends[attempts]).toBeLessThanOrEqual(Math.max(periodMs, ends[0] ?? 0));
        expect(ends[attempts + 1] ?? NEVER_AGAIN).toBeGreaterThan(periodMs);
        expect(maxAgeMs).toBe(Math.min(6 * HOUR, Math.max(MINUTE, periodMs)));
      }),
    );
  });
});

test.each<[string, number, number, number]>([
  ['no time at all', 0, 1, MINUTE],
  ['185 minutes', 185 * MINUTE, 185, 185 * MINUTE],
  ['186 minutes', 186 * MINUTE, 185, 186 * MINUTE],
  ['1 week', 7 * DAY, 185, DAY],
  ['no second tick', NEVER_AGAIN, 185, DAY],
])("row 79: the schedule's retries of a delivery within %s", (_, periodMs, attempts, maxAgeMs) => {
  expect(deliveryRetries(periodMs)).toEqual({ attempts, maxAgeMs });
});

test("row 79: the schedule's retries are within EventBridge's limits, and a minute apart", () => {
  fc.assert(
    fc.property(fc.nat({ max: 60 * 24 * 400 }), (minutes) => {
      const { attempts, maxAgeMs } = deliveryRetries(minutes * MINUTE);

      expect(attempts).toBe(Math.min(185, Math.max(1, minutes)));
      expect(maxAgeMs).toBe(Math.min(24 * 60, Math.max(1, minutes)) * MINUTE);
    }),
  );
});

describe('row 79: in the template', () => {
  const every = (minutes: number) => ScheduleExpression.rate(Duration.minutes(minutes));
  const policy = (attempts: number, seconds: number) => {
    return { MaximumRetryAttempts: attempts, MaximumEventAgeInSeconds: seconds };
  };

  test("Lambda's settings fit the shortest period, and each schedule's its own", () => {
    const schedules = [{ schedule: every(60) }, { schedule: every(5) }, { schedule: every(1_440) }];
    const template = templateOf(digest({ schedules }).stack);
    const deliveries = propertiesOf(template, 'AWS::Scheduler::Schedule');

    expect(propertiesOf(template, 'AWS::Lambda::EventInvokeConfig')).toMatchObject([policy(1, 300)]);
    expect(deliveries.map((it) => [it.ScheduleExpression, it.Target.RetryPolicy])).toEqual([
      ['rate(1 hour)', policy(60, 3_600)],
      ['rate(5 minutes)', policy(5, 300)],
      ['rate(1 day)', policy(185, 86_400)],
    ]);
  });

  const timeWindow = TimeWindow.flexible(Duration.minutes(50));
  test.each<[string, Partial<SingleExecutionFunctionProps>, object, object]>([
    [
      'a time window leaves less time',
      { schedules: [{ schedule: every(55), timeWindow }] },
      policy(1, 300),
      policy(5, 300),
    ],
    [
      'what the user sets stays, and the schedule keeps its own',
      { schedules: [{ schedule: every(60) }], retryAttempts: 0, maxEventAge: Duration.minutes(2) },
      policy(0, 120),
      policy(60, 3_600),
    ],
    [
      'the target of a rule has the settings of a schedule',
      { schedules: [{ schedule: every(15), via: 'rule' }], timeout: Duration.minutes(5) },
      policy(1, 900),
      policy(15, 900),
    ],
  ])('%s', (_, props, ofRuns, ofDeliveries) => {
    const template = templateOf(digest(props).stack);
    const targets = [
      ...propertiesOf(template, 'AWS::Scheduler::Schedule').map(({ Target }) => Target),
      ...propertiesOf(template, 'AWS::Events::Rule').flatMap(({ Targets }) => Targets),
    ];

    expect(propertiesOf(template, 'AWS::Lambda::EventInvokeConfig')).toMatchObject([ofRuns]);
    expect(targets).toMatchObject([{ RetryPolicy: ofDeliveries }]);
  });
});
