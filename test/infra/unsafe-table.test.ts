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
import { LockTable, type LockTableProps, type TableResource } from 'single-execution/cdk';
import { describe, expect, test } from 'vitest';
import { appStack, templateOf } from './synthesised.js';

const EVENTUAL =
  'locks do not hold in an eventually consistent global table, where two regions can both take one; use a LockTable with MultiRegionConsistency.STRONG, or a table of one region';
const NO_TTL =
  'a time to live would delete locks, and with them the memory of which ticks are done; remove timeToLiveSpecification';
const NO_TTL_STRONG = 'a strongly consistent global table has no time to live; remove timeToLiveSpecification';

const stackIn = (region: string) => appStack({ env: { account: '123456789012', region } });
const partitionKey = { name: 'lockName', type: AttributeType.STRING };

/** The app's own table, with strong consistency between regions. */
const strongTable = (stack: Stack, props: Partial<TablePropsV2> = {}) =>
  new TableV2(stack, 'Shop', {
    partitionKey,
    multiRegionConsistency: MultiRegionConsistency.STRONG,
    replicas: [{ region: 'eu-west-2' }, { region: 'eu-west-3' }],
    ...props,
  });

const strongLocks = (stack: Stack) =>
  new LockTable(stack, 'Locks', {
    multiRegionConsistency: MultiRegionConsistency.STRONG,
    replicaRegions: ['eu-west-2', 'eu-west-3'],
  });
const US = { region: 'us-east-1' };
const elsewhere = { replicas: [US] };
const shopIn = (stack: Stack, props: Partial<TablePropsV2> = {}) =>
  new TableV2(stack, 'Shop', { partitionKey, ...props });
const take = (stack: Stack, table: TableResource) => LockTable.fromTable(stack, 'Existing', table);

test.each<[string, string, (stack: Stack) => unknown]>([
  ['added to the table afterwards', 'Locks/Table', (stack) => new LockTable(stack, 'Locks').table.addReplica(US)],
  [
    'left by an aspect that takes the strong consistency away',
    'Locks/Table',
    (stack) => {
      strongLocks(stack);
      Aspects.of(stack).add({
        visit(node) {
          if (node instanceof CfnGlobalTable) node.multiRegionConsistency = 'EVENTUAL';
        },
      });
    },
  ],
  [
    'of a Table of the older kind',
    'Shop',
    (stack) => take(stack, new Table(stack, 'Shop', { partitionKey, replicationRegions: [US.region] })),
  ],
  ["in a table of the app's own", 'Shop', (stack) => take(stack, shopIn(stack, elsewhere))],
  [
    "in a table of the app's own, taken by one of its replicas",
    'Shop',
    (stack) => take(stack, shopIn(stack, elsewhere).replica(US.region)),
  ],
  [
    "in a table of the app's own, added after it was taken for locks",
    'Shop',
    (stack) => {
      const shop = shopIn(stack);
      take(stack, shop);
      shop.addReplica(US);
    },
  ],
])('F77 synthesis refuses eventually consistent replicas %s', (_, path, make) => {
  const stack = stackIn('eu-west-1');
  make(stack);

  expect(() => templateOf(stack)).toThrow(`[Jobs/${path}] ${EVENTUAL}`);
});

test('F77 synthesis refuses eventually consistent replicas of a table in another account', () => {
  const home = stackIn('eu-west-1');
  const away = new Stack(home.node.root, 'Away', { env: { account: '210987654321', region: 'us-east-1' } });
  const { table } = new LockTable(home, 'Locks', { tableName: 'locks' });
  const replica = { tableName: 'locks', replicaSourceTable: table as ITableV2 };
  LockTable.fromTable(away, 'Existing', new TableV2MultiAccountReplica(away, 'Locks', replica));

  expect(() => templateOf(away)).toThrow(`[Away/Locks] ${EVENTUAL}`);
});

const expiring = ({ table }: LockTable) => {
  // The table's CloudFormation resource: an app can change its properties without the construct.
  const resource = table.node.defaultChild as CfnGlobalTable;
  resource.timeToLiveSpecification = { enabled: true, attributeName: 'expires' };
};

test.each<[string, string, (stack: Stack) => unknown]>([
  ['of a lock table', `Locks/Table] ${NO_TTL}`, (stack) => expiring(new LockTable(stack, 'Locks'))],
  ['of a strongly consistent lock table', `Locks/Table] ${NO_TTL_STRONG}`, (stack) => expiring(strongLocks(stack))],
  [
    'of a lock table, asked for past the types',
    `Locks/Table] ${NO_TTL}`,
    (stack) => new LockTable(stack, 'Locks', { timeToLiveAttribute: 'expires' } as LockTableProps),
  ],
  [
    "of a strongly consistent table of the app's own, which DynamoDB would refuse",
    `Shop] ${NO_TTL_STRONG}`,
    (stack) => take(stack, strongTable(stack, { timeToLiveAttribute: 'expires' })),
  ],
])('synthesis refuses a time to live, which would delete locks, %s', (_, message, make) => {
  const stack = stackIn('eu-west-1');
  make(stack);

  expect(() => templateOf(stack)).toThrow(`[Jobs/${message}`);
});

