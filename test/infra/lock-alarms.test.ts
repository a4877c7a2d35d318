import { Duration, type Stack, TimeZone } from 'aws-cdk-lib';
import { Annotations, Match, type Template } from 'aws-cdk-lib/assertions';
import { CfnAlarm } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { ScheduleExpression, TimeWindow } from 'aws-cdk-lib/aws-scheduler';
import { Topic } from 'aws-cdk-lib/aws-sns';
import fc from 'fast-check';
import { LockTable, SingleExecutionFunction } from 'single-execution/cdk';
import { beforeAll, describe, expect, test } from 'vitest';
import { lastRunEndsMs, runRetries } from '../../infra/constructs/retry-settings.js';
import { runGaps } from '../../infra/constructs/run-gaps.js';
import { appStack, templateOf } from '../support/synthesised.js';
import { digest, HANDLER, nightly } from './digest.js';

const ALARM = 'AWS::CloudWatch::Alarm';
const HOUR_S = 3_600;
const DAY_S = 86_400;

const { rate, cron } = ScheduleExpression;

/** What the template says of the alarms on a metric. */
const alarmsOn = (template: Template, MetricName: string) =>
  Object.values(template.findResources(ALARM, { Properties: { MetricName } })).map(({ Properties }) => Properties);

/** The dead man's switch of the one schedule of a function: how many periods of how many seconds it looks back. */
function watch(fn: SingleExecutionFunction): { period: number; evaluationPeriods: number } | undefined {
  const alarm = fn.alarms.node.tryFindChild('DidNotRun:digest')?.node.defaultChild;
  return alarm instanceof CfnAlarm
    ? { period: alarm.period ?? 0, evaluationPeriods: alarm.evaluationPeriods ?? 0 }
    : undefined;
}

const warningsOf = (stack: Stack) => Annotations.fromStack(stack).findWarning('*', Match.anyValue());

describe('row 77: the alarms', () => {
  let template: Template;
  beforeAll(() => {
    template = templateOf(digest({ timeout: Duration.minutes(5) }).stack);
  });
  const of = (name: string) => expect.stringMatching(`^${name}[0-9A-F]{8}$`);
  const inFiveMinutes = {
    ComparisonOperator: 'GreaterThanOrEqualToThreshold',
    EvaluationPeriods: 1,
    Period: 300,
    TreatMissingData: 'notBreaching',
  };
  const onFunction = { Namespace: 'AWS/Lambda', Dimensions: [{ Name: 'FunctionName', Value: { Ref: of('Digest') } }] };
  const onLock = { Namespace: 'SingleExecution/Jobs', Dimensions: [{ Name: 'LockName', Value: 'digest' }] };

  test.each<[string, string, object]>([
    [
      'a run that failed or was killed',
      'Errors',
      {
        ...inFiveMinutes,
        ...onFunction,
        Statistic: 'Sum',
        Threshold: 1,
        AlarmDescription:
          "Jobs/Digest: a run failed, was killed at its time-out, or could not reach the lock table. See the function's log.",
      },
    ],
    [
      'a run that took nearly its time-out',
      'Duration',
      {
        ...inFiveMinutes,
        ...onFunction,
        Statistic: 'Maximum',
        Threshold: 270_000,
        AlarmDescription:
          'Jobs/Digest: a run took over 90 % of the time-out of 5 minutes, at which it is killed. Raise the time-out, or make the job shorter.',
      },
    ],
    [
      'a tick that was given up',
      'ApproximateNumberOfMessagesVisible',
      {
        ...inFiveMinutes,
        Namespace: 'AWS/SQS',
        Dimensions: [
          { Name: 'QueueName', Value: { 'Fn::GetAtt': [of('DigestSingleExecutionDeadLetters'), 'QueueName'] } },
        ],
        Statistic: 'Maximum',
        Threshold: 1,
        // A queue that nobody touches has no metrics.
        TreatMissingData: 'ignore',
        AlarmDescription:
          'Jobs/Digest: a tick was given up after all retries. The message in the queue has its event and the reason.',
      },
    ],
    [
      'a lock that was lost',
      'LockLost',
      {
        ...inFiveMinutes,
        ...onLock,
        Statistic: 'Sum',
        Threshold: 1,
        AlarmDescription:
          'Lock "digest": a run went on past its lease, or an operator forced it away; two runs may have overlapped. See the log for "lost".',
      },
    ],
    [
      'a clock that is off',
      'ClockSkew',
      {
        ...inFiveMinutes,
        ...onLock,
        Statistic: 'Maximum',
        Threshold: 1,
        AlarmDescription:
          'Lock "digest": a host\'s clock is off by more than maxClockSkew. No two runs overlap for it; lockAtLeastFor and takeovers are off by as much. See the log for "clock-skew".',
      },
    ],
    [
      'a tick that did not run',
      'Executed',
      {
        ...onLock,
        Statistic: 'Sum',
        Threshold: 1,
        ComparisonOperator: 'LessThanThreshold',
        TreatMissingData: 'breaching',
        // A day and the 19 minutes in which two retries are over, in ten periods.
        EvaluationPeriods: 10,
        Period: 8_760,
        AlarmDescription:
          'Lock "digest": no run has succeeded for longer than cron(0 2 * * ? *) allows. See whether the schedule is on, and whether its runs fail, are skipped, or are paused.',
      },
    ],
  ])('row 77: tell of %s', (_, metric, properties) => {
    expect(alarmsOn(template, metric)).toEqual([{ MetricName: metric, ...properties }]);
  });

  test('row 77: are these six, and change their state alone when nobody is to be told', () => {
    template.resourceCountIs(ALARM, 6);
    expect(JSON.stringify(template.findResources(ALARM))).not.toContain('AlarmActions');
  });
});

