import { Duration } from 'aws-cdk-lib';
import { ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import { LockDashboard, LockTable, SingleExecution, type SingleExecutionFunctionProps } from 'single-execution/cdk';
import { describe, expect, test } from 'vitest';
import { digest, nightly } from './digest.js';
import { appStack } from './synthesised.js';

/** Properties as an app in JavaScript can pass them, of any type. */
const untyped = (props: object) => props as Partial<SingleExecutionFunctionProps>;

describe('a property of a wrong shape is refused by its name', () => {
  test.each<[object, string]>([
    [{ lockTable: 'locks' }, "lockTable is 'locks': give a LockTable, or LockTable.fromTable(…)"],
    [{ lockNames: undefined }, "lockNames is undefined: give a name, such as 'send-digest', in a list"],
    [{ lockNames: 'digest' }, "lockNames is 'digest': give a name, such as 'send-digest', in a list"],
    [{ lockNames: [7] }, "lockNames[0] is 7: give a name, such as 'send-digest'"],
    [{ schedules: undefined }, 'schedules is undefined: give a list of { schedule }'],
    [{ schedules: { schedule: nightly } }, 'schedules is an object: give a list of { schedule }'],
    [
      { schedules: [nightly.expressionString] },
      "schedules[0] is 'cron(0 2 * * ? *)': give an object such as { schedule, lockName }",
    ],
    [
      { schedules: [{ schedule: 'rate(5 minutes)' }] },
      "schedules[0].schedule is 'rate(5 minutes)': give a ScheduleExpression, such as ScheduleExpression.rate(Duration.minutes(5))",
    ],
    [{ schedules: [{ schedule: nightly, via: 'rules' }] }, "schedules[0].via is 'rules': choose 'scheduler' or 'rule'"],
    [
      { schedules: [{ schedule: nightly, timeWindow: 5 }] },
      'schedules[0].timeWindow is 5: give a TimeWindow, such as TimeWindow.off()',
    ],
    [{ lockAtMostFor: 60 }, 'lockAtMostFor is 60: give a Duration, such as Duration.minutes(1)'],
    [{ lockAtLeastFor: 'PT1M' }, "lockAtLeastFor is 'PT1M': give a Duration, such as Duration.minutes(1)"],
    [{ timeout: 60 }, 'timeout is 60: give a Duration, such as Duration.minutes(1)'],
    [{ deadLetterQueue: 'queue' }, "deadLetterQueue is 'queue': give a Queue"],
    [{ alarmActions: {} }, 'alarmActions is an object: give an action, such as new SnsAction(topic), in a list'],
    [{ alarmActions: ['arn'] }, "alarmActions[0] is 'arn': give an action, such as new SnsAction(topic)"],
    [{ alarms: true }, 'alarms is true: give an object such as { longRun: false }, or false'],
    [{ alarms: { page: {} } }, 'alarms.page is an object: give an action, such as new SnsAction(topic), in a list'],
  ])('%j', (props, message) => {
    expect(() => digest(untyped(props))).toThrow(new TypeError(message));
  });

  test('of SingleExecution.attach', () => {
    const stack = appStack();
    const fn = digest({}, stack);
    const schedules = [{ schedule: ScheduleExpression.rate(Duration.minutes(5)) }];

    expect(() => SingleExecution.attach(fn, { lockTable: new LockTable(stack, 'Others'), schedules } as never)).toThrow(
      new TypeError("lockNames is undefined: give a name, such as 'send-digest', in a list"),
    );
  });

  test('of a table and a dashboard', () => {
    const stack = appStack();

    expect(() => LockTable.fromTable(stack, 'Shop', 'shop' as never)).toThrow(
      new TypeError("table is 'shop': give a Table or TableV2, such as TableV2.fromTableName(…)"),
    );
    expect(() => new LockTable(stack, 'Locks', { replicaRegions: 'eu-west-2' as never })).toThrow(
      new TypeError("replicaRegions is 'eu-west-2': give a list, such as ['eu-west-2']"),
    );
    expect(() => new LockDashboard(stack, 'Dashboard', { functions: [stack] as never })).toThrow(
      new TypeError(
        'functions[0] is an object: give a SingleExecutionFunction, or what SingleExecution.attach returned',
      ),
    );
  });
});