describe('LockTable.fromTable accepts', () => {
  test.each<[string, string, number, (stack: Stack) => TableResource]>([
    ["a table of the app's own in one region", 'GlobalTable', 1, (stack) => shopIn(stack)],
    [
      "a table of the app's own with a time to live, which no lock has",
      'GlobalTable',
      1,
      (stack) => shopIn(stack, { timeToLiveAttribute: 'expires' }),
    ],
    ["a table of the app's own with strong consistency", 'GlobalTable', 1, (stack) => strongTable(stack)],
    [
      'a Table of the older kind',
      'Table',
      1,
      (stack) => new Table(stack, 'Shop', { partitionKey, timeToLiveAttribute: 'expires' }),
    ],
    [
      'a table that was imported, of which nothing is known',
      'GlobalTable',
      0,
      (stack) => TableV2.fromTableName(stack, 'Shop', 'shop'),
    ],
  ])('%s', (_, type, count, tableIn) => {
    const stack = stackIn('eu-west-1');
    take(stack, tableIn(stack)).grantLock(new User(stack, 'User'), ['digest']);

    templateOf(stack).resourceCountIs(`AWS::DynamoDB::${type}`, count);
  });
});

describe('a table whose keys are no texts is refused', () => {
  const number = { name: 'id', type: AttributeType.NUMBER };
  const NO_TEXT = (name: string) =>
    `key '${name}' is of type N, and the name of a lock is a text: use a table whose keys have AttributeType.STRING`;

  test.each<[string, (stack: Stack) => TableResource, string]>([
    ['a TableV2', (stack) => new TableV2(stack, 'Shop', { partitionKey: number }), 'id'],
    ['a Table of the older kind', (stack) => new Table(stack, 'Shop', { partitionKey: number }), 'id'],
    ['a sort key', (stack) => new TableV2(stack, 'Shop', { partitionKey, sortKey: { ...number, name: 'at' } }), 'at'],
  ])('%s', (_, tableOf, key) => {
    const stack = appStack();
    take(stack, tableOf(stack));

    expect(() => templateOf(stack)).toThrow(NO_TEXT(key));
  });
});

describe('row 135 a table with an index that would refuse an attribute of locks', () => {
  const state = { name: 'state', type: AttributeType.NUMBER };
  const REFUSED =
    "index 'by-state' has the key 'state' of type N, and locks have an attribute 'state' of type S: DynamoDB refuses to write it; use a table without this index, or an index of another attribute";
  const older = (stack: Stack) => new Table(stack, 'Shop', { partitionKey, sortKey: { ...partitionKey, name: 'sk' } });

  test.each<[string, (stack: Stack) => TableResource]>([
    [
      'a global index of a TableV2',
      (stack) => shopIn(stack, { globalSecondaryIndexes: [{ indexName: 'by-state', partitionKey: state }] }),
    ],
    [
      'the sort key of a global index',
      (stack) =>
        shopIn(stack, {
          globalSecondaryIndexes: [
            { indexName: 'by-state', partitionKey: { ...partitionKey, name: 'shop' }, sortKey: state },
          ],
        }),
    ],
    [
      'a local index of a Table of the older kind',
      (stack) => {
        const table = older(stack);
        table.addLocalSecondaryIndex({ indexName: 'by-state', sortKey: state });
        return table;
      },
    ],
  ])('is refused: %s', (_, tableOf) => {
    const stack = appStack();
    take(stack, tableOf(stack));

    expect(() => templateOf(stack)).toThrow(REFUSED);
  });

  test('is refused: an index added after the table was taken for locks', () => {
    const stack = appStack();
    const table = older(stack);
    take(stack, table);
    table.addGlobalSecondaryIndex({ indexName: 'by-state', partitionKey: state });

    expect(() => templateOf(stack)).toThrow(REFUSED);
  });

  test('is accepted with the right type, and with attributes that no lock has', () => {
    const stack = appStack();
    take(
      stack,
      shopIn(stack, {
        globalSecondaryIndexes: [
          { indexName: 'by-state', partitionKey: { ...state, type: AttributeType.STRING } },
          { indexName: 'by-price', partitionKey: { ...state, name: 'price' } },
        ],
      }),
    );

    expect(() => templateOf(stack)).not.toThrow();
  });
});
