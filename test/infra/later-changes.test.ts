import {
  Aspects,
  CfnParameter,
  type CfnResource,
  Duration,
  RemovalPolicies,
  RemovalPolicy,
  type Stack,
  TimeZone,
} from 'aws-cdk-lib';
import { CfnRule } from 'aws-cdk-lib/aws-events';
import { CfnEventInvokeConfig, CfnFunction, type IFunction } from 'aws-cdk-lib/aws-lambda';
import { CfnSchedule, ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import { type AttachProps, LockTable, SingleExecution, type SingleExecutionFunctionProps } from 'single-execution/cdk';
import { describe, expect, test } from 'vitest';
import { digest, nightly, ownFunction } from './digest.js';
import { appStack, templateOf } from './synthesised.js';

function changing<T extends CfnResource>(stack: Stack, is: (it: unknown) => it is T, change: (it: T) => void): void {
  Aspects.of(stack).add({ visit: (node) => is(node) && change(node) });
}

const isA =
  <T extends CfnResource>(type: new (...args: never[]) => T) =>
  (it: unknown): it is T =>
    it instanceof type;

describe('F159 what an aspect changes after it was read is refused', () => {
  test.each<[string, (stack: Stack) => void, string]>([
    [
      'the timeout',
      (stack) =>
        changing(stack, isA(CfnFunction), (fn) => {
          fn.timeout = 900;
        }),
      'timeout of Jobs/Digest/Resource was 60 when it was read, and is 900 now',
    ],
    [
      'the retries',
      (stack) =>
        changing(stack, isA(CfnEventInvokeConfig), (config) => {
          config.maximumRetryAttempts = 0;
        }),
      'maximumRetryAttempts of Jobs/Digest/EventInvokeConfig/Resource was 2 when it was read, and is 0 now',
    ],
    [
      'the schedule',
      (stack) =>
        changing(stack, isA(CfnSchedule), (schedule) => {
          schedule.scheduleExpression = 'rate(1 minute)';
        }),
      'was "cron(0 2 * * ? *)" when it was read, and is "rate(1 minute)" now',
    ],
    [
      'its time zone',
      (stack) =>
        changing(stack, isA(CfnSchedule), (schedule) => {
          schedule.scheduleExpressionTimezone = 'Europe/Berlin';
        }),
      'scheduleExpressionTimezone of Jobs/Digest',
    ],
    [
      'the rule',
      (stack) =>
        changing(stack, isA(CfnRule), (rule) => {
          rule.scheduleExpression = 'rate(1 minute)';
        }),
      'and is "rate(1 minute)" now',
    ],
  ])('F159 %s', (name, change, message) => {
    const stack = appStack();
    digest({ schedules: [{ schedule: nightly, via: name === 'the rule' ? 'rule' : 'scheduler' }] }, stack);
    change(stack);

    expect(() => templateOf(stack)).toThrow(message);
  });

  test('F159 a variable that is set again', () => {
    const stack = appStack();
    digest({}, stack).addEnvironment('LOCK_TABLE', 'mine');

    expect(() => templateOf(stack)).toThrow('LOCK_TABLE of Jobs/Digest/Resource was {"Ref":');
  });

  test('F159 another variable, the memory, and a state may change', () => {
    const stack = appStack();
    digest({}, stack).addEnvironment('MINE', '1');
    changing(stack, isA(CfnFunction), (fn) => {
      fn.memorySize = 512;
    });
    changing(stack, isA(CfnSchedule), (schedule) => {
      schedule.state = 'DISABLED';
    });

    expect(() => templateOf(stack)).not.toThrow();
  });
});

describe('F159 a policy of removal for the whole stack', () => {
  const destroyed = (props: ConstructorParameters<typeof LockTable>[2]) => {
    const stack = appStack();
    new LockTable(stack, 'Locks', props);
    RemovalPolicies.of(stack).destroy();
    return () => templateOf(stack);
  };

  test('F159 is refused beside deletion protection', () => {
    const REFUSED = 'the deletion policy was set to Delete, and deletionProtection is true';
    expect(destroyed({})).toThrow(REFUSED);
    expect(destroyed({ deletionProtection: true })).toThrow(REFUSED);
    const stack = appStack();
    new LockTable(stack, 'Locks').table.applyRemovalPolicy(RemovalPolicy.DESTROY);
    expect(() => templateOf(stack)).toThrow(REFUSED);
  });

  test('F159 is taken without it', () => {
    expect(destroyed({ deletionProtection: false })).not.toThrow();
    expect(destroyed({ removalPolicy: RemovalPolicy.DESTROY })).not.toThrow();
  });

  test('F159 that retains all is taken', () => {
    const stack = appStack();
    digest({}, stack);
    RemovalPolicies.of(stack).retain();
    expect(() => templateOf(stack)).not.toThrow();
  });
});

describe('F159 a token in place of a value that must be known', () => {
  const text = (stack: Stack) => new CfnParameter(stack, 'P').valueAsString;
  const minutes = (stack: Stack) => Duration.minutes(new CfnParameter(stack, 'P', { type: 'Number' }).valueAsNumber);

  test.each<[string, (stack: Stack) => Partial<SingleExecutionFunctionProps>, string]>([
    [
      'a schedule',
      (stack) => ({ schedules: [{ schedule: ScheduleExpression.expression(text(stack)) }] }),
      'schedules[0].schedule is a token',
    ],
    [
      'a part of a schedule',
      (stack) => ({ schedules: [{ schedule: ScheduleExpression.cron({ minute: '0', hour: text(stack) }) }] }),
      'schedules[0].schedule is a token',
    ],
    [
      'a time zone',
      (stack) => ({
        schedules: [{ schedule: ScheduleExpression.cron({ hour: '2', timeZone: TimeZone.of(text(stack)) }) }],
      }),
      'the time zone of schedules[0].schedule is a token',
    ],
    ['lockAtMostFor', (stack) => ({ lockAtMostFor: minutes(stack) }), 'lockAtMostFor is a token'],
    ['lockAtLeastFor', (stack) => ({ lockAtLeastFor: minutes(stack) }), 'lockAtLeastFor is a token'],
    ['maxEventAge', (stack) => ({ maxEventAge: minutes(stack) }), 'maxEventAge is a token'],
    ['timeout', (stack) => ({ timeout: minutes(stack) }), 'timeout is a token'],
    ['a lock', (stack) => ({ lockNames: [text(stack)] }), 'token'],
  ])('F159 is refused without its text: %s', (_, props, message) => {
    const stack = appStack();
    let error: Error | undefined;
    try {
      digest(props(stack), stack);
    } catch (thrown) {
      error = thrown as Error;
    }

    expect(error?.message).toContain(message);
    expect(error?.message).not.toContain('${Token');
  });
});

test.each<[string, (stack: Stack) => [IFunction, IFunction]]>([
  [
    'two aliases',
    (stack) => {
      const fn = ownFunction(stack, 'Digest');
      return [fn.addAlias('one') as IFunction, fn.addAlias('two') as IFunction];
    },
  ],
  [
    'an alias and its function',
    (stack) => {
      const fn = ownFunction(stack, 'Digest');
      return [fn.addAlias('one') as IFunction, fn];
    },
  ],
])('F159 the second of %s that differ is refused by name', (_, of) => {
  const stack = appStack();
  const lockTable = new LockTable(stack, 'Locks');
  const [first, second] = of(stack);
  const props = (lock: string, hour: string): AttachProps => ({
    lockTable,
    lockNames: [lock],
    schedules: [{ schedule: ScheduleExpression.cron({ minute: '0', hour }) }],
  });
  SingleExecution.attach(first, props('a', '1'));

  expect(() => SingleExecution.attach(second, props('b', '2'))).toThrow(
    `${second.node.path} and ${first.node.path} are one function with one environment, and differ in SINGLE_EXECUTION_SCHEDULE, which follows from schedules: set the same for both, or make a function for each`,
  );
});
