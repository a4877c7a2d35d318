import { Aspects, Stack } from 'aws-cdk-lib';
import {
  AttributeType,
  CfnGlobalTable,
  type ITableV2,
  MultiRegionConsistency,
  Table,
  type TablePropsV2,
  TableV2,
  TableV2MultiAccountReplica,
} from 'aws-cdk-lib/aws-dynamodb';
import { User } from 'aws-cdk-lib/aws-iam';
import { LockTable, type LockTableProps } from 'single-execution/cdk';
import { describe, expect, test } from 'vitest';
import { appStack, templateOf } from '../support/synthesised.js';

const EVENTUAL =
  "locks do not hold in an eventually consistent global table, where two regions can both take one; use a LockTable with multiRegion: 'strong', or a table of one region";
const NO_TTL =
  'a time to live would delete locks, and with them the memory of which ticks are done; remove timeToLiveSpecification';
const NO_TTL_STRONG = 'a strongly consistent global table has no time to live; remove timeToLiveSpecification';

const stackIn = (region: string) => appStack({ env: { account: '123456789012', region } });
const partitionKey = { name: 'lockName', type: AttributeType.STRING };

/** A strongly consistent table of the app's own. */
const strongTable = (stack: Stack, props: Partial<TablePropsV2> = {}) =>
  new TableV2(stack, 'Shop', {
    partitionKey,
    multiRegionConsistency: MultiRegionConsistency.STRONG,
    replicas: [{ region: 'eu-west-2' }, { region: 'eu-west-3' }],
    ...props,
  });

/** The table's resource, whose properties an app can change past the construct. */
const resourceOf = ({ table }: LockTable) => table.node.defaultChild as CfnGlobalTable;

describe('F77 synthesis refuses eventually consistent replicas', () => {
  test('added to the table afterwards', () => {
    const stack = stackIn('eu-west-1');
    const locks = new LockTable(stack, 'Locks');

    locks.table.addReplica({ region: 'us-east-1' });

    expect(() => templateOf(stack)).toThrow(`[Jobs/Locks/Table] ${EVENTUAL}`);
  });

  test('left by an aspect that takes the strong consistency away', () => {
    const stack = stackIn('eu-west-1');
    new LockTable(stack, 'Locks', { multiRegion: 'strong', replicaRegions: ['eu-west-2', 'eu-west-3'] });

    Aspects.of(stack).add({
      visit(node) {
        if (node instanceof CfnGlobalTable) node.multiRegionConsistency = 'EVENTUAL';
      },
    });

    expect(() => templateOf(stack)).toThrow(`[Jobs/Locks/Table] ${EVENTUAL}`);
  });

  test('of a Table of the older kind', () => {
    const stack = stackIn('eu-west-1');

    LockTable.fromTable(new Table(stack, 'Shop', { partitionKey, replicationRegions: ['us-east-1'] }));

    expect(() => templateOf(stack)).toThrow(`[Jobs/Shop] ${EVENTUAL}`);
  });

  test("in a table of the app's own, taken by one of its replicas", () => {
    const stack = stackIn('eu-west-1');
    const shop = new TableV2(stack, 'Shop', { partitionKey, replicas: [{ region: 'us-east-1' }] });

    LockTable.fromTable(shop.replica('us-east-1'));

    expect(() => templateOf(stack)).toThrow(`[Jobs/Shop] ${EVENTUAL}`);
  });

  test('of a table in another account', () => {
    const home = stackIn('eu-west-1');
    const away = new Stack(home.node.root, 'Away', { env: { account: '210987654321', region: 'us-east-1' } });
    const { table } = new LockTable(home, 'Locks', { tableName: 'locks' });

    const replica = new TableV2MultiAccountReplica(away, 'Locks', {
      tableName: 'locks',
      replicaSourceTable: table as ITableV2,
    });
    LockTable.fromTable(replica);

    expect(() => templateOf(away)).toThrow(`[Away/Locks] ${EVENTUAL}`);
  });

  test("in a table of the app's own", () => {
    const stack = stackIn('eu-west-1');
    const shop = new TableV2(stack, 'Shop', { partitionKey, replicas: [{ region: 'us-east-1' }] });

    LockTable.fromTable(shop, { keyPrefix: 'lock#' });

    expect(() => templateOf(stack)).toThrow(`[Jobs/Shop] ${EVENTUAL}`);
  });

  test("in a table of the app's own, added after it was taken for locks", () => {
    const stack = stackIn('eu-west-1');
    const shop = new TableV2(stack, 'Shop', { partitionKey });

    LockTable.fromTable(shop);
    shop.addReplica({ region: 'us-east-1' });

    expect(() => templateOf(stack)).toThrow(`[Jobs/Shop] ${EVENTUAL}`);
  });
});

