import { Duration } from 'aws-cdk-lib';
import { ScheduleExpression, ScheduleGroup } from 'aws-cdk-lib/aws-scheduler';
import type { LockSchedule } from 'single-execution/cdk';
import { expect, test } from 'vitest';
import { PlayedAlarm } from './cloudwatch/alarm-play.js';
import { Metrics } from './cloudwatch/series.js';
import { attached, digest, ownFunction } from './digest.js';
import { appStack, templateOf } from './synthesised.js';

const schedule = ScheduleExpression.rate(Duration.hours(1));

type Metric = readonly [namespace: string, name: string, dimension: string];
const OF_GROUP: Metric = ['AWS/Scheduler', 'InvocationsFailedToBeSentToDeadLetterCount', 'ScheduleGroup'];
const OF_RULE: Metric = ['AWS/Events', 'InvocationsFailedToBeSentToDlq', 'RuleName'];
const OF_RUN: Metric = ['AWS/Lambda', 'DestinationDeliveryFailures', 'FunctionName'];

/** `count` schedules, each with its own lock. */
const schedules = (count: number, options: Partial<LockSchedule> = {}): LockSchedule[] =>
  Array.from({ length: count }, (_, n) => ({ schedule, lockName: `${options.via ?? 'lock'}-${n + 1}`, ...options }));

/** A stack with one function for each list of schedules, and the stack's alarms on lost dead letters. */
function lostOf(jobs: readonly (readonly LockSchedule[])[], stack = appStack()) {
  const functions = jobs.map((given, n) => {
    // Two functions may not take the same lock.
    const own = given.map((it) => ({ ...it, lockName: `${n + 1}/${it.lockName}` }));
    const lockNames = own.map(({ lockName }) => lockName);
    return digest({ lockNames, schedules: own, alarms: { didNotRun: false } }, stack, `Job${n + 1}`);
  });
  const alarms = [...new Set(functions.flatMap((fn) => fn.alarms.of('deadLettersLost')))];
  const template = templateOf(stack);
  const made = template.findResources('AWS::CloudWatch::Alarm');
  const idsOf = (type: string) => Object.keys(template.findResources(type));
  return {
    groups: idsOf('AWS::Scheduler::ScheduleGroup'),
    rules: idsOf('AWS::Events::Rule'),
    functions: idsOf('AWS::Lambda::Function'),
    alarms: alarms.map((alarm) => made[stack.getLogicalId(alarm.node.defaultChild as never)]?.['Properties']),
  };
}

/** Whether an alarm goes off if this metric has one value, and no other metric has any. */
function goesOff(alarm: unknown, [namespace, name, dimension]: Metric, value?: string): boolean {
  const metrics = new Metrics();
  const dimensions = value === undefined ? [] : [{ Name: dimension, Value: value }];
  metrics.report({ namespace, name, dimensions }, 1, { minute: 100 });
  const played = new PlayedAlarm(alarm, { extraPeriods: 0 });
  for (let minute = 60; minute <= 120; minute += 1) played.evaluate(metrics, minute);
  return played.changes.some(({ state }) => state === 'ALARM');
}

/** For each value of a metric's dimension, which of the alarms go off. */
const seen = (alarms: readonly unknown[], metric: Metric, values: readonly (string | undefined)[]) =>
  values.map((value) => alarms.map((alarm) => goesOff(alarm, metric, value)));

const EACH_ITS_OWN = [
  [true, false],
  [false, true],
];

test('row 77: each function has an alarm on its own schedules alone, which names it', () => {
  const { groups, alarms } = lostOf([schedules(1), schedules(1)]);

  expect(alarms.map(({ AlarmDescription }) => AlarmDescription)).toEqual(
    ['Jobs/Job1', 'Jobs/Job2'].map(
      (path) =>
        `${path}: a tick or a failed run was given up and could not be sent to the dead-letter queue, so it is lost. See whether Lambda and EventBridge may send to the queue and use its key. What to do: docs/on-call.md#deadletterslost of single-execution.`,
    ),
  );
  expect(seen(alarms, OF_GROUP, groups)).toEqual(EACH_ITS_OWN);
  expect(seen(alarms, OF_GROUP, ['of-another-app', undefined]).flat()).not.toContain(true);
});

test('row 77: one alarm adds up nine schedule groups and rules of a function, and its failed runs', () => {
  const { groups, rules, alarms, functions } = lostOf([[...schedules(5), ...schedules(4, { via: 'rule' })]]);

  expect([alarms.length, groups.length, rules.length]).toEqual([1, 5, 4]);
  expect(seen(alarms, OF_GROUP, groups)).toEqual(groups.map(() => [true]));
  expect(seen(alarms, OF_RULE, rules)).toEqual(rules.map(() => [true]));
  expect(seen(alarms, OF_RUN, functions)).toEqual([[true]]);
});

test('row 77: each function of a schedule group that somebody gave has an alarm on its ticks and on its runs', () => {
  const stack = appStack();
  const scheduleGroup = ScheduleGroup.fromScheduleGroupName(stack, 'Group', 'jobs');
  const { alarms, functions } = lostOf([schedules(1, { scheduleGroup }), schedules(1, { scheduleGroup })], stack);

  expect(seen(alarms, OF_GROUP, ['jobs'])).toEqual([[true, true]]);
  expect(seen(alarms, OF_RUN, functions)).toEqual(EACH_ITS_OWN);
});

test('row 77: the alarm of a function of over nine groups counts all schedules of the account and region', () => {
  const { alarms, functions } = lostOf([schedules(10)]);

  expect(alarms.map(({ AlarmDescription }) => AlarmDescription)).toEqual([
    expect.stringMatching(
      /^Jobs\/Job1: a tick or a failed run of this function, or of any schedule in this account and region, was given up/,
    ),
  ]);
  expect(seen(alarms, OF_GROUP, [undefined])).toEqual([[true]]);
  expect(seen(alarms, OF_RUN, functions)).toEqual([[true]]);
});

test('row 77: the alarm of a function of over nine rules counts its runs alone: EventBridge counts each rule by itself', () => {
  const { alarms, rules, functions } = lostOf([schedules(10, { via: 'rule' })]);

  expect(seen(alarms, OF_RULE, rules).flat()).not.toContain(true);
  expect(seen(alarms, OF_RUN, functions)).toEqual([[true]]);
});

test('row 77: a function with a dead-letter queue of its own is watched by the metric of that queue', () => {
  const stack = appStack();
  attached(ownFunction(stack, 'Mine', { deadLetterQueueEnabled: true }).addAlias('live'), { retryAttempts: 0 });
  const template = templateOf(stack);
  const lost = Object.values(template.findResources('AWS::CloudWatch::Alarm')).filter(({ Properties }) =>
    JSON.stringify(Properties.AlarmDescription).includes('deadletterslost'),
  );
  const functions = Object.keys(template.findResources('AWS::Lambda::Function'));
  const ofQueue: Metric = ['AWS/Lambda', 'DeadLetterErrors', 'FunctionName'];

  expect(
    seen(
      lost.map(({ Properties }) => Properties),
      ofQueue,
      functions,
    ),
  ).toEqual([[true]]);
});
