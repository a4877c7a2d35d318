import { Duration } from 'aws-cdk-lib';
import { ScheduleExpression, ScheduleGroup } from 'aws-cdk-lib/aws-scheduler';
import type { LockSchedule } from 'single-execution/cdk';
import { expect, test } from 'vitest';
import { attached, digest, ownFunction } from './digest.js';
import { appStack, propertiesOf, templateOf } from './synthesised.js';
import { resolved } from './synthesised-app.js';

const schedule = ScheduleExpression.rate(Duration.hours(1));

/** `count` schedules, each with its own lock. */
const schedules = (count: number, options: Partial<LockSchedule> = {}): LockSchedule[] =>
  Array.from({ length: count }, (_, n) => ({ schedule, lockName: `${options.via ?? 'lock'}-${n + 1}`, ...options }));

interface Metric {
  readonly Namespace: string;
  readonly MetricName: string;
  readonly Dimensions?: readonly { readonly Name: string; readonly Value: string }[];
}

const shown = ({ Namespace, MetricName, Dimensions = [] }: Metric) =>
  [Namespace, MetricName, ...Dimensions.map(({ Name, Value }) => `${Name}=${Value}`)].join(' ');

/** The alarms of a stack on lost dead letters: what they say, and the metrics that they add up. */
function lostIn(stack = appStack()) {
  const template = templateOf(stack);
  const alarms = propertiesOf(template, 'AWS::CloudWatch::Alarm').map((alarm) => resolved(alarm, (id) => id) as Alarm);
  const lost = alarms.filter(({ AlarmDescription }) => AlarmDescription.includes('deadletterslost'));
  return {
    idsOf: (type: string) => Object.keys(template.findResources(`AWS::${type}`)),
    descriptions: lost.map(({ AlarmDescription }) => AlarmDescription),
    metrics: lost.map(({ Metrics, ...alone }) => {
      const [sum, ...each] = Metrics ?? [{ Expression: 'one' }, { Id: 'one', MetricStat: { Metric: alone } }];
      expect(sum?.Expression).toBe(each.map(({ Id }) => Id).join(' + '));
      return each.flatMap(({ MetricStat }) => (MetricStat ? [shown(MetricStat.Metric)] : []));
    }),
  };
}

interface Alarm extends Metric {
  readonly AlarmDescription: string;
  readonly Metrics?: readonly { Id?: string; Expression?: string; MetricStat?: { Metric: Metric } }[];
}

/** The alarms of a stack with one function for each list of schedules. */
function lostOf(jobs: readonly (readonly LockSchedule[])[], stack = appStack()) {
  for (const [n, given] of jobs.entries()) {
    // Two functions may not take the same lock.
    const own = given.map((it) => ({ ...it, lockName: `${n + 1}/${it.lockName}` }));
    const lockNames = own.map(({ lockName }) => lockName);
    digest({ lockNames, schedules: own, alarms: { didNotRun: false } }, stack, `Job${n + 1}`);
  }
  return lostIn(stack);
}

const ofAll = 'AWS/Scheduler InvocationsFailedToBeSentToDeadLetterCount';
const ofGroup = (group = '') => `${ofAll} ScheduleGroup=${group}`;
const ofRule = (rule = '') => `AWS/Events InvocationsFailedToBeSentToDlq RuleName=${rule}`;
const ofRun = (fn = '') => `AWS/Lambda DestinationDeliveryFailures FunctionName=${fn}`;

test('row 77: each function has an alarm on its own schedules and runs alone, which names it', () => {
  const { idsOf, descriptions, metrics } = lostOf([schedules(1), schedules(1)]);
  const [groups, functions] = [idsOf('Scheduler::ScheduleGroup'), idsOf('Lambda::Function')];

  expect(descriptions).toEqual(
    ['Jobs/Job1', 'Jobs/Job2'].map(
      (path) =>
        `${path}: a tick or a failed run was given up and could not be sent to the dead-letter queue, so it is lost. See whether Lambda and EventBridge may send to the queue and use its key. What to do: docs/on-call.md#deadletterslost of single-execution.`,
    ),
  );
  expect(metrics).toEqual([0, 1].map((n) => [ofGroup(groups[n]), ofRun(functions[n])]));
});

test('row 77: one alarm adds up nine schedule groups and rules of a function, and its failed runs', () => {
  const { idsOf, metrics } = lostOf([[...schedules(5), ...schedules(4, { via: 'rule' })]]);
  const [groups, rules] = [idsOf('Scheduler::ScheduleGroup'), idsOf('Events::Rule')];

  expect([groups.length, rules.length]).toEqual([5, 4]);
  expect(metrics).toEqual([
    expect.arrayContaining([...groups.map(ofGroup), ...rules.map(ofRule), ...idsOf('Lambda::Function').map(ofRun)]),
  ]);
});

test('row 77: each function of a schedule group that somebody gave has an alarm on its ticks and on its runs', () => {
  const stack = appStack();
  const scheduleGroup = ScheduleGroup.fromScheduleGroupName(stack, 'Group', 'jobs');
  const { idsOf, metrics } = lostOf([schedules(1, { scheduleGroup }), schedules(1, { scheduleGroup })], stack);

  expect(metrics).toEqual(idsOf('Lambda::Function').map((fn) => [ofGroup('jobs'), ofRun(fn)]));
});

test('row 77: the alarm of a function of over nine groups counts all schedules of the account and region', () => {
  const { idsOf, descriptions, metrics } = lostOf([schedules(10)]);

  expect(descriptions).toEqual([
    expect.stringMatching(
      /^Jobs\/Job1: a tick or a failed run of this function, or of any schedule in this account and region, was given up/,
    ),
  ]);
  expect(metrics).toEqual([[ofAll, ...idsOf('Lambda::Function').map(ofRun)]]);
});

test('row 77: the alarm of a function of over nine rules counts its runs alone: EventBridge counts each rule by itself', () => {
  const { idsOf, metrics } = lostOf([schedules(10, { via: 'rule' })]);

  expect(metrics).toEqual([idsOf('Lambda::Function').map(ofRun)]);
});

test('row 77: a function with a dead-letter queue of its own is watched by the metric of that queue', () => {
  const stack = appStack();
  attached(ownFunction(stack, 'Mine', { deadLetterQueueEnabled: true }).addAlias('live'), { retryAttempts: 0 });
  const { idsOf, metrics } = lostIn(stack);

  expect(metrics).toEqual([
    expect.arrayContaining(idsOf('Lambda::Function').map((fn) => `AWS/Lambda DeadLetterErrors FunctionName=${fn}`)),
  ]);
});
