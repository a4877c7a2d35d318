import { Duration } from 'aws-cdk-lib';
import { ScheduleExpression, ScheduleGroup } from 'aws-cdk-lib/aws-scheduler';
import {
  type LockSchedule,
  LockTable,
  SingleExecution,
  SingleExecutionFunction,
  type SingleExecutionFunctionProps,
} from 'single-execution/cdk';
import { expect, test } from 'vitest';
import { PlayedAlarm } from './cloudwatch/alarm-play.js';
import { Metrics } from './cloudwatch/series.js';
import { HANDLER, ownFunction } from './digest.js';
import { appStack, templateOf } from './synthesised.js';

const hourly = ScheduleExpression.rate(Duration.hours(1));
const OF_ALL = { namespace: 'AWS/Scheduler', name: 'InvocationsFailedToBeSentToDeadLetterCount' };
const OF_RUN = { namespace: 'AWS/Lambda', name: 'DestinationDeliveryFailures' };
const OF_RULE = { namespace: 'AWS/Events', name: 'InvocationsFailedToBeSentToDlq' };

type Schedules = (stack: ReturnType<typeof appStack>) => readonly LockSchedule[];

/** `count` schedules, each with its own lock. */
const schedules =
  (count: number, options: Partial<LockSchedule> = {}): Schedules =>
  () =>
    Array.from({ length: count }, (_, n) => ({ schedule: hourly, lockName: `lock-${n + 1}`, ...options }));