test("row 77: the dead man's switch waits for as many retries as the function has", () => {
  const stack = appStack();
  const common = {
    entry: HANDLER,
    lockTable: new LockTable(stack, 'Locks'),
    schedules: [{ schedule: ScheduleExpression.rate(Duration.hours(1)) }],
    timeout: Duration.minutes(15),
  };
  const looksBackS = (lockName: string, retryAttempts: number) => {
    const fn = new SingleExecutionFunction(stack, lockName, { ...common, lockNames: [lockName], retryAttempts });
    const alarm = fn.alarms.node.findChild(`DidNotRun:${lockName}`).node.defaultChild as CfnAlarm;
    return Number(alarm.period) * Number(alarm.evaluationPeriods);
  };

  // An hour, a minute to deliver, runs of 15 minutes, and pauses of 1 and 2 minutes between them.
  const [none, two] = [looksBackS('none', 0), looksBackS('two', 2)];
  expect(none).toBeGreaterThanOrEqual((60 + 1 + 15) * 60);
  expect(none).toBeLessThan((60 + 1 + 15 + 16 + 17) * 60);
  expect(two).toBeGreaterThanOrEqual((60 + 1 + 15 + 16 + 17) * 60);
});

test('row 77: every alarm tells those who are to be told', () => {
  const stack = appStack();
  const topics = ['Ops', 'Pager'].map((id) => new Topic(stack, id));
  const fn = digest({ alarmActions: topics.map((topic) => new SnsAction(topic)) }, stack);
  const alarms = Object.values(templateOf(stack).findResources(ALARM));

  expect(alarms).toHaveLength(6);
  expect(fn.alarms.all).toHaveLength(6);
  for (const { Properties } of alarms) {
    expect(Properties.AlarmActions).toEqual(topics.map(({ topicArn }) => stack.resolve(topicArn)));
  }
});

test('row 77: a lock has one alarm of its loss and one of clocks, a schedule has one of its own', () => {
  const schedules = [
    { schedule: nightly, lockName: 'tenant/acme' },
    { schedule: rate(Duration.hours(1)), lockName: 'tenant/acme' },
    { schedule: nightly, lockName: 'tenant/globex' },
  ];
  const template = templateOf(digest({ lockNames: ['tenant/*'], schedules }).stack);
  const locksOf = (metric: string) => alarmsOn(template, metric).map(({ Dimensions }) => Dimensions[0].Value);

  expect(locksOf('LockLost')).toEqual(['tenant/acme', 'tenant/globex']);
  expect(locksOf('ClockSkew')).toEqual(['tenant/acme', 'tenant/globex']);
  expect(locksOf('Executed')).toEqual(['tenant/acme', 'tenant/acme', 'tenant/globex']);
});

