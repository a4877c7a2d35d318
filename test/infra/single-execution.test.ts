import { Duration } from 'aws-cdk-lib';
import { Annotations, Match } from 'aws-cdk-lib/assertions';
import { Role } from 'aws-cdk-lib/aws-iam';
import { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { type AttachProps, LockTable, SingleExecution } from 'single-execution/cdk';
import { describe, expect, test } from 'vitest';
import { digest, nightly, ownFunction } from './digest.js';
import { appStack, templateOf } from './synthesised.js';

const IMPORTED = 'arn:aws:lambda:eu-west-1:123456789012:function:digest';
const here = { env: { account: '123456789012', region: 'eu-west-1' } };

const timeout = Duration.minutes(5);
const mine = (): LambdaFunction => ownFunction(appStack(), 'Mine', { timeout });

function attached(fn: Parameters<typeof SingleExecution.attach>[0], props: Partial<AttachProps> = {}): SingleExecution {
  const lockTable = props.lockTable ?? new LockTable(fn.stack, 'Locks');
  return SingleExecution.attach(fn, { lockTable, lockNames: ['digest'], schedules: [{ schedule: nightly }], ...props });
}

const typesOf = (template: ReturnType<typeof templateOf>) =>
  Object.values<{ Type: string }>(template.toJSON()['Resources'])
    .map(({ Type }) => Type)
    .sort();

describe('what a function of its own gets', () => {
  test('is what SingleExecutionFunction has, below its own role, log and code', () => {
    const own = templateOf(attached(mine()).fn.stack);
    const others = templateOf(digest({ timeout }).stack);

    expect(typesOf(own)).toEqual(typesOf(others).filter((type) => type !== 'AWS::Logs::LogGroup'));
    own.hasResourceProperties('AWS::Lambda::Function', {
      Timeout: 300,
      Environment: {
        Variables: {
          LOCK_TABLE: { Ref: 'LocksTable84FB9352' },
          SINGLE_EXECUTION_NAMESPACE: 'SingleExecution/Jobs',
          SINGLE_EXECUTION_SCHEDULE: 'cron(0 2 * * ? *)',
        },
      },
    });
  });

  test.each([
    'AWS::Scheduler::Schedule',
    'AWS::Lambda::EventInvokeConfig',
    'AWS::CloudWatch::Alarm',
    'AWS::SQS::Queue',
  ])('has the same %s', (type) => {
    const { fn } = attached(ownFunction(appStack(), 'Digest', { timeout }));

    expect(templateOf(fn.stack).findResources(type)).toEqual(templateOf(digest({ timeout }).stack).findResources(type));
  });

  test('is judged by the timeout of the function', () => {
    expect(attached(mine()).lockAtMostFor.toMinutes()).toBe(5);
    expect(() => attached(mine(), { lockAtMostFor: Duration.minutes(4) })).toThrow(
      "lockAtMostFor is 4 minutes, too short for the function's timeout of 5 minutes",
    );
  });

  test('comes once', () => {
    const { fn } = attached(mine());

    expect(() => attached(fn, { lockTable: new LockTable(fn.stack, 'Other') })).toThrow(
      'Jobs/Mine has a SingleExecution: pass that one all schedules and lockNames',
    );
  });
});

describe('an alias', () => {
  test('is what the schedule invokes, with retries of its own', () => {
    const fn = mine();
    const alias = fn.addAlias('live');
    attached(alias);
    const template = templateOf(fn.stack);

    template.hasResourceProperties('AWS::Scheduler::Schedule', {
      Target: { Arn: fn.stack.resolve(alias.functionArn) },
    });
    template.resourceCountIs('AWS::Lambda::EventInvokeConfig', 1);
    template.hasResourceProperties('AWS::Lambda::EventInvokeConfig', {
      FunctionName: { Ref: fn.stack.getLogicalId(fn.node.defaultChild as never) },
      Qualifier: { 'Fn::Select': [7, { 'Fn::Split': [':', fn.stack.resolve(alias.functionArn)] }] },
      MaximumRetryAttempts: 2,
    });
    template.hasResourceProperties('AWS::IAM::Policy', {
      PolicyDocument: {
        Statement: Match.arrayWith([
          { Action: 'lambda:InvokeFunction', Effect: 'Allow', Resource: fn.stack.resolve(alias.functionArn) },
        ]),
      },
    });
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

  test('is refused where another alias of the function has other variables', () => {
    const fn = mine();
    const { lockAtMostFor } = attached(fn.addAlias('live'), { lockAtMostFor: Duration.minutes(10) });
    const lockTable = new LockTable(fn.stack, 'Other');

    expect(lockAtMostFor.toMinutes()).toBe(10);
    expect(() => attached(fn.addAlias('next'), { lockTable })).toThrow(
      'are one function with one environment, and differ in LOCK_TABLE, which follows from lockTable: set the same for both',
    );
  });

  test('has its variables, its rights and its timeout from the function behind it', () => {
    const fn = mine();
    const { lockAtMostFor } = attached(fn.addAlias('live'));
    const template = templateOf(fn.stack);

    expect(lockAtMostFor.toMinutes()).toBe(5);
    template.hasResourceProperties('AWS::Lambda::Function', {
      Environment: { Variables: Match.objectLike({ LOCK_TABLE: { Ref: 'LocksTable84FB9352' } }) },
    });
    template.hasResourceProperties('AWS::IAM::Policy', {
      Roles: [fn.stack.resolve(fn.role?.roleName)],
      PolicyDocument: { Statement: Match.arrayWith([Match.objectLike({ Action: 'dynamodb:UpdateItem' })]) },
    });
  });
});

describe('an imported function', () => {
  const imported = (stack = appStack(here)) =>
    LambdaFunction.fromFunctionAttributes(stack, 'Mine', {
      functionArn: IMPORTED,
      role: Role.fromRoleArn(stack, 'Role', 'arn:aws:iam::123456789012:role/digest'),
    });

  test('is judged by the timeout that is given', () => {
    const { lockAtMostFor } = attached(imported(), { timeout });

    expect(lockAtMostFor.toMinutes()).toBe(5);
  });

  test('is refused without its role', () => {
    const fn = LambdaFunction.fromFunctionArn(appStack(here), 'Mine', IMPORTED);

    expect(() => attached(fn, { timeout })).toThrow('Jobs/Mine was imported without its role');
  });

  test('is asked to set the variables, since nobody can set them here', () => {
    const fn = imported();
    const { environment } = attached(fn, { timeout, lockAtLeastFor: Duration.minutes(1) });

    expect(fn.stack.resolve(environment)['LOCK_TABLE']).toEqual({ Ref: 'LocksTable84FB9352' });

    expect(Annotations.fromStack(fn.stack).findWarning('*', Match.stringLikeRegexp('environment'))).toMatchObject([
      {
        id: '/Jobs/Mine',
        entry: {
          data: "Jobs/Mine was imported, and its environment cannot be set here: set LOCK_TABLE to execution.environment.LOCK_TABLE, LOCK_AT_LEAST_FOR to 'PT1M', SINGLE_EXECUTION_NAMESPACE to 'SingleExecution/Jobs', SINGLE_EXECUTION_SCHEDULE to 'cron(0 2 * * ? *)' where it is made [ack: single-execution:environment]",
        },
      },
    ]);
  });

  test('is invoked by the schedule, has retries, and its role the rights', () => {
    const fn = imported();
    attached(fn, { timeout });
    const template = templateOf(fn.stack);

    template.hasResourceProperties('AWS::Scheduler::Schedule', { Target: { Arn: IMPORTED } });
    template.hasResourceProperties('AWS::Lambda::EventInvokeConfig', { FunctionName: 'digest', Qualifier: '$LATEST' });
    template.hasResourceProperties('AWS::IAM::Policy', {
      Roles: ['digest'],
      PolicyDocument: { Statement: Match.arrayWith([Match.objectLike({ Action: 'dynamodb:UpdateItem' })]) },
    });
  });
});