/** A stack with one function for each list of schedules, and the stack's alarms on lost dead letters. */
function lostOf(...jobs: readonly Schedules[]) {
  const stack = appStack();
  const lockTable = new LockTable(stack, 'Locks');
  const functions = jobs.map((schedulesOf, n) => {
    // Two functions may not take the same lock.
    const own = schedulesOf(stack).map(({ lockName, ...rest }) => ({ ...rest, lockName: `${n + 1}/${lockName}` }));
    const props: SingleExecutionFunctionProps = {
      entry: HANDLER,
      lockTable,
      lockNames: own.map(({ lockName }) => lockName),
      schedules: own,
      alarms: { didNotRun: false },
    };
    return new SingleExecutionFunction(stack, `Job${n + 1}`, props);
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
function goesOff(alarm: unknown, metric: Pick<typeof OF_ALL, 'namespace' | 'name'>, dimension?: [string, string]) {
  const metrics = new Metrics();
  const [Name = '', Value = ''] = dimension ?? [];
  metrics.report({ ...metric, dimensions: dimension ? [{ Name, Value }] : [] }, 1, { minute: 100 });
  const played = new PlayedAlarm(alarm, { extraPeriods: 0 });
  for (let minute = 60; minute <= 120; minute += 1) played.evaluate(metrics, minute);
  return played.changes.some(({ state }) => state === 'ALARM');
}

test('row 77: each function has an alarm on its own schedules alone, which names it', () => {
  const { groups, alarms } = lostOf(schedules(1), schedules(1));

  expect(alarms.map(({ AlarmDescription }) => AlarmDescription)).toEqual([
    'Jobs/Job1: a tick or a failed run was given up and could not be sent to the dead-letter queue, so it is lost. See whether Lambda and EventBridge may send to the queue and use its key. What to do: docs/on-call.md#deadletterslost of single-execution.',
    'Jobs/Job2: a tick or a failed run was given up and could not be sent to the dead-letter queue, so it is lost. See whether Lambda and EventBridge may send to the queue and use its key. What to do: docs/on-call.md#deadletterslost of single-execution.',
  ]);
  expect(groups).toHaveLength(2);
  const seen = groups.map((group) => alarms.map((alarm) => goesOff(alarm, OF_ALL, ['ScheduleGroup', group])));
  expect(seen).toEqual([
    [true, false],
    [false, true],
  ]);
  expect(alarms.map((alarm) => goesOff(alarm, OF_ALL, ['ScheduleGroup', 'of-another-app']))).toEqual([false, false]);
  expect(alarms.map((alarm) => goesOff(alarm, OF_ALL))).toEqual([false, false]);
});

test('row 77: one alarm adds up nine schedule groups and rules of a function, and its failed runs', () => {
  const { groups, rules, alarms, functions } = lostOf((stack) => [
    ...schedules(5)(stack),
    ...schedules(4, { via: 'rule' })(stack).map(({ lockName, ...rest }) => ({
      ...rest,
      lockName: `by-rule-${lockName}`,
    })),
  ]);

  expect(alarms).toHaveLength(1);
  expect(groups.map((group) => goesOff(alarms[0], OF_ALL, ['ScheduleGroup', group]))).toEqual(groups.map(() => true));
  expect(rules.map((rule) => goesOff(alarms[0], OF_RULE, ['RuleName', rule]))).toEqual(rules.map(() => true));
  expect(functions.map((name) => goesOff(alarms[0], OF_RUN, ['FunctionName', name]))).toEqual([true]);
  expect([groups.length, rules.length]).toEqual([5, 4]);
});

test('row 77: each function of a schedule group that somebody gave has an alarm on its ticks and on its runs', () => {
  const { alarms, functions } = lostOf(
    (stack) => schedules(1, { scheduleGroup: ScheduleGroup.fromScheduleGroupName(stack, 'Group1', 'jobs') })(stack),
    (stack) => schedules(1, { scheduleGroup: ScheduleGroup.fromScheduleGroupName(stack, 'Group2', 'jobs') })(stack),
  );

  expect(alarms.map((alarm) => goesOff(alarm, OF_ALL, ['ScheduleGroup', 'jobs']))).toEqual([true, true]);
  expect(functions.map((name) => alarms.map((alarm) => goesOff(alarm, OF_RUN, ['FunctionName', name])))).toEqual([
    [true, false],
    [false, true],
  ]);
});

test('row 77: the alarm of a function of over nine groups counts all schedules of the account and region', () => {
  const { alarms, functions } = lostOf(schedules(10));

  expect(alarms).toHaveLength(1);
  expect(alarms[0].AlarmDescription).toMatch(
    /^Jobs\/Job1: a tick or a failed run of this function, or of any schedule in this account and region, was given up/,
  );
  expect(goesOff(alarms[0], OF_ALL)).toBe(true);
  expect(goesOff(alarms[0], OF_RUN, ['FunctionName', functions[0] ?? ''])).toBe(true);
});

test('row 77: the alarm of a function of over nine rules counts its runs alone: EventBridge counts each rule by itself', () => {
  const { alarms, rules, functions } = lostOf(schedules(10, { via: 'rule' }));

  expect(goesOff(alarms[0], OF_RULE, ['RuleName', rules[0] ?? ''])).toBe(false);
  expect(goesOff(alarms[0], OF_RUN, ['FunctionName', functions[0] ?? ''])).toBe(true);
});

test('row 77: a function with a dead-letter queue of its own is watched by the metric of that queue', () => {
  const stack = appStack();
  const fn = ownFunction(stack, 'Mine', { deadLetterQueueEnabled: true });
  SingleExecution.attach(fn.addAlias('live'), {
    lockTable: new LockTable(stack, 'Locks'),
    lockNames: ['mine'],
    schedules: [{ schedule: hourly }],
    retryAttempts: 0,
  });
  const lost = Object.values(templateOf(stack).findResources('AWS::CloudWatch::Alarm'))
    .map(({ Properties }) => Properties)
    .find(({ AlarmDescription }) => JSON.stringify(AlarmDescription).includes('deadletterslost'));

  const [name = ''] = Object.keys(templateOf(stack).findResources('AWS::Lambda::Function'));
  expect(goesOff(lost, { ...OF_RUN, name: 'DeadLetterErrors' }, ['FunctionName', name])).toBe(true);
});
