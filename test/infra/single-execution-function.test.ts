import { Duration, RemovalPolicy, type Stack, TimeZone } from 'aws-cdk-lib';
import { Match, type Template } from 'aws-cdk-lib/assertions';
import { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Architecture, LoggingFormat, Runtime, SystemLogLevel } from 'aws-cdk-lib/aws-lambda';
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

type Props = Partial<SingleExecutionFunctionProps>;

const FUNCTION = 'AWS::Lambda::Function';
const synthesised = (props?: Props, stack?: Stack) => templateOf(digest(props, stack).stack);

function only(template: Template, type: string): readonly [id: string, resource: Record<string, unknown>] {
  const found = Object.entries(template.findResources(type));
  expect(found).toHaveLength(1);
  return found[0] ?? ['', {}];
}

// test/infra/templates compares the default function, role, log and queue with four templates.
describe('row 75: the function', () => {
  test.each([
    ['says nothing', {}],
    ['leaves it', { runtime: undefined, architecture: undefined, memorySize: undefined, timeout: undefined }],
  ])('runs on Node 24 and arm64 with 256 MB, for a minute, when its user %s', (_, props: object) => {
    synthesised(props).hasResourceProperties(FUNCTION, {
      Runtime: 'nodejs24.x',
      Architectures: ['arm64'],
      MemorySize: 256,
      Timeout: 60,
      Handler: 'index.handler',
    });
  });

  test("is what its user says where that differs, with the user's environment beside its own", () => {
    const environment = { MAILER: 'https://mail.example', NODE_OPTIONS: '--no-deprecation' };
    const template = synthesised({
      runtime: Runtime.NODEJS_22_X,
      architecture: Architecture.X86_64,
      memorySize: 1024,
      timeout: Duration.minutes(5),
      handler: 'digest',
      environment,
      loggingFormat: LoggingFormat.JSON,
      systemLogLevelV2: SystemLogLevel.WARN,
    });

    template.hasResourceProperties(FUNCTION, {
      Runtime: 'nodejs22.x',
      Architectures: ['x86_64'],
      MemorySize: 1024,
      Timeout: 300,
      Handler: 'index.digest',
      Environment: { Variables: Match.objectLike(environment) },
      LoggingConfig: { LogFormat: 'JSON', SystemLogLevel: 'WARN', LogGroup: { Ref: Match.anyValue() } },
    });
  });

  test.each<[string, (stack: Stack) => Props]>([
    ['its own', () => ({})],
    ['its own, asked for', () => ({ deadLetterQueueEnabled: true })],
    ['that of its user', (stack) => ({ deadLetterQueue: new Queue(stack, 'Mine') })],
  ])("has one queue, %s, and none for Lambda's own dead letters", (_, propsIn) => {
    const stack = appStack();
    const props = propsIn(stack);
    const { deadLetters } = digest(props, stack);
    const template = templateOf(stack);

    expect(deadLetters).toBe(props.deadLetterQueue ?? deadLetters);
    only(template, 'AWS::SQS::Queue');
    template.hasResourceProperties(FUNCTION, { DeadLetterConfig: Match.absent() });
  });

  test.each<[string, (stack: Stack) => Props]>([
    [
      'deadLetterQueueEnabled is false: a tick that is given up would be lost; leave it out, or pass a queue as deadLetterQueue',
      () => ({ deadLetterQueueEnabled: false }),
    ],
    [
      'leave it out, and set onFailure: new SnsDestination(topic)',
      (stack) => ({ deadLetterTopic: new Topic(stack, 'Mine') }),
    ],
    [
      'logRetention is of the log group that is made without logGroup: leave one of them out',
      (stack) => ({ logGroup: new LogGroup(stack, 'Mine'), logRetention: RetentionDays.ONE_YEAR }),
    ],
    [
      'logRemovalPolicy is of the log group that is made without logGroup: leave one of them out',
      (stack) => ({ logGroup: new LogGroup(stack, 'Mine'), logRemovalPolicy: RemovalPolicy.RETAIN }),
    ],
  ])('is refused: %s', (message, propsIn) => {
    const stack = appStack();

    expect(() => digest(propsIn(stack), stack)).toThrow(message);
  });
});

