import {
  Aspects,
  CfnParameter,
  CfnResource,
  Duration,
  RemovalPolicies,
  RemovalPolicy,
  type Stack,
  TimeZone,
} from 'aws-cdk-lib';
import type { IFunction, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import { LockTable, type LockTableProps, type SingleExecutionFunctionProps } from 'single-execution/cdk';
import { describe, expect, test } from 'vitest';
import { attached, digest, nightly, ownFunction } from './digest.js';
import { appStack, templateOf } from './synthesised.js';

const { cron, expression } = ScheduleExpression;

/** Sets properties of all resources of a type, after the constructs have read them. */
function setLater(stack: Stack, type: string, values: object): void {
  Aspects.of(stack).add({
    visit(node) {
      if (CfnResource.isCfnResource(node) && node.cfnResourceType === type) Object.assign(node, values);
    },
  });
}

describe('F159 what an aspect changes after it was read', () => {
  test.each<[string, object, string]>([
    [
      'AWS::Lambda::Function',
      { timeout: 900 },
      'timeout of Jobs/Digest/Resource was 60 when it was read, and is 900 now',
    ],
    [
      'AWS::Lambda::EventInvokeConfig',
      { maximumRetryAttempts: 0 },
      'maximumRetryAttempts of Jobs/Digest/EventInvokeConfig/Resource was 2 when it was read, and is 0 now',
    ],
    [
      'AWS::Scheduler::Schedule',
      { scheduleExpression: 'rate(1 minute)' },
      'was "cron(0 2 * * ? *)" when it was read, and is "rate(1 minute)" now',
    ],
    [
      'AWS::Scheduler::Schedule',
      { scheduleExpressionTimezone: 'Europe/Berlin' },
      'scheduleExpressionTimezone of Jobs/Digest',
    ],
    ['AWS::Events::Rule', { scheduleExpression: 'rate(1 minute)' }, 'and is "rate(1 minute)" now'],
  ])('is refused: in %s %j', (type, values, message) => {
    const stack = appStack();
    digest({ schedules: [{ schedule: nightly, via: type === 'AWS::Events::Rule' ? 'rule' : 'scheduler' }] }, stack);
    setLater(stack, type, values);

    expect(() => templateOf(stack)).toThrow(message);
  });

  test('is refused: a variable that is set again', () => {
    const fn = digest();
    fn.addEnvironment('LOCK_TABLE', 'mine');

    expect(() => templateOf(fn.stack)).toThrow('LOCK_TABLE of Jobs/Digest/Resource was {"Ref":');
  });

  test('may be another variable, the memory, or a state', () => {
    const fn = digest();
    fn.addEnvironment('MINE', '1');
    setLater(fn.stack, 'AWS::Lambda::Function', { memorySize: 512 });
    setLater(fn.stack, 'AWS::Scheduler::Schedule', { state: 'DISABLED' });

    expect(() => templateOf(fn.stack)).not.toThrow();
  });
});

describe('F159 a policy of removal for a whole stack', () => {
  const REFUSED = 'the deletion policy was set to Delete, and deletionProtection is true';

  test.each<[string | undefined, LockTableProps]>([
    [REFUSED, {}],
    [REFUSED, { deletionProtection: true }],
    [undefined, { deletionProtection: false }],
    [undefined, { removalPolicy: RemovalPolicy.DESTROY }],
  ])('that destroys all: %s, for a table with %j', (refused, props) => {
    const stack = appStack();
    new LockTable(stack, 'Locks', props);
    RemovalPolicies.of(stack).destroy();

    if (refused) expect(() => templateOf(stack)).toThrow(refused);
    else expect(() => templateOf(stack)).not.toThrow();
  });

  test('is refused for the table alone too, and taken if it retains all', () => {
    const [stack, retaining] = [appStack(), appStack()];
    new LockTable(stack, 'Locks').table.applyRemovalPolicy(RemovalPolicy.DESTROY);
    expect(() => templateOf(stack)).toThrow(REFUSED);

    digest({}, retaining);
    RemovalPolicies.of(retaining).retain();
    expect(() => templateOf(retaining)).not.toThrow();
  });
});

describe('F159 a token in place of a value that must be known is refused without its text', () => {
  const text = (stack: Stack) => new CfnParameter(stack, 'P').valueAsString;
  const minutes = (stack: Stack) => Duration.minutes(new CfnParameter(stack, 'P', { type: 'Number' }).valueAsNumber);
  const every = (schedule: ScheduleExpression) => ({ schedules: [{ schedule }] });

  test.each<[string, (stack: Stack) => Partial<SingleExecutionFunctionProps>]>([
    ['schedules[0].schedule is a token', (stack) => every(expression(text(stack)))],
    ['schedules[0].schedule is a token', (stack) => every(cron({ minute: '0', hour: text(stack) }))],
    [
      'the time zone of schedules[0].schedule is a token',
      (stack) => every(cron({ hour: '2', timeZone: TimeZone.of(text(stack)) })),
    ],
    ['lockAtMostFor is a token', (stack) => ({ lockAtMostFor: minutes(stack) })],
    ['lockAtLeastFor is a token', (stack) => ({ lockAtLeastFor: minutes(stack) })],
    ['maxEventAge is a token', (stack) => ({ maxEventAge: minutes(stack) })],
    ['timeout is a token', (stack) => ({ timeout: minutes(stack) })],
    ['a lock name or key prefix is a token', (stack) => ({ lockNames: [text(stack)] })],
  ])('%s', (message, propsIn) => {
    const make = () => {
      const stack = appStack();
      digest(propsIn(stack), stack);
    };

    expect(make).toThrow(message);
    expect(make).not.toThrow('${Token');
  });
});

test.each<[string, (fn: LambdaFunction) => IFunction]>([
  ['two aliases', (fn) => fn.addAlias('two') as IFunction],
  ['an alias and its function', (fn) => fn],
])('F159 the second of %s that differ is refused by name', (_, secondOf) => {
  const fn = ownFunction(appStack());
  const [first, second] = [fn.addAlias('one') as IFunction, secondOf(fn)];
  attached(first, { lockNames: ['a'] });

  expect(() => attached(second, { lockNames: ['b'], schedules: [{ schedule: cron({ minute: '0' }) }] })).toThrow(
    `${second.node.path} and ${first.node.path} are one function with one environment, and differ in SINGLE_EXECUTION_SCHEDULE, which follows from schedules: set the same for both, or make a function for each`,
  );
});