describe('synthesis refuses a time to live, which would delete locks', () => {
  test('of a lock table', () => {
    const stack = stackIn('eu-west-1');

    resourceOf(new LockTable(stack, 'Locks')).timeToLiveSpecification = { enabled: true, attributeName: 'expires' };

    expect(() => templateOf(stack)).toThrow(`[Jobs/Locks/Table] ${NO_TTL}`);
  });

  test('of a strongly consistent lock table', () => {
    const stack = stackIn('eu-west-1');
    const locks = new LockTable(stack, 'Locks', {
      multiRegion: 'strong',
      replicaRegions: ['eu-west-2', 'eu-west-3'],
    });

    resourceOf(locks).timeToLiveSpecification = { enabled: true, attributeName: 'expires' };

    expect(() => templateOf(stack)).toThrow(`[Jobs/Locks/Table] ${NO_TTL_STRONG}`);
  });

  test('of a lock table, asked for past the types', () => {
    const stack = stackIn('eu-west-1');

    new LockTable(stack, 'Locks', { timeToLiveAttribute: 'expires' } as LockTableProps);

    expect(() => templateOf(stack)).toThrow(`[Jobs/Locks/Table] ${NO_TTL}`);
  });

  test("of a strongly consistent table of the app's own, which DynamoDB would refuse", () => {
    const stack = stackIn('eu-west-1');

    LockTable.fromTable(strongTable(stack, { timeToLiveAttribute: 'expires' }));

    expect(() => templateOf(stack)).toThrow(`[Jobs/Shop] ${NO_TTL_STRONG}`);
  });
});

describe('LockTable.fromTable accepts', () => {
  test.each<[string, object]>([
    ['one region', {}],
    ['one region and a time to live, which no lock has', { timeToLiveAttribute: 'expires' }],
  ])("a table of the app's own in %s", (_, props) => {
    const stack = stackIn('eu-west-1');

    LockTable.fromTable(new TableV2(stack, 'Shop', { partitionKey, ...props }));

    templateOf(stack).resourceCountIs('AWS::DynamoDB::GlobalTable', 1);
  });

  test("a table of the app's own with strong consistency", () => {
    const stack = stackIn('eu-west-1');

    LockTable.fromTable(strongTable(stack));

    templateOf(stack).hasResourceProperties('AWS::DynamoDB::GlobalTable', { MultiRegionConsistency: 'STRONG' });
  });

  test('a Table of the older kind', () => {
    const stack = appStack();

    LockTable.fromTable(new Table(stack, 'Shop', { partitionKey, timeToLiveAttribute: 'expires' }));

    templateOf(stack).resourceCountIs('AWS::DynamoDB::Table', 1);
  });

  test('a table that was imported, of which nothing is known', () => {
    const stack = appStack();

    LockTable.fromTable(TableV2.fromTableName(stack, 'Shop', 'shop')).grantLock(new User(stack, 'User'), ['digest']);

    templateOf(stack).resourceCountIs('AWS::DynamoDB::GlobalTable', 0);
  });
});
