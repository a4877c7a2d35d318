import { Duration, RemovalPolicies, RemovalPolicy, Tags, TimeZone } from 'aws-cdk-lib';
import { Match, type Template } from 'aws-cdk-lib/assertions';
import { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Architecture, type CfnFunction, LoggingFormat, Runtime, SystemLogLevel } from 'aws-cdk-lib/aws-lambda';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import fc from 'fast-check';
import { LockTable, type SingleExecutionFunctionProps } from 'single-execution/cdk';
import { scheduleFromEnvironment } from 'single-execution/schedule';
import { describe, expect, test, vi } from 'vitest';
import { parseDuration } from '../../src/core/values/duration.js';
import { digest } from './digest.js';
import { appStack, propertiesOf, templateOf } from './synthesised.js';

const FUNCTION = 'AWS::Lambda::Function';

const synthesised = (props?: Partial<SingleExecutionFunctionProps>) => templateOf(digest(props).stack);

function only(template: Template, type: string): readonly [id: string, resource: Record<string, unknown>] {
  const found = Object.entries(template.findResources(type));
  expect(found).toHaveLength(1);
  return found[0] ?? ['', {}];
}

function statementsOn(service: string, template: Template) {
  return propertiesOf(template, 'AWS::IAM::Policy')
    .flatMap(({ PolicyDocument }) => PolicyDocument.Statement)
    .filter(({ Action }) => JSON.stringify(Action).includes(`"${service}:`));
}

// test/infra/templates compares the default function, role, log and queue with four templates.
describe('row 75: the function', () => {
  test.each([
    ['says nothing', {}],
    ['leaves it', { runtime: undefined, architecture: undefined, memorySize: undefined, timeout: undefined }],
  ])('row 75: runs on Node 24 and arm64 with 256 MB, for a minute, when its user %s', (_, props: object) => {
    synthesised(props).hasResourceProperties(FUNCTION, {
      Runtime: 'nodejs24.x',
      Architectures: ['arm64'],
      MemorySize: 256,
      Timeout: 60,
      Handler: 'index.handler',
    });
  });

  test("row 75: is what its user says where that differs, with the user's environment beside its own", () => {
    const template = synthesised({
      runtime: Runtime.NODEJS_22_X,
      architecture: Architecture.X86_64,
      memorySize: 1024,
      timeout: Duration.minutes(5),
      handler: 'digest',
      environment: { MAILER: 'https://mail.example', NODE_OPTIONS: '--no-deprecation' },
    });

    template.hasResourceProperties(FUNCTION, {
      Runtime: 'nodejs22.x',
      Architectures: ['x86_64'],
      MemorySize: 1024,
      Timeout: 300,
      Handler: 'index.digest',
      Environment: {
        Variables: Match.objectLike({ MAILER: 'https://mail.example', NODE_OPTIONS: '--no-deprecation' }),
      },
    });
  });

  test.each([{}, { deadLetterQueueEnabled: true }])('has its queue with %j', (props) => {
    const template = synthesised(props);

    only(template, 'AWS::SQS::Queue');
    template.hasResourceProperties(FUNCTION, { DeadLetterConfig: Match.absent() });
  });

  test('refuses to have no queue', () => {
    expect(() => digest({ deadLetterQueueEnabled: false })).toThrow(
      'deadLetterQueueEnabled is false: a tick that is given up would be lost; leave it out, or pass a queue as deadLetterQueue',
    );
  });

  test('refuses a topic for dead letters', () => {
    const stack = appStack();
    const deadLetterTopic = new Topic(stack, 'Mine');

    expect(() => digest({ deadLetterTopic }, stack)).toThrow(
      'leave it out, and set onFailure: new SnsDestination(topic)',
    );
  });

  test("hands its user's queue to its execution, and none to Lambda's own dead letters", () => {
    const stack = appStack();
    const deadLetterQueue = new Queue(stack, 'Mine');
    const fn = digest({ deadLetterQueue }, stack);
    const template = templateOf(stack);

    expect(fn.deadLetters).toBe(deadLetterQueue);
    only(template, 'AWS::SQS::Queue');
    template.hasResourceProperties(FUNCTION, { DeadLetterConfig: Match.absent() });
  });
});

