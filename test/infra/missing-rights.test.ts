import { CfnParameter, Duration, type Stack } from 'aws-cdk-lib';
import { TableEncryptionV2 } from 'aws-cdk-lib/aws-dynamodb';
import {
  type IPrincipal,
  type IRole,
  PrincipalWithConditions,
  Role,
  ServicePrincipal,
  User,
} from 'aws-cdk-lib/aws-iam';
import { Alias, type IKey, Key } from 'aws-cdk-lib/aws-kms';
import { type IFunction, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { SqsDestination } from 'aws-cdk-lib/aws-lambda-destinations';
import { type IQueue, Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { type AttachProps, LockTable } from 'single-execution/cdk';
import { describe, expect, test } from 'vitest';
import { isUnknown } from '../../infra/constructs/missing-rights.js';
import { packagesOf } from '../support/package-sets.js';
import { attached, digest, FUNCTION_ARN, nightly, ownFunction } from './digest.js';
import { stackIn, statementsIn, templateOf, warningsOf } from './synthesised.js';

const ACCOUNT = '123456789012';
const OTHERS = '210987654321';
const keyArn = `arn:aws:kms:eu-west-1:${ACCOUNT}:key/1234`;
const queueArn = (region = 'eu-west-1', account = ACCOUNT) => `arn:aws:sqs:${region}:${account}:mine`;
const roleArn = (name: string, account = ACCOUNT) => `arn:aws:iam::${account}:role/${name}`;
const assumedBy = new ServicePrincipal('lambda.amazonaws.com');

/** The warnings of a stack of missing rights. */
const warned = (stack: Stack) => warningsOf(stack, 'a right is missing');
const attach = (stack: Stack, props: Partial<AttachProps>, fn: IFunction = ownFunction(stack)) =>
  attached(fn, { timeout: Duration.seconds(3), ...props });
const byRule = [{ schedule: nightly, via: 'rule' }] as const;

/** Keys whose policies this app can change, and keys whose policies it cannot. */
const ownKey = (stack: Stack): IKey => new Key(stack, 'Key');
const aliasOf = (stack: Stack, targetKey: IKey): IKey =>
  new Alias(stack, 'Key', { aliasName: 'alias/mine', targetKey });
const ownAlias = (stack: Stack) => aliasOf(stack, new Key(stack, 'Its'));
const importedKey = (stack: Stack, id = 'Key') => Key.fromKeyArn(stack, id, keyArn);
const importedAlias = (stack: Stack): IKey => Alias.fromAliasName(stack, 'Key', 'alias/mine');

describe.each<[string, (stack: Stack) => IRole]>([
  ['imported with mutable: false', (stack) => Role.fromRoleArn(stack, 'Ops', roleArn('ops'), { mutable: false })],
  ['withoutPolicyUpdates', (stack) => new Role(stack, 'Ops', { assumedBy }).withoutPolicyUpdates()],
])('row 160: a role that cannot change, %s', (_, of) => {
  test('has failed to get a grant, and the warning has the statement', () => {
    const stack = stackIn();
    const table = new LockTable(stack, 'Locks');
    const role = of(stack);

    expect(table.grantLock(role, ['digest']).success).toBe(false);
    expect(table.grantRead(role).success).toBe(false);
    expect(table.grantOperate(role).success).toBe(false);
    expect(warned(stack).join()).toMatch(
      /the policy of Jobs\/\w*Ops\w* cannot be changed here, and a right is missing: add {"Action":\["dynamodb:DescribeTable","dynamodb:DescribeTimeToLive","dynamodb:Scan"\],"Effect":"Allow","Resource":{"Fn::GetAtt":\["LocksTable/,
    );
    expect(warned(stack).join()).toContain('"dynamodb:LeadingKeys":["digest"]');
  });

  test.each<[string, string[], (stack: Stack, role: IRole) => unknown]>([
    [
      'a function',
      ['dynamodb:UpdateItem', 'sqs:SendMessage'],
      (stack, role) => attach(stack, {}, ownFunction(stack, 'Digest', { role })),
    ],
    [
      'SingleExecutionFunction, which also writes its log',
      ['logs:PutLogEvents'],
      (stack, role) => digest({ role }, stack),
    ],
    [
      'Scheduler',
      ['lambda:InvokeFunction', 'sqs:SendMessage'],
      (stack, role) => attach(stack, { schedules: [{ schedule: nightly, role }] }),
    ],
  ])('is warned of as the role of %s: %j', (_, actions, make) => {
    const stack = stackIn();
    make(stack, of(stack));
    const warnings = warned(stack).join();

    expect(actions.filter((action) => !warnings.includes(`"${action}"`))).toEqual([]);
  });
});

describe('row 160: a grant', () => {
  test.each<[string, (stack: Stack) => IPrincipal]>([
    ['a role of the app', (stack) => new Role(stack, 'Ops', { assumedBy })],
    ['an imported role', (stack) => Role.fromRoleArn(stack, 'Ops', roleArn('ops'))],
    ['a role by its name', (stack) => Role.fromRoleName(stack, 'Ops', 'ops')],
    ['a user', (stack) => new User(stack, 'Ops')],
    ['an imported user', (stack) => User.fromUserName(stack, 'Ops', 'ops') as User],
    ['a role with conditions', (stack) => new PrincipalWithConditions(new Role(stack, 'Ops', { assumedBy }), {})],
  ])('to %s succeeds without a warning', (_, of) => {
    const stack = stackIn();

    expect(new LockTable(stack, 'Locks').grantOperate(of(stack)).success).toBe(true);
    expect(warned(stack)).toEqual([]);
  });

  test('to a role of another account needs a policy of the table too', () => {
    const stack = stackIn();
    const role = Role.fromRoleArn(stack, 'Ops', roleArn('ops', OTHERS));

    expect(new LockTable(stack, 'Locks').grantOperate(role).success).toBe(false);
    expect(warned(stack).join()).toMatch(
      /table Jobs\/Locks\/Table, which Jobs\/Ops uses from another account,.*"Principal":\{"AWS":"arn:aws:iam::210987654321:role\/ops"\}/,
    );
  });

  test.each<[string, (stack: Stack, role: IRole) => unknown]>([
    ['the function', (stack, role) => attach(stack, {}, ownFunction(stack, 'Digest', { role }))],
    [
      'an imported function',
      (stack, role) =>
        attach(stack, {}, LambdaFunction.fromFunctionAttributes(stack, 'Digest', { functionArn: FUNCTION_ARN, role })),
    ],
    ['a schedule', (stack, role) => attach(stack, { schedules: [{ schedule: nightly, role }] })],
  ])('to a role of another account is refused for %s', (_, make) => {
    const stack = stackIn();

    expect(() => make(stack, Role.fromRoleArn(stack, 'Mine', roleArn('mine', OTHERS)))).toThrow(
      'role Jobs/Mine is of account 210987654321, and Jobs/Digest of 123456789012: AWS only takes roles of the same account',
    );
  });
});

describe('row 160: a dead-letter queue', () => {
  test.each<[string, (stack: Stack) => IQueue]>([
    ['KMS_MANAGED', (stack) => new Queue(stack, 'Mine', { encryption: QueueEncryption.KMS_MANAGED })],
    [
      'the alias of the key that AWS manages',
      (stack) => new Queue(stack, 'Mine', { encryptionMasterKey: Alias.fromAliasName(stack, 'Key', 'alias/aws/sqs') }),
    ],
  ])('with %s is refused for rules, and taken for Scheduler, which sends by a role', (_, of) => {
    const [stack, other] = [stackIn(), stackIn()];

    expect(() => attach(stack, { deadLetterQueue: of(stack), schedules: byRule })).toThrow(
      "dead-letter queue Jobs/Mine is encrypted with alias/aws/sqs, a key that rules may not use: leave out via: 'rule'",
    );
    expect(() => attach(other, { deadLetterQueue: of(other) })).not.toThrow();
  });

  test('imported, has no policy that lets rules send', () => {
    const stack = stackIn();
    attach(stack, { deadLetterQueue: Queue.fromQueueArn(stack, 'Mine', queueArn()), schedules: byRule });

    expect(warned(stack)).toEqual([
      expect.stringMatching(
        /^the policy of queue Jobs\/Mine cannot be changed here.*"Action":"sqs:SendMessage".*"Principal":\{"Service":"events.amazonaws.com"\}/,
      ),
    ]);
  });

  test.each<[string, (stack: Stack) => IKey]>([
    ['an imported key', importedKey],
    ['an imported alias', importedAlias],
    ['an alias of an imported key', (stack) => aliasOf(stack, importedKey(stack, 'Its'))],
  ])('with %s warns of the key for rules alone; the roles of Scheduler and of the function may use it', (_, of) => {
    const [stack, other] = [stackIn(), stackIn()];
    const mine = (it: Stack) => ({ deadLetterQueue: new Queue(it, 'Mine', { encryptionMasterKey: of(it) }) });
    attach(stack, { ...mine(stack), schedules: byRule });
    attach(other, mine(other));

    expect(warned(stack)).toEqual([
      expect.stringMatching(/^the policy of key Jobs\/Key cannot be changed here.*"kms:GenerateDataKey\*"/),
    ]);
    expect(warned(other)).toEqual([]);
    const policies = Object.values(templateOf(other).findResources('AWS::IAM::Policy'));
    expect(policies.map((policy) => JSON.stringify(policy).includes('kms:GenerateDataKey*'))).toEqual([true, true]);
  });

  test.each<[string, string, string]>([
    ['of another account', queueArn('eu-west-1', OTHERS), '"Principal":{"AWS":'],
    ['of another region', queueArn('eu-central-1'), 'is in eu-central-1, and Jobs/Digest in eu-west-1'],
  ])('%s is a warning', (_, arn, text) => {
    for (const propsOf of [
      (mine: IQueue) => ({ deadLetterQueue: mine }),
      (mine: IQueue) => ({ onFailure: new SqsDestination(mine) }),
    ]) {
      const stack = stackIn();
      attach(stack, propsOf(Queue.fromQueueArn(stack, 'Mine', arn)));

      expect(warningsOf(stack, 'queue Jobs/Mine').join()).toContain(text);
    }
  });
});

describe('row 160: a key', () => {
  test.each<[string, (stack: Stack) => IKey, boolean]>([
    ['of the app', ownKey, false],
    ['of the app, by an alias of the app', ownAlias, false],
    ['imported', importedKey, true],
    ['imported by an alias', importedAlias, true],
  ])('of a log, %s', (_, of, isMissing) => {
    const stack = stackIn();
    digest({ logEncryptionKey: of(stack) }, stack);

    expect(warned(stack)).toEqual(
      isMissing ? [expect.stringMatching(/^the policy of key Jobs\/Key.*logs\.eu-west-1\./)] : [],
    );
  });

  test('of a log in another region is refused', () => {
    const stack = stackIn();
    const logEncryptionKey = Key.fromKeyArn(stack, 'Key', keyArn.replace('eu-west-1', 'eu-west-2'));

    expect(() => digest({ logEncryptionKey }, stack)).toThrow(
      'logEncryptionKey Jobs/Key is in eu-west-2, and the log of Jobs/Digest in eu-west-1: pass a key of eu-west-1',
    );
  });

  const encrypted = (stack: Stack, key: IKey) => ({
    lockTable: new LockTable(stack, 'Encrypted', { encryption: TableEncryptionV2.customerManagedKey(key) }),
  });

  test.each<[string, (stack: Stack) => Partial<AttachProps>, RegExp]>([
    [
      'of a table, by an imported alias',
      (stack) => encrypted(stack, importedAlias(stack)),
      /"kms:DescribeKey".*"kms:ResourceAliases":"alias\/mine"/,
    ],
    [
      'of a table, by an alias of the app',
      (stack) => encrypted(stack, ownAlias(stack)),
      /"kms:DescribeKey".*"Resource":\{"Fn::GetAtt":\["Its/,
    ],
    [
      'of a schedule, by an imported alias',
      (stack) => ({ schedules: [{ schedule: nightly, key: importedAlias(stack) }] }),
      /"kms:ResourceAliases":"alias\/mine"/,
    ],
  ])('%s, may be used', (_, propsIn, expected) => {
    const stack = stackIn();
    attach(stack, propsIn(stack));
    const statements = statementsIn(templateOf(stack)).map((statement) => JSON.stringify(statement));

    expect(statements).toContainEqual(expect.stringMatching(expected));
  });
});

test('row 160: nothing is warned of in an app that owns its roles, keys and queues', () => {
  const stack = stackIn();
  const key = new Key(stack, 'Key');
  digest({ deadLetterQueue: new Queue(stack, 'Mine', { encryptionMasterKey: key }), logEncryptionKey: key }, stack);

  expect(warned(stack)).toEqual([]);
});

describe('row 160: a second copy of CDK makes', async () => {
  const copyOf = await packagesOf('test/oldest-cdk');

  test('the destination of a queue that only a deployment knows', () => {
    const stack = stackIn();
    const { SqsDestination: Other } = copyOf('aws-cdk-lib/aws-lambda-destinations');
    const onFailure = new Other(Queue.fromQueueArn(stack, 'Mine', new CfnParameter(stack, 'Arn').valueAsString));
    attach(stack, { onFailure });

    expect(onFailure instanceof SqsDestination).toBe(false);
    templateOf(stack).resourceCountIs('AWS::SQS::Queue', 0);
  });

  test('the principal of a function that was imported without its role', () => {
    const { UnknownPrincipal: Other } = copyOf('aws-cdk-lib/aws-iam');

    expect(isUnknown(new Other({ resource: stackIn() }))).toBe(true);
    expect(isUnknown(new Role(stackIn(), 'Mine', { assumedBy }))).toBe(false);
  });
});