describe('row 75: the environment', () => {
  const variables = (props?: Props, stack?: Stack) => {
    const [{ Environment }] = propertiesOf(synthesised(props, stack), FUNCTION);
    return Environment.Variables;
  };

  test("names the construct's table and times, and what the user adds", () => {
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

  test('names the key prefix of a shared table', () => {
    const stack = appStack();
    const shop = TableV2.fromTableName(stack, 'Shop', 'shop');
    const lockTable = LockTable.fromTable(stack, 'Existing', shop, { keyPrefix: 'lock#' });

    expect(variables({ lockTable }, stack)).toMatchObject({ LOCK_TABLE: 'shop', LOCK_KEY_PREFIX: 'lock#' });
  });

  const at = (hour: string, timeZone = TimeZone.ETC_UTC) =>
    ScheduleExpression.cron({ minute: '0', hour, weekDay: 'MON-FRI', timeZone });
  const NINE = { SINGLE_EXECUTION_SCHEDULE: 'cron(0 9 ? * MON-FRI *)' };

  test.each<[string, ScheduleExpression[], object]>([
    ['in UTC', [at('9')], NINE],
    ['in a time zone', [at('9', TimeZone.EUROPE_BERLIN)], { ...NINE, SINGLE_EXECUTION_TIME_ZONE: 'Europe/Berlin' }],
    ['for each lock', [at('9'), at('9')], NINE],
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
  ])('refuses %s from the user, which nobody would have judged', (variable) => {
    expect(() => digest({ environment: { [variable]: 'PT1S' } })).toThrow(`environment has ${variable}, which follows`);
  });

  test('has times that the library reads back to the millisecond', () => {
    fc.assert(
      fc.property(fc.integer({ min: 60_607, max: 86_400_000 }), fc.nat({ max: 60_000 }), (mostMs, leastMs) => {
        const times = { lockAtMostFor: Duration.millis(mostMs), lockAtLeastFor: Duration.millis(leastMs) };
        const { LOCK_AT_MOST_FOR = '', LOCK_AT_LEAST_FOR = '' } = digest(times).execution.environment;

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
  ])("is of its own, kept for a month and removed with the function, whatever CDK's flags: %j", (context) => {
    const stack = appStack({ context });
    const { logGroup } = digest({}, stack);
    const template = templateOf(stack);
    const [log, { Properties, DeletionPolicy }] = only(template, 'AWS::Logs::LogGroup');

    expect({ Properties, DeletionPolicy }).toEqual({ Properties: { RetentionInDays: 30 }, DeletionPolicy: 'Delete' });
    expect(stack.resolve(logGroup.logGroupName)).toEqual({ Ref: log });
    template.hasResourceProperties(FUNCTION, { LoggingConfig: { LogGroup: { Ref: log } } });
    template.resourceCountIs('Custom::LogRetention', 0);
  });

  test('is kept for as long as its user says, with a key that CloudWatch Logs may use', () => {
    const stack = appStack();
    const logEncryptionKey = new Key(stack, 'Key');
    const ofLog = { logRetention: RetentionDays.ONE_YEAR, logRemovalPolicy: RemovalPolicy.RETAIN, logEncryptionKey };
    const template = synthesised(ofLog, stack);
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
});

test("row 76: the user's role and log are used, with the rights that the locks and the log need", () => {
  const stack = appStack();
  const role = new Role(stack, 'Mine', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
  const template = synthesised({ role, logGroup: new LogGroup(stack, 'MyLog') }, stack);
  const [log] = only(template, 'AWS::Logs::LogGroup');

  template.hasResourceProperties(FUNCTION, {
    Role: stack.resolve(role.roleArn),
    LoggingConfig: { LogGroup: { Ref: log } },
  });
  template.hasResourceProperties('AWS::IAM::Policy', {
    Roles: [stack.resolve(role.roleName)],
    PolicyDocument: {
      Statement: Match.arrayWith([
        Match.objectLike({
          Action: ['logs:CreateLogStream', 'logs:PutLogEvents'],
          Resource: { 'Fn::GetAtt': [log, 'Arn'] },
        }),
        Match.objectLike({ Action: 'dynamodb:UpdateItem' }),
      ]),
    },
  });
});