describe('row 75: the environment', () => {
  const variables = (props?: Partial<SingleExecutionFunctionProps>, stack = appStack()) => {
    const { environment } = digest(props, stack).node.defaultChild as CfnFunction;
    return stack.resolve(environment).variables;
  };

  test('row 75: names the key prefix of a shared table', () => {
    const stack = appStack();
    const lockTable = LockTable.fromTable(stack, 'Existing', TableV2.fromTableName(stack, 'Shop', 'shop'), {
      keyPrefix: 'lock#',
    });

    expect(variables({ lockTable }, stack)).toMatchObject({ LOCK_TABLE: 'shop', LOCK_KEY_PREFIX: 'lock#' });
  });

  test("row 75: names the construct's table and times, and what the user adds", () => {
    const times = { lockAtMostFor: Duration.minutes(15), lockAtLeastFor: Duration.seconds(90) };

    expect(variables({ ...times, environment: { DATA_TABLE: 'shop' } })).toEqual({
      DATA_TABLE: 'shop',
      NODE_OPTIONS: '--enable-source-maps',
      LOCK_TABLE: { Ref: 'LocksTable84FB9352' },
      LOCK_AT_MOST_FOR: 'PT15M',
      LOCK_AT_LEAST_FOR: 'PT1M30S',
      SINGLE_EXECUTION_NAMESPACE: 'SingleExecution/Jobs',
      SINGLE_EXECUTION_SCHEDULE: 'cron(0 2 * * ? *)',
    });
  });

  const at = (hour: string, timeZone = TimeZone.ETC_UTC) =>
    ScheduleExpression.cron({ minute: '0', hour, weekDay: 'MON-FRI', timeZone });

  test.each<[string, ScheduleExpression[], object]>([
    ['in UTC', [at('9')], { SINGLE_EXECUTION_SCHEDULE: 'cron(0 9 ? * MON-FRI *)' }],
    [
      'in a time zone',
      [at('9', TimeZone.EUROPE_BERLIN)],
      { SINGLE_EXECUTION_SCHEDULE: 'cron(0 9 ? * MON-FRI *)', SINGLE_EXECUTION_TIME_ZONE: 'Europe/Berlin' },
    ],
    ['for each lock', [at('9'), at('9')], { SINGLE_EXECUTION_SCHEDULE: 'cron(0 9 ? * MON-FRI *)' }],
    ['of two expressions', [at('9'), at('10')], {}],
    ['of two time zones', [at('9'), at('9', TimeZone.EUROPE_BERLIN)], {}],
  ])('row 88: has the schedule %s, for scheduleFromEnvironment', (_, expressions, expected) => {
    const schedules = expressions.map((schedule, n) => ({ schedule, lockName: `digest-${n}` }));
    const given: Record<string, string> = variables({ lockNames: ['digest-*'], schedules });
    const own = Object.entries(given).filter(([name]) => /_(SCHEDULE|TIME_ZONE)$/.test(name));

    expect(Object.fromEntries(own)).toEqual(expected);
    for (const [name, value] of own) vi.stubEnv(name, value);
    const monday = new Date(`2026-11-23T0${'SINGLE_EXECUTION_TIME_ZONE' in expected ? 8 : 9}:00:00Z`);
    if (own.length > 0) expect(scheduleFromEnvironment().next(new Date('2026-11-21T12:00:00Z'))).toEqual(monday);
    else expect(scheduleFromEnvironment).toThrow('SINGLE_EXECUTION_SCHEDULE is not set');
  });

  test.each([
    ...['LOCK_TABLE', 'LOCK_KEY_PREFIX', 'LOCK_AT_MOST_FOR', 'LOCK_AT_LEAST_FOR'],
    ...['SINGLE_EXECUTION_NAMESPACE', 'SINGLE_EXECUTION_SCHEDULE', 'SINGLE_EXECUTION_TIME_ZONE'],
  ])('row 75: refuses %s from the user, which nobody would have judged', (variable) => {
    expect(() => variables({ environment: { [variable]: 'PT1S' } })).toThrow(
      `environment has ${variable}, which follows`,
    );
  });

  test('row 75: has times that the library reads back to the millisecond', () => {
    fc.assert(
      fc.property(fc.integer({ min: 60_607, max: 86_400_000 }), fc.nat({ max: 60_000 }), (mostMs, leastMs) => {
        const times = { lockAtMostFor: Duration.millis(mostMs), lockAtLeastFor: Duration.millis(leastMs) };
        const { LOCK_AT_MOST_FOR, LOCK_AT_LEAST_FOR } = variables(times);

        expect(parseDuration(LOCK_AT_MOST_FOR)).toBe(mostMs);
        expect(parseDuration(LOCK_AT_LEAST_FOR)).toBe(leastMs);
      }),
      {
        numRuns: 20,
        examples: [
          [86_400_000, 0],
          [61_001, 500],
        ],
      },
    );
  });
});

test.each([
  ['its timeout', { timeout: Duration.minutes(5) }, 300_000],
  ['what was given', { timeout: Duration.minutes(5), lockAtMostFor: Duration.minutes(10) }, 600_000],
])('row 75: a lock is kept for %s when its holder dies', (_, times, ms) => {
  expect(digest(times).lockAtMostFor.toMilliseconds()).toBe(ms);
});

