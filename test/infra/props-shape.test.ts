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
    [{ lockTable: 'locks' }, "lockTable is 'locks': pass a LockTable, or LockTable.fromTable(…)"],
    [{ lockNames: undefined }, "lockNames is undefined: pass a name, such as 'send-digest', in a list"],
    [{ lockNames: 'digest' }, "lockNames is 'digest': pass a name, such as 'send-digest', in a list"],
    [{ lockNames: [7] }, "lockNames[0] is 7: pass a name, such as 'send-digest'"],
    [{ schedules: undefined }, 'schedules is undefined: pass a list of { schedule }'],
    [{ schedules: { schedule: nightly } }, 'schedules is an object: pass a list of { schedule }'],
    [
      { schedules: [nightly.expressionString] },
      "schedules[0] is 'cron(0 2 * * ? *)': pass an object such as { schedule, lockName }",
    ],
    [
      { schedules: [{ schedule: 'rate(5 minutes)' }] },
      "schedules[0].schedule is 'rate(5 minutes)': pass a ScheduleExpression, such as ScheduleExpression.rate(Duration.minutes(5))",
    ],
    [{ schedules: [{ schedule: nightly, via: 'rules' }] }, "schedules[0].via is 'rules': choose 'scheduler' or 'rule'"],
    [
      { schedules: [{ schedule: nightly, timeWindow: 5 }] },
      'schedules[0].timeWindow is 5: pass a TimeWindow, such as TimeWindow.off()',
    ],
    [{ lockAtMostFor: 60 }, 'lockAtMostFor is 60: pass a Duration, such as Duration.minutes(1)'],
    [{ lockAtLeastFor: 'PT1M' }, "lockAtLeastFor is 'PT1M': pass a Duration, such as Duration.minutes(1)"],
    [{ timeout: 60 }, 'timeout is 60: pass a Duration, such as Duration.minutes(1)'],
    [{ deadLetterQueue: 'queue' }, "deadLetterQueue is 'queue': pass a Queue"],
    [{ alarmActions: {} }, 'alarmActions is an object: pass an action, such as new SnsAction(topic), in a list'],
    [{ alarmActions: ['arn'] }, "alarmActions[0] is 'arn': pass an action, such as new SnsAction(topic)"],
    [{ alarms: true }, 'alarms is true: pass an object such as { longRun: false }, or false'],
    [{ alarms: { page: {} } }, 'alarms.page is an object: pass an action, such as new SnsAction(topic), in a list'],
  ])('%j', (props, message) => {
    expect(() => digest(untyped(props))).toThrow(new TypeError(message));
  });

  test('of SingleExecution.attach', () => {
    const stack = appStack();
    const fn = digest({}, stack);
    const schedules = [{ schedule: ScheduleExpression.rate(Duration.minutes(5)) }];

    expect(() => SingleExecution.attach(fn, { lockTable: new LockTable(stack, 'Others'), schedules } as never)).toThrow(
      new TypeError("lockNames is undefined: pass a name, such as 'send-digest', in a list"),
    );
  });

  test('of a table and a dashboard', () => {
    const stack = appStack();

    expect(() => LockTable.fromTable(stack, 'Shop', 'shop' as never)).toThrow(
      new TypeError("table is 'shop': pass a Table or TableV2, such as TableV2.fromTableName(…)"),
    );
    expect(() => new LockTable(stack, 'Locks', { replicaRegions: 'eu-west-2' as never })).toThrow(
      new TypeError("replicaRegions is 'eu-west-2': pass a list, such as ['eu-west-2']"),
    );
    expect(() => new LockDashboard(stack, 'Dashboard', { functions: [stack] as never })).toThrow(
      new TypeError(
        'functions[0] is an object: pass a SingleExecutionFunction, or what SingleExecution.attach returned',
      ),
    );
  });
});
