import { RemovalPolicy } from 'aws-cdk-lib';
import { Match } from 'aws-cdk-lib/assertions';
import { MultiRegionConsistency, TableEncryptionV2, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Key } from 'aws-cdk-lib/aws-kms';
import { LockTable } from 'single-execution/cdk';
import { describe, expect, test } from 'vitest';
import { appStack, templateOf } from './synthesised.js';

const GLOBAL_TABLE = 'AWS::DynamoDB::GlobalTable';
const stackIn = (region: string) => appStack({ env: { account: '123456789012', region } });

const safeReplica = (region: string) => ({
  Region: region,
  DeletionProtectionEnabled: true,
  PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
});

describe('row 75: a lock table', () => {
  test('is on demand, recoverable to a point in time, protected, retained, without TTL, with the key lockName of type S', () => {
    const stack = appStack();

    new LockTable(stack, 'Locks');

    const template = templateOf(stack);
    template.resourceCountIs(GLOBAL_TABLE, 1);
    template.hasResource(GLOBAL_TABLE, {
      DeletionPolicy: 'Retain',
      UpdateReplacePolicy: 'Retain',
      Properties: Match.objectEquals({
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: [{ AttributeName: 'lockName', AttributeType: 'S' }],
        KeySchema: [{ AttributeName: 'lockName', KeyType: 'HASH' }],
        Replicas: [{ ...safeReplica('eu-west-1'), Region: { Ref: 'AWS::Region' } }],
      }),
    });
  });

  test('has the name that it is given', () => {
    const stack = appStack();

    new LockTable(stack, 'Locks', { tableName: 'locks' });

    templateOf(stack).hasResourceProperties(GLOBAL_TABLE, { TableName: 'locks' });
  });

  test('is encrypted with the key that it is given', () => {
    const stack = stackIn('eu-west-1');
    const key = new Key(stack, 'Key');

    new LockTable(stack, 'Locks', { encryption: TableEncryptionV2.customerManagedKey(key) });

    templateOf(stack).hasResourceProperties(GLOBAL_TABLE, {
      SSESpecification: { SSEEnabled: true, SSEType: 'KMS' },
      Replicas: [{ SSESpecification: { KMSMasterKeyId: stack.resolve(key.keyArn) } }],
    });
  });
});

describe('row 78: a lock table with MultiRegionConsistency.STRONG is strongly consistent, and each replica is as safe as it', () => {
  test('in three regions', () => {
    const stack = stackIn('eu-west-1');

    new LockTable(stack, 'Locks', {
      multiRegionConsistency: MultiRegionConsistency.STRONG,
      replicaRegions: ['eu-west-2', 'eu-west-3'],
    });

    templateOf(stack).hasResource(GLOBAL_TABLE, {
      DeletionPolicy: 'Retain',
      Properties: {
        BillingMode: 'PAY_PER_REQUEST',
        KeySchema: [{ AttributeName: 'lockName', KeyType: 'HASH' }],
        MultiRegionConsistency: 'STRONG',
        GlobalTableWitnesses: Match.absent(),
        TimeToLiveSpecification: Match.absent(),
        Replicas: [safeReplica('eu-west-2'), safeReplica('eu-west-3'), safeReplica('eu-west-1')],
      },
    });
  });

  test('in two regions and a witness', () => {
    const stack = stackIn('us-east-1');

    new LockTable(stack, 'Locks', {
      multiRegionConsistency: MultiRegionConsistency.STRONG,
      replicaRegions: ['us-east-2'],
      witnessRegion: 'us-west-2',
    });

    templateOf(stack).hasResourceProperties(GLOBAL_TABLE, {
      MultiRegionConsistency: 'STRONG',
      GlobalTableWitnesses: [{ Region: 'us-west-2' }],
      TimeToLiveSpecification: Match.absent(),
      Replicas: [safeReplica('us-east-2'), safeReplica('us-east-1')],
    });
  });

  // CDK itself knows which regions DynamoDB takes.
  test.each<[string, string[], string | undefined, string]>([
    ['two regions', ['eu-west-2'], undefined, 'exactly 3 replicas (including primary), but found 2'],
    ['a witness of another set', ['eu-west-2'], 'us-east-1', 'not in the same region set (EU)'],
  ])('refuses %s, which DynamoDB would', (_, replicaRegions, witnessRegion, why) => {
    const props = {
      multiRegionConsistency: MultiRegionConsistency.STRONG,
      replicaRegions,
      ...(witnessRegion && { witnessRegion }),
    } as const;

    expect(() => new LockTable(stackIn('eu-west-1'), 'Locks', props)).toThrow(why);
  });
});

