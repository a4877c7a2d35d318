import { CfnParameter, Duration, Stack } from 'aws-cdk-lib';
import { Annotations, Match } from 'aws-cdk-lib/assertions';
import { TableEncryptionV2 } from 'aws-cdk-lib/aws-dynamodb';
import { type IRole, PrincipalWithConditions, Role, ServicePrincipal, User } from 'aws-cdk-lib/aws-iam';
import { Alias, type IKey, Key } from 'aws-cdk-lib/aws-kms';
import { type IFunction, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { SqsDestination } from 'aws-cdk-lib/aws-lambda-destinations';
import { type IQueue, Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { type AttachProps, LockTable, SingleExecution } from 'single-execution/cdk';
import { describe, expect, test } from 'vitest';
import { isUnknown } from '../../infra/constructs/missing-rights.js';
import { packagesOf } from '../support/package-sets.js';
import { digest, nightly, ownFunction } from './digest.js';
import { appStack, propertiesOf, templateOf } from './synthesised.js';

const account = '123456789012';
const env = { account, region: 'eu-west-1' };
const here = () => appStack({ env });
const keyArn = `arn:aws:kms:eu-west-1:${account}:key/1234`;
const queueArn = (region = 'eu-west-1', of = account) => `arn:aws:sqs:${region}:${of}:mine`;
const assumedBy = new ServicePrincipal('lambda.amazonaws.com');

/** The warnings of a stack of missing rights, or of another kind. */
function warned(stack: Stack, text = 'a right is missing'): string[] {
  return Annotations.fromStack(stack)
    .findWarning('*', Match.stringLikeRegexp(text))
    .map(({ entry }) => String(entry.data));
}

function attach(stack: Stack, props: Partial<AttachProps>, fn: IFunction = ownFunction(stack, 'Digest')): void {
  const lockTable = new LockTable(stack, 'Locks');
  SingleExecution.attach(fn, {
    lockTable,
    lockNames: ['digest'],
    schedules: [{ schedule: nightly }],
    timeout: Duration.seconds(3),
    ...props,
  });
}

const byRule = [{ schedule: nightly, via: 'rule' }] as const;

/** Roles whose policies this app cannot change. */
const CLOSED: readonly [string, (stack: Stack, name: string) => IRole][] = [
  [
    'imported with mutable: false',
    (stack, name) => Role.fromRoleArn(stack, name, `arn:aws:iam::${account}:role/${name}`, { mutable: false }),
  ],
  ['withoutPolicyUpdates', (stack, name) => new Role(stack, name, { assumedBy }).withoutPolicyUpdates()],
];

/** Principals whose policies this app can change. */
const OPEN: readonly [string, (stack: Stack) => IRole | User | PrincipalWithConditions][] = [
  ['a role of the app', (stack) => new Role(stack, 'Ops', { assumedBy })],
  ['an imported role', (stack) => Role.fromRoleArn(stack, 'Ops', `arn:aws:iam::${account}:role/ops`)],
  ['a role by its name', (stack) => Role.fromRoleName(stack, 'Ops', 'ops')],
  ['a user', (stack) => new User(stack, 'Ops')],
  ['an imported user', (stack) => User.fromUserName(stack, 'Ops', 'ops') as User],
  ['a role with conditions', (stack) => new PrincipalWithConditions(new Role(stack, 'Ops', { assumedBy }), {})],
];

describe('row 160: a grant to a role that cannot change has failed, and the warning has the statement', () => {
  test.each(CLOSED)('row 160: %s', (_, of) => {
    const stack = here();
    const table = new LockTable(stack, 'Locks');
    const role = of(stack, 'Ops');

    expect(table.grantLock(role, ['digest']).success).toBe(false);
    expect(table.grantRead(role).success).toBe(false);
    expect(table.grantOperate(role).success).toBe(false);
    const warnings = warned(stack);
    expect(warnings.length).toBeGreaterThan(0);
    expect(warnings.join()).toMatch(
      /the policy of Jobs\/\w*Ops\w* cannot be changed here, and a right is missing: add {"Action":\["dynamodb:DescribeTable","dynamodb:DescribeTimeToLive","dynamodb:Scan"\],"Effect":"Allow","Resource":{"Fn::GetAtt":\["LocksTable/,
    );
    expect(warnings.join()).toContain('"dynamodb:LeadingKeys":["digest"]');
  });

  test.each(OPEN)('row 160: and a grant to %s succeeds without a warning', (_, of) => {
    const stack = here();
    const table = new LockTable(stack, 'Locks');

    expect(table.grantOperate(of(stack)).success).toBe(true);
    expect(warned(stack)).toEqual([]);
  });

  test('row 160: a role of another account needs a policy of the table too', () => {
    const stack = here();
    const other = Role.fromRoleArn(stack, 'Ops', 'arn:aws:iam::210987654321:role/ops');
    const granted = new LockTable(stack, 'Locks').grantOperate(other);

    expect(granted.success).toBe(false);
    expect(warned(stack).join()).toMatch(
      /table Jobs\/Locks\/Table, which Jobs\/Ops uses from another account,.*"Principal":\{"AWS":"arn:aws:iam::210987654321:role\/ops"\}/,
    );
  });
});

describe('row 160: the rights of a function and of its schedules', () => {
  test.each(CLOSED)('row 160: a role of the function, %s', (_, of) => {
    const stack = here();
    attach(stack, {}, ownFunction(stack, 'Digest', { role: of(stack, 'Mine') }));
    const warnings = warned(stack).join();

    for (const action of ['dynamodb:UpdateItem', 'sqs:SendMessage']) expect(warnings).toContain(`"Action":"${action}"`);
  });

  test.each(CLOSED)('row 160: a role of SingleExecutionFunction, which also writes its log, %s', (_, of) => {
    const stack = here();
    digest({ role: of(stack, 'Mine') }, stack);

    expect(warned(stack).join()).toContain('logs:PutLogEvents');
  });

  test.each(CLOSED)('row 160: a role of Scheduler, %s', (_, of) => {
    const stack = here();
    attach(stack, { schedules: [{ schedule: nightly, role: of(stack, 'Mine') }] });
    const warnings = warned(stack).join();

    for (const action of ['lambda:InvokeFunction', 'sqs:SendMessage'])
      expect(warnings).toContain(`"Action":"${action}"`);
  });

  test.each<[string, (stack: Stack, role: IRole) => void]>([
    ['the function', (stack, role) => attach(stack, {}, ownFunction(stack, 'Digest', { role }))],
    [
      'an imported function',
      (stack, role) => {
        const functionArn = `arn:aws:lambda:eu-west-1:${account}:function:digest`;
        attach(stack, {}, LambdaFunction.fromFunctionAttributes(stack, 'Digest', { functionArn, role }));
      },
    ],
    ['a schedule', (stack, role) => attach(stack, { schedules: [{ schedule: nightly, role }] })],
  ])('row 160: a role of another account is refused for %s', (_, make) => {
    const stack = here();
    const role = Role.fromRoleArn(stack, 'Mine', 'arn:aws:iam::210987654321:role/mine');

    expect(() => make(stack, role)).toThrow(
      'role Jobs/Mine is of account 210987654321, and Jobs/Digest of 123456789012: AWS only takes roles of the same account',
    );
  });
});

describe('row 160: a dead-letter queue', () => {
  const managed = (stack: Stack): IQueue => new Queue(stack, 'Mine', { encryption: QueueEncryption.KMS_MANAGED });
  const byAlias = (stack: Stack): IQueue =>
    new Queue(stack, 'Mine', { encryptionMasterKey: Alias.fromAliasName(stack, 'Key', 'alias/aws/sqs') });

  test.each([
    ['KMS_MANAGED', managed],
    ['the alias of the key that AWS manages', byAlias],
  ])('row 160: with %s is refused for rules, and taken for Scheduler, which sends by a role', (_, of) => {
    const stack = here();
    expect(() => attach(stack, { deadLetterQueue: of(stack), schedules: byRule })).toThrow(
      "dead-letter queue Jobs/Mine is encrypted with alias/aws/sqs, a key that rules may not use: leave out via: 'rule'",
    );
    const other = here();
    expect(() => attach(other, { deadLetterQueue: of(other) })).not.toThrow();
  });

  test('row 160: imported, has no policy that lets rules send', () => {
    const stack = here();
    attach(stack, { deadLetterQueue: Queue.fromQueueArn(stack, 'Mine', queueArn()), schedules: byRule });

    expect(warned(stack)).toEqual([
      expect.stringMatching(
        /^the policy of queue Jobs\/Mine cannot be changed here.*"Action":"sqs:SendMessage".*"Principal":\{"Service":"events.amazonaws.com"\}/,
      ),
    ]);
  });

  const keys: [string, (stack: Stack) => IKey][] = [
    ['an imported key', (stack) => Key.fromKeyArn(stack, 'Key', keyArn)],
    ['an imported alias', (stack) => Alias.fromAliasName(stack, 'Key', 'alias/mine')],
    [
      'an alias of an imported key',
      (stack) => new Alias(stack, 'Key', { aliasName: 'alias/mine', targetKey: Key.fromKeyArn(stack, 'Its', keyArn) }),
    ],
  ];
  test.each(keys)('row 160: with %s warns of the key for rules alone', (_, of) => {
    const stack = here();
    const mine = (it: Stack) => ({ deadLetterQueue: new Queue(it, 'Mine', { encryptionMasterKey: of(it) }) });
    attach(stack, { ...mine(stack), schedules: byRule });

    expect(warned(stack)).toEqual([
      expect.stringMatching(/^the policy of key Jobs\/Key cannot be changed here.*"kms:GenerateDataKey\*"/),
    ]);
    const other = here();
    attach(other, mine(other));
    expect(warned(other)).toEqual([]);
    // Both roles may use the key.
    const policies = propertiesOf(templateOf(other), 'AWS::IAM::Policy');
    expect(
      policies.map(({ PolicyDocument }) => JSON.stringify(PolicyDocument).includes('kms:GenerateDataKey*')),
    ).toEqual([true, true]);
  });

  test.each<[string, string, string]>([
    ['of another account', queueArn('eu-west-1', '210987654321'), '"Principal":{"AWS":'],
    ['of another region', queueArn('eu-central-1'), 'is in eu-central-1, and Jobs/Digest in eu-west-1'],
  ])('row 160: %s is a warning', (_, arn, text) => {
    for (const props of ['deadLetterQueue', 'onFailure'] as const) {
      const stack = here();
      const mine = Queue.fromQueueArn(stack, 'Mine', arn);
      attach(stack, { [props]: props === 'onFailure' ? new SqsDestination(mine) : mine });

      expect(warned(stack, 'queue Jobs/Mine').join()).toContain(text);
    }
  });
});

describe('row 160: keys', () => {
  test.each<[string, (stack: Stack) => IKey, boolean]>([
    ['of the app', (stack) => new Key(stack, 'Key'), false],
    [
      'of the app, by an alias of the app',
      (stack) => new Alias(stack, 'Key', { aliasName: 'alias/mine', targetKey: new Key(stack, 'Its') }),
      false,
    ],
    ['imported', (stack) => Key.fromKeyArn(stack, 'Key', keyArn), true],
    ['imported by an alias', (stack) => Alias.fromAliasName(stack, 'Key', 'alias/mine'), true],
  ])('row 160: of a log, %s', (_, of, isMissing) => {
    const stack = here();
    digest({ logEncryptionKey: of(stack) }, stack);

    expect(warned(stack)).toEqual(
      isMissing ? [expect.stringMatching(/^the policy of key Jobs\/Key.*logs\.eu-west-1\./)] : [],
    );
  });

  test('row 160: of a log in another region is refused', () => {
    const stack = here();
    const logEncryptionKey = Key.fromKeyArn(stack, 'Key', keyArn.replace('eu-west-1', 'eu-west-2'));

    expect(() => digest({ logEncryptionKey }, stack)).toThrow(
      'logEncryptionKey Jobs/Key is in eu-west-2, and the log of Jobs/Digest in eu-west-1: pass a key of eu-west-1',
    );
  });

  test.each<[string, (stack: Stack) => IKey, RegExp]>([
    [
      'imported alias',
      (stack) => Alias.fromAliasName(stack, 'Key', 'alias/mine'),
      /"kms:ResourceAliases":"alias\/mine"/,
    ],
    [
      'alias of the app',
      (stack) => new Alias(stack, 'Key', { aliasName: 'alias/mine', targetKey: new Key(stack, 'Its') }),
      /"Resource":\{"Fn::GetAtt":\["Its/,
    ],
  ])('row 160: of a table, by an %s, may be used by the function', (_, of, expected) => {
    const stack = here();
    const encryption = TableEncryptionV2.customerManagedKey(of(stack));
    attach(stack, { lockTable: new LockTable(stack, 'Encrypted', { encryption }) });
    const statements = propertiesOf(templateOf(stack), 'AWS::IAM::Policy').flatMap(
      ({ PolicyDocument }) => PolicyDocument.Statement,
    );
    const [use] = statements.filter(({ Action }) => JSON.stringify(Action).includes('kms:DescribeKey'));

    expect(JSON.stringify(use)).toMatch(expected);
  });

  test('row 160: of a schedule, by an imported alias, may be used by its role', () => {
    const stack = here();
    attach(stack, { schedules: [{ schedule: nightly, key: Alias.fromAliasName(stack, 'Key', 'alias/mine') }] });

    expect(JSON.stringify(propertiesOf(templateOf(stack), 'AWS::IAM::Policy'))).toContain(
      '"kms:ResourceAliases":"alias/mine"',
    );
  });
});

test('row 160: nothing is warned of in an app that owns its roles, keys and queues', () => {
  const stack = here();
  const key = new Key(stack, 'Key');
  digest({ deadLetterQueue: new Queue(stack, 'Mine', { encryptionMasterKey: key }), logEncryptionKey: key }, stack);

  expect(warned(new Stack(stack.node.root, 'Other'))).toEqual([]);
  expect(warned(stack)).toEqual([]);
});

const copyOf = await packagesOf('test/oldest-cdk');

describe('row 160: a second copy of CDK', () => {
  test('row 160: makes the destination of a queue that only a deployment knows', () => {
    const stack = here();
    const { SqsDestination: Other } = copyOf('aws-cdk-lib/aws-lambda-destinations');
    const mine = Queue.fromQueueArn(stack, 'Mine', new CfnParameter(stack, 'Arn').valueAsString);
    const onFailure = new Other(mine);
    attach(stack, { onFailure });

    expect(onFailure instanceof SqsDestination).toBe(false);
    templateOf(stack).resourceCountIs('AWS::SQS::Queue', 0);
  });

  test('row 160: makes the principal of a function that was imported without its role', () => {
    const { UnknownPrincipal: Other } = copyOf('aws-cdk-lib/aws-iam');

    expect(isUnknown(new Other({ resource: here() }))).toBe(true);
    expect(isUnknown(new Role(here(), 'Mine', { assumedBy }))).toBe(false);
  });
});