describe('row 75: the log', () => {
  test.each([
    {},
    { '@aws-cdk/aws-lambda:useCdkManagedLogGroup': true },
    { '@aws-cdk/aws-lambda:useCdkManagedLogGroup': false },
  ])("row 75: is of its own, kept for a month and removed with the function, whatever CDK's flags: %j", (context) => {
    const stack = appStack({ context });
    const { logGroup } = digest({}, stack);
    const template = templateOf(stack);
    const [log, { Properties, DeletionPolicy }] = only(template, 'AWS::Logs::LogGroup');

    expect({ Properties, DeletionPolicy }).toEqual({ Properties: { RetentionInDays: 30 }, DeletionPolicy: 'Delete' });
    expect(stack.resolve(logGroup.logGroupName)).toEqual({ Ref: log });
    template.hasResourceProperties(FUNCTION, { LoggingConfig: { LogGroup: { Ref: log } } });
    template.resourceCountIs('Custom::LogRetention', 0);
  });

  test('keeps the format that its user chose', () => {
    const template = synthesised({ loggingFormat: LoggingFormat.JSON, systemLogLevelV2: SystemLogLevel.WARN });

    template.hasResourceProperties(FUNCTION, {
      LoggingConfig: { LogFormat: 'JSON', SystemLogLevel: 'WARN', LogGroup: { Ref: Match.anyValue() } },
    });
  });

  test('row 75: is kept for as long as its user says, with a key that CloudWatch Logs may use', () => {
    const stack = appStack();
    const logEncryptionKey = new Key(stack, 'Key');
    const logRetention = RetentionDays.ONE_YEAR;
    const template = templateOf(
      digest({ logRetention, logRemovalPolicy: RemovalPolicy.RETAIN, logEncryptionKey }, stack).stack,
    );
    const [statement] = propertiesOf(template, 'AWS::KMS::Key').flatMap(({ KeyPolicy }) =>
      KeyPolicy.Statement.filter(({ Principal }: { Principal: object }) => 'Service' in Principal),
    );

    template.hasResource('AWS::Logs::LogGroup', {
      DeletionPolicy: 'Retain',
      Properties: { RetentionInDays: 365, KmsKeyId: stack.resolve(logEncryptionKey.keyArn) },
    });
    template.resourceCountIs('Custom::LogRetention', 0);
    expect(JSON.stringify(statement.Principal)).toContain('logs.');
    expect(Object.keys(statement.Condition.ArnLike)).toEqual(['kms:EncryptionContext:aws:logs:arn']);
  });

  test.each([{ logRetention: RetentionDays.ONE_YEAR }, { logRemovalPolicy: RemovalPolicy.RETAIN }])(
    'refuses %j beside a logGroup',
    (ofLog) => {
      const stack = appStack();
      const logGroup = new LogGroup(stack, 'Mine');

      expect(() => digest({ logGroup, ...ofLog }, stack)).toThrow(
        new TypeError(
          `${Object.keys(ofLog)[0]} is of the log group that is made without logGroup: leave one of them out`,
        ),
      );
    },
  );

  test('row 75: of its user is used, and may be written to', () => {
    const stack = appStack();
    const logGroup = new LogGroup(stack, 'Mine');
    const template = templateOf(digest({ logGroup }, stack).stack);
    const [log] = only(template, 'AWS::Logs::LogGroup');

    template.hasResourceProperties(FUNCTION, { LoggingConfig: { LogGroup: { Ref: log } } });
    expect(statementsOn('logs', template)).toMatchObject([{ Resource: { 'Fn::GetAtt': [log, 'Arn'] } }]);
  });
});

describe("row 76: the function's role", () => {
  test('row 76: is that of its user, with the permissions that its locks and log need', () => {
    const stack = appStack();
    const role = new Role(stack, 'Mine', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    const template = templateOf(digest({ role }, stack).stack);

    template.hasResourceProperties(FUNCTION, { Role: stack.resolve(role.roleArn) });
    template.hasResourceProperties('AWS::IAM::Policy', {
      Roles: [stack.resolve(role.roleName)],
      PolicyDocument: {
        Statement: Match.arrayWith([
          Match.objectLike({ Action: ['logs:CreateLogStream', 'logs:PutLogEvents'] }),
          Match.objectLike({ Action: 'dynamodb:UpdateItem' }),
        ]),
      },
    });
  });
});

test('tags, aspects and removal policies of the function reach its role, its log group, its queue and its schedule', () => {
  const stack = appStack();
  const fn = digest({}, stack);
  Tags.of(fn).add('team', 'mail');
  RemovalPolicies.of(fn).retain();
  const resources = Object.values<{ Type: string; DeletionPolicy?: string; Properties: { Tags?: unknown } }>(
    templateOf(stack).toJSON()['Resources'],
  );
  const retained = resources.filter(({ DeletionPolicy }) => DeletionPolicy === 'Retain').map(({ Type }) => Type);
  const tagged = resources.filter(({ Properties }) => Properties.Tags).map(({ Type }) => Type);

  expect(tagged).toEqual(
    expect.arrayContaining(['AWS::IAM::Role', 'AWS::Logs::LogGroup', 'AWS::SQS::Queue', 'AWS::Lambda::Function']),
  );
  expect(retained).toEqual(
    expect.arrayContaining(['AWS::IAM::Role', 'AWS::Logs::LogGroup', 'AWS::SQS::Queue', 'AWS::Scheduler::Schedule']),
  );
});