describe('F77 refuses eventually consistent replicas', () => {
  test.each([
    [
      { replicaRegions: ['us-east-1', 'us-east-2'] },
      'replicaRegions is [us-east-1, us-east-2] and witnessRegion undefined',
    ],
    [{ witnessRegion: 'us-east-1' }, 'replicaRegions is [] and witnessRegion us-east-1'],
  ])('asked for by %j without a consistency', (props, what) => {
    expect(() => new LockTable(stackIn('eu-west-1'), 'Locks', props)).toThrow(
      new TypeError(
        `${what} without multiRegionConsistency: two regions of an eventually consistent table can both take a lock; pass MultiRegionConsistency.STRONG`,
      ),
    );
  });

  test.each([
    ["'EVENTUAL'", MultiRegionConsistency.EVENTUAL],
    ["'strong'", 'strong'],
    ["''", ''],
    ['null', null],
    ['true', true],
  ])('asked for by multiRegionConsistency %s', (shown, given) => {
    const multiRegionConsistency = given as MultiRegionConsistency;
    const props = { multiRegionConsistency, replicaRegions: ['eu-west-2', 'eu-west-3'] };

    expect(() => new LockTable(stackIn('eu-west-1'), 'Locks', props)).toThrow(
      new TypeError(`multiRegionConsistency is ${shown}: pass MultiRegionConsistency.STRONG, or leave it out`),
    );
  });
});

describe('LockTable.fromTable', () => {
  test.each(['a\ud800', 'a\0', 'e\u0301', 'x'.repeat(101)])(
    'F210 refuses the key prefix %j, as the store would',
    (keyPrefix) => {
      const stack = appStack();
      const shop = TableV2.fromTableName(stack, 'Shop', 'shop');

      expect(() => LockTable.fromTable(stack, 'Locks', shop, { keyPrefix })).toThrow(/^keyPrefix is '/);
    },
  );

  test('takes the locks as they come without a keyPrefix, and with it where there is one', () => {
    const stack = appStack();
    const shop = TableV2.fromTableName(stack, 'Shop', 'shop');
    const prefixed = LockTable.fromTable(stack, 'Prefixed', shop, { keyPrefix: 'lock#' });

    expect(LockTable.fromTable(stack, 'Locks', shop)).toMatchObject({ table: shop, keyPrefix: '' });
    expect(prefixed).toMatchObject({ table: shop, keyPrefix: 'lock#' });
    expect(prefixed.node.path).toBe('Jobs/Prefixed');
  });
});

describe('the end of a lock table', () => {
  const protectionOf = (props: object) => {
    const stack = appStack();
    new LockTable(stack, 'Locks', props);
    const [table] = Object.values(templateOf(stack).findResources(GLOBAL_TABLE));
    return [table?.['DeletionPolicy'], table?.['Properties'].Replicas[0].DeletionProtectionEnabled];
  };

  test.each([
    ['by default', 'Retain', true, {}],
    ['with settings that are undefined', 'Retain', true, { deletionProtection: undefined, removalPolicy: undefined }],
    ['if it goes with its stack', 'Delete', false, { removalPolicy: RemovalPolicy.DESTROY }],
    ['without protection', 'Retain', false, { deletionProtection: false }],
  ])('%s: DeletionPolicy %s, deletion protection %s', (_, deletionPolicy, isProtected, props) => {
    expect(protectionOf(props)).toEqual([deletionPolicy, isProtected]);
  });

  test('cannot be both wanted and prevented', () => {
    expect(() => protectionOf({ removalPolicy: RemovalPolicy.DESTROY, deletionProtection: true })).toThrow(
      new TypeError(
        'removalPolicy is destroy and deletionProtection true: DynamoDB would refuse to delete the table with its stack; leave one of them out',
      ),
    );
  });
});
