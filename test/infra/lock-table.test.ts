import { RemovalPolicy, type Stack } from 'aws-cdk-lib';
import { Match, type Template } from 'aws-cdk-lib/assertions';
import { MultiRegionConsistency, TableEncryptionV2, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Key } from 'aws-cdk-lib/aws-kms';
import { LockTable, type LockTableProps } from 'single-execution/cdk';
import { describe, expect, test } from 'vitest';
import { appStack, propertiesOf, stackIn, templateOf } from './synthesised.js';

const GLOBAL_TABLE = 'AWS::DynamoDB::GlobalTable';
const { STRONG, EVENTUAL } = MultiRegionConsistency;

const safeReplica = (region: unknown) => ({
  Region: region,
  DeletionProtectionEnabled: true,
  PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
});
const locksIn = (stack: Stack, props: LockTableProps = {}) => new LockTable(stack, 'Locks', props);
function templateWith(props: LockTableProps, stack = appStack()): Template {
  locksIn(stack, props);
  return templateOf(stack);
}

describe('row 75: a lock table', () => {
  test('is on demand, recoverable to a point in time, protected, retained, without TTL, with the key lockName of type S', () => {
    templateWith({}).hasResource(GLOBAL_TABLE, {
      DeletionPolicy: 'Retain',
      UpdateReplacePolicy: 'Retain',
      Properties: Match.objectEquals({
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: [{ AttributeName: 'lockName', AttributeType: 'S' }],
        KeySchema: [{ AttributeName: 'lockName', KeyType: 'HASH' }],
        Replicas: [safeReplica({ Ref: 'AWS::Region' })],
      }),
    });
  });

  test('has the name and the key that it is given', () => {
    const stack = stackIn();
    const key = new Key(stack, 'Key');
    const template = templateWith({ tableName: 'locks', encryption: TableEncryptionV2.customerManagedKey(key) }, stack);

    template.hasResourceProperties(GLOBAL_TABLE, {
      TableName: 'locks',
      SSESpecification: { SSEEnabled: true, SSEType: 'KMS' },
      Replicas: [{ SSESpecification: { KMSMasterKeyId: stack.resolve(key.keyArn) } }],
    });
  });
});

describe('row 78: a lock table with MultiRegionConsistency.STRONG is strongly consistent, and each replica is as safe as it', () => {
  test.each<[string, string, LockTableProps, string[]]>([
    ['three regions', 'eu-west-1', { replicaRegions: ['eu-west-2', 'eu-west-3'] }, []],
    [
      'two regions and a witness',
      'us-east-1',
      { replicaRegions: ['us-east-2'], witnessRegion: 'us-west-2' },
      ['us-west-2'],
    ],
  ])('in %s', (_, region, props, witnesses) => {
    templateWith({ multiRegionConsistency: STRONG, ...props }, stackIn(region)).hasResource(GLOBAL_TABLE, {
      DeletionPolicy: 'Retain',
      Properties: {
        BillingMode: 'PAY_PER_REQUEST',
        KeySchema: [{ AttributeName: 'lockName', KeyType: 'HASH' }],
        MultiRegionConsistency: 'STRONG',
        GlobalTableWitnesses: witnesses.length > 0 ? witnesses.map((Region) => ({ Region })) : Match.absent(),
        TimeToLiveSpecification: Match.absent(),
        Replicas: [...(props.replicaRegions ?? []), region].map(safeReplica),
      },
    });
  });

  // CDK itself knows which regions DynamoDB takes.
  test.each<[LockTableProps, string]>([
    [{}, 'exactly 3 replicas (including primary), but found 2'],
    [{ witnessRegion: 'us-east-1' }, 'not in the same region set (EU)'],
  ])('refuses two regions with %j, which DynamoDB would', (props, why) => {
    expect(() =>
      locksIn(stackIn(), { multiRegionConsistency: STRONG, replicaRegions: ['eu-west-2'], ...props }),
    ).toThrow(why);
  });
});

describe('F77 refuses eventually consistent replicas', () => {
  test.each<[LockTableProps, string]>([
    [
      { replicaRegions: ['us-east-1', 'us-east-2'] },
      'replicaRegions is [us-east-1, us-east-2] and witnessRegion undefined',
    ],
    [{ witnessRegion: 'us-east-1' }, 'replicaRegions is [] and witnessRegion us-east-1'],
  ])('asked for by %j without a consistency', (props, what) => {
    expect(() => locksIn(stackIn(), props)).toThrow(
      new TypeError(
        `${what} without multiRegionConsistency: two regions of an eventually consistent table can both take a lock; pass MultiRegionConsistency.STRONG`,
      ),
    );
  });

  test.each([
    ["'EVENTUAL'", EVENTUAL],
    ["'strong'", 'strong'],
    ["''", ''],
    ['null', null],
    ['true', true],
  ])('asked for by multiRegionConsistency %s', (shown, given) => {
    const multiRegionConsistency = given as MultiRegionConsistency;

    expect(() => locksIn(stackIn(), { multiRegionConsistency, replicaRegions: ['eu-west-2', 'eu-west-3'] })).toThrow(
      new TypeError(`multiRegionConsistency is ${shown}: pass MultiRegionConsistency.STRONG, or leave it out`),
    );
  });
});

describe('LockTable.fromTable', () => {
  const taken = (id: string, keyPrefix?: string) => {
    const stack = appStack();
    const shop = TableV2.fromTableName(stack, 'Shop', 'shop');
    return { shop, locks: LockTable.fromTable(stack, id, shop, { ...(keyPrefix !== undefined && { keyPrefix }) }) };
  };

  test.each(['a\ud800', 'a\0', 'e\u0301', 'x'.repeat(101)])(
    'F210 refuses the key prefix %j, as the store would',
    (prefix) => {
      expect(() => taken('Locks', prefix)).toThrow(/^keyPrefix is '/);
    },
  );

  test.each([undefined, 'lock#'])('takes the table with the key prefix %j', (keyPrefix) => {
    const { shop, locks } = taken('Prefixed', keyPrefix);

    expect(locks).toMatchObject({ table: shop, keyPrefix: keyPrefix ?? '' });
    expect(locks.node.path).toBe('Jobs/Prefixed');
  });
});

describe('the end of a lock table', () => {
  test.each<[string, string, boolean, object]>([
    ['by default', 'Retain', true, {}],
    ['with settings that are undefined', 'Retain', true, { deletionProtection: undefined, removalPolicy: undefined }],
    ['if it goes with its stack', 'Delete', false, { removalPolicy: RemovalPolicy.DESTROY }],
    ['without protection', 'Retain', false, { deletionProtection: false }],
  ])('%s: DeletionPolicy %s, deletion protection %s', (_, DeletionPolicy, isProtected, props) => {
    const template = templateWith(props);

    template.hasResource(GLOBAL_TABLE, { DeletionPolicy });
    expect(propertiesOf(template, GLOBAL_TABLE)[0].Replicas[0].DeletionProtectionEnabled).toBe(isProtected);
  });

  test('cannot be both wanted and prevented', () => {
    expect(() => locksIn(appStack(), { removalPolicy: RemovalPolicy.DESTROY, deletionProtection: true })).toThrow(
      new TypeError(
        'removalPolicy is destroy and deletionProtection true: DynamoDB would refuse to delete the table with its stack; leave one of them out',
      ),
    );
  });
});
