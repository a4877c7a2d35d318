import type { Stack } from 'aws-cdk-lib';
import { LockDashboard, LockTable } from 'single-execution/cdk';
import { describe, expect, test } from 'vitest';
import { attached, digest, nightly, ownFunction } from './digest.js';
import { appStack } from './synthesised.js';

// Properties as an app in JavaScript can pass them, of any type.
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
    expect(() => digest(props as object)).toThrow(new TypeError(message));
  });

  test.each<[string, (stack: Stack) => unknown]>([
    [
      "lockNames is 7: pass a name, such as 'send-digest', in a list",
      (stack) => attached(ownFunction(stack), { lockNames: 7 } as never),
    ],
    [
      "table is 'shop': pass a Table or TableV2, such as TableV2.fromTableName(…)",
      (stack) => LockTable.fromTable(stack, 'Shop', 'shop' as never),
    ],
    [
      "replicaRegions is 'eu-west-2': pass a list, such as ['eu-west-2']",
      (stack) => new LockTable(stack, 'Locks', { replicaRegions: 'eu-west-2' as never }),
    ],
    [
      'functions[0] is an object: pass a SingleExecutionFunction, or what SingleExecution.attach returned',
      (stack) => new LockDashboard(stack, 'Dashboard', { functions: [stack] as never }),
    ],
  ])('of other constructs: %s', (message, make) => {
    expect(() => make(appStack())).toThrow(new TypeError(message));
  });
});