describe("row 77: the dead man's switch", () => {
  test.each<[string, ScheduleExpression, number, number]>([
    ['3 minutes', rate(Duration.minutes(1)), 3, 60],
    ['9 minutes', rate(Duration.minutes(5)), 9, 60],
    ['67 minutes', rate(Duration.hours(1)), 10, 420],
    ['a day and 7 minutes', nightly, 10, 8_700],
    ['25 hours and 7 minutes', cron({ minute: '0', hour: '12', timeZone: TimeZone.EUROPE_BERLIN }), 10, 9_060],
    ['3 days and 7 minutes', cron({ minute: '0', hour: '2', weekDay: 'MON-FRI' }), 10, 25_980],
    ['6 days and 7 minutes', rate(Duration.days(6)), 10, 51_900],
  ])('row 77: looks back %s', (_, schedule, evaluationPeriods, period) => {
    expect(watch(digest({ schedules: [{ schedule }] }))).toEqual({ evaluationPeriods, period });
  });

  const schedules = fc.oneof(
    fc.integer({ min: 1, max: 60 * 24 * 10 }).map((minutes) => rate(Duration.minutes(minutes))),
    fc
      .tuple(fc.nat({ max: 59 }), fc.nat({ max: 23 }), fc.constantFrom('*', 'MON-FRI', 'TUE,WED', 'SAT'))
      .chain(([minute, hour, weekDay]) =>
        fc
          .constantFrom(TimeZone.ETC_UTC, TimeZone.EUROPE_BERLIN)
          .map((timeZone) => cron({ minute: `${minute}`, hour: `${hour}/9`, weekDay, timeZone })),
      ),
  );
  const windows = fc.option(fc.integer({ min: 1, max: 1_440 }), { nil: undefined });

  test("row 77: covers the longest gap and the retries after it, within CloudWatch's limits, or warns", () => {
    fc.assert(
      fc.property(schedules, windows, fc.integer({ min: 1, max: 900 }), (schedule, minutes, seconds) => {
        const timeWindow = minutes ? TimeWindow.flexible(Duration.minutes(minutes)) : TimeWindow.off();
        const fn = digest({ schedules: [{ schedule, timeWindow }], timeout: Duration.seconds(seconds) });
        const { shortestMs, longestMs } = runGaps(schedule, timeWindow) ?? { shortestMs: 0, longestMs: 0 };
        const wantedS =
          (longestMs + lastRunEndsMs(runRetries(shortestMs, seconds * 1_000).attempts, seconds * 1_000)) / 1_000;
        const found = watch(fn);
        if (found === undefined) {
          // Ten periods of whole minutes can be ten minutes longer than what is wanted.
          expect(wantedS).toBeGreaterThan(7 * DAY_S - 600);
          return;
        }
        const watchedS = found.period * found.evaluationPeriods;
        expect(watchedS).toBeGreaterThanOrEqual(wantedS);
        expect(watchedS - found.period).toBeLessThan(wantedS);
        expect(found.period % 60).toBe(0);
        expect(watchedS).toBeLessThanOrEqual(found.period < HOUR_S ? DAY_S : 7 * DAY_S);
      }),
      { numRuns: 60 },
    );
  });

  test('row 77: of a schedule that fires once there is none, and nothing to say about it', () => {
    const fn = digest({ schedules: [{ schedule: ScheduleExpression.at(new Date('2027-01-01T02:00:00Z')) }] });

    expect(watch(fn)).toBeUndefined();
    expect(alarmsOn(templateOf(fn.stack), 'Executed')).toEqual([]);
    expect(warningsOf(fn.stack)).toEqual([]);
  });

  test.each<[string, ScheduleExpression, string]>([
    ['a week', rate(Duration.days(7)), 'rate(7 days) can be 7 days apart'],
    ['a month', cron({ minute: '0', hour: '2', day: '1' }), 'cron(0 2 1 * ? *) can be 31 days apart'],
  ])('row 77: cannot look back for %s, and synthesis says so', (_, schedule, apart) => {
    const { stack } = digest({ schedules: [{ schedule }] });

    expect(alarmsOn(templateOf(stack), 'Executed')).toEqual([]);
    expect(warningsOf(stack)).toMatchObject([
      {
        id: '/Jobs/Digest/SingleExecution/Alarms',
        entry: {
          data: `${apart}, and an alarm looks back 7 at most: nothing tells that lock "digest" did not run; its failures and dead letters still do [ack: single-execution:did-not-run:digest]`,
        },
      },
    ]);
  });
});
