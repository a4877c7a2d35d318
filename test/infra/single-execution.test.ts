import { Duration } from 'aws-cdk-lib';
import { Match, type Template } from 'aws-cdk-lib/assertions';
import { Role } from 'aws-cdk-lib/aws-iam';
import { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { describe, expect, test } from 'vitest';
import { attached, digest, FUNCTION_ARN, nightly, ownFunction } from './digest.js';
import { appStack, stackIn, templateOf, warningsOf } from './synthesised.js';

const timeout = Duration.minutes(5);
const mine = (id = 'Mine') => ownFunction(appStack(), id, { timeout });
const LOCK_TABLE = { Ref: 'LocksTable84FB9352' };

/** Expects the role to have the right to locks. */
const hasLocks = (template: Template, role: unknown) =>
  template.hasResourceProperties('AWS::IAM::Policy', {
    Roles: [role],
    PolicyDocument: { Statement: Match.arrayWith([Match.objectLike({ Action: 'dynamodb:UpdateItem' })]) },
  });

describe('what a function of its own gets', () => {
  test('is what SingleExecutionFunction has, below its own role, log and code', () => {
    const own = templateOf(attached(mine('Digest')).fn.stack);
    const others = templateOf(digest({ timeout }).stack);
    const typesOf = (template: Template) =>
      Object.values<{ Type: string }>(template.toJSON()['Resources'])
        .map(({ Type }) => Type)
        .sort();

    expect(typesOf(own)).toEqual(typesOf(others).filter((type) => type !== 'AWS::Logs::LogGroup'));
    for (const type of ['Scheduler::Schedule', 'Lambda::EventInvokeConfig', 'CloudWatch::Alarm', 'SQS::Queue']) {
      expect(own.findResources(`AWS::${type}`), type).toEqual(others.findResources(`AWS::${type}`));
    }
    own.hasResourceProperties('AWS::Lambda::Function', {
      Timeout: 300,
      Environment: {
        Variables: {
          LOCK_TABLE,
          SINGLE_EXECUTION_NAMESPACE: 'SingleExecution/Jobs',
          SINGLE_EXECUTION_SCHEDULE: 'cron(0 2 * * ? *)',
        },
      },
    });
  });

  test('is judged by the timeout of the function, and comes once', () => {
    const { fn, lockAtMostFor } = attached(mine());

    expect(lockAtMostFor.toMinutes()).toBe(5);
    expect(() => attached(mine(), { lockAtMostFor: Duration.minutes(4) })).toThrow(
      "lockAtMostFor is 4 minutes, too short for the function's timeout of 5 minutes",
    );
    expect(() => attached(fn)).toThrow('Jobs/Mine has a SingleExecution: pass that one all schedules and lockNames');
  });
});

describe('an alias', () => {
  test('is what the schedule invokes, with retries of its own; the rest is that of the function behind it', () => {
    const fn = mine();
    const alias = fn.addAlias('live');
    const { lockAtMostFor } = attached(alias);
    const template = templateOf(fn.stack);
    const arn = fn.stack.resolve(alias.functionArn);

    template.hasResourceProperties('AWS::Scheduler::Schedule', { Target: { Arn: arn } });
    template.resourceCountIs('AWS::Lambda::EventInvokeConfig', 1);
    template.hasResourceProperties('AWS::Lambda::EventInvokeConfig', {
      FunctionName: { Ref: fn.stack.getLogicalId(fn.node.defaultChild as never) },
      Qualifier: { 'Fn::Select': [7, { 'Fn::Split': [':', arn] }] },
      MaximumRetryAttempts: 2,
    });
    template.hasResourceProperties('AWS::IAM::Policy', {
      PolicyDocument: {
        Statement: Match.arrayWith([{ Action: 'lambda:InvokeFunction', Effect: 'Allow', Resource: arn }]),
      },
    });
    expect(lockAtMostFor.toMinutes()).toBe(5);
    template.hasResourceProperties('AWS::Lambda::Function', {
      Environment: { Variables: Match.objectLike({ LOCK_TABLE }) },
    });
    hasLocks(template, fn.stack.resolve(fn.role?.roleName));
  });

  test('is what a rule invokes, and may', () => {
    const fn = mine();
    const alias = fn.addAlias('live');
    attached(alias, { schedules: [{ schedule: nightly, via: 'rule' }] });
    const template = templateOf(fn.stack);
    const arn = fn.stack.resolve(alias.functionArn);

    template.hasResourceProperties('AWS::Events::Rule', { Targets: [Match.objectLike({ Arn: arn })] });
    template.hasResourceProperties('AWS::Lambda::Permission', {
      FunctionName: arn,
      Principal: 'events.amazonaws.com',
      SourceArn: { 'Fn::GetAtt': [Match.stringLikeRegexp('^MineAliaslive'), 'Arn'] },
    });
  });
});

describe('an imported function', () => {
  test('is invoked by the schedule, has retries, and its role the rights; it is asked to set the variables', () => {
    const stack = stackIn();
    const role = Role.fromRoleArn(stack, 'Role', 'arn:aws:iam::123456789012:role/digest');
    const fn = LambdaFunction.fromFunctionAttributes(stack, 'Mine', { functionArn: FUNCTION_ARN, role });
    const { environment, lockAtMostFor } = attached(fn, { timeout, lockAtLeastFor: Duration.minutes(1) });
    const template = templateOf(stack);

    expect(lockAtMostFor.toMinutes()).toBe(5);
    template.hasResourceProperties('AWS::Scheduler::Schedule', { Target: { Arn: FUNCTION_ARN } });
    template.hasResourceProperties('AWS::Lambda::EventInvokeConfig', { FunctionName: 'digest', Qualifier: '$LATEST' });
    hasLocks(template, 'digest');
    expect(stack.resolve(environment)['LOCK_TABLE']).toEqual(LOCK_TABLE);
    expect(warningsOf(stack, 'environment')).toEqual([
      "Jobs/Mine was imported, and its environment cannot be set here: set LOCK_TABLE to execution.environment.LOCK_TABLE, LOCK_AT_LEAST_FOR to 'PT1M', SINGLE_EXECUTION_NAMESPACE to 'SingleExecution/Jobs', SINGLE_EXECUTION_SCHEDULE to 'cron(0 2 * * ? *)' where it is made [ack: single-execution:environment]",
    ]);
  });
});
