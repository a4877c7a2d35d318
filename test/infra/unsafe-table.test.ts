import { Aspects, Stack } from 'aws-cdk-lib';
import {
  AttributeType,
  type CfnGlobalTable,
  type ITableV2,
  MultiRegionConsistency,
  Table,
  type TablePropsV2,
  TableV2,
  TableV2MultiAccountReplica,
} from 'aws-cdk-lib/aws-dynamodb';
import { LockTable, type LockTableProps, type TableResource } from 'single-execution/cdk';
import { expect, test } from 'vitest';
import { stackIn, templateOf } from './synthesised.js';

const EVENTUAL =
  'locks do not hold in an eventually consistent global table, where two regions can both take one; use a LockTable with MultiRegionConsistency.STRONG, or a table of one region';
const NO_TTL =
  'a time to live would delete locks, and with them the memory of which ticks are done; remove timeToLiveSpecification';
const NO_TTL_STRONG = 'a strongly consistent global table has no time to live; remove timeToLiveSpecification';
const NO_TEXT = (key: string) =>
  `key '${key}' is of type N, and the name of a lock is a text: use a table whose keys have AttributeType.STRING`;
const INDEX =
  "index 'by-state' has the key 'state' of type N, and locks have an attribute 'state' of type S: DynamoDB refuses to write it; use a table without this index, or an index of another attribute";

const key = (name: string, type = AttributeType.STRING) => ({ name, type });
const partitionKey = key('lockName');
const number = (name: string) => key(name, AttributeType.NUMBER);
const US = { region: 'us-east-1' };
const STRONG = MultiRegionConsistency.STRONG;

/** The app's own table, of today's kind and of the older one, and one that it takes for locks. */
const shop = (stack: Stack, props: Partial<TablePropsV2> = {}) =>
  new TableV2(stack, 'Shop', { partitionKey, ...props });
const older = (stack: Stack, props: object = {}) => new Table(stack, 'Shop', { partitionKey, ...props });
const take = (stack: Stack, table: TableResource) => LockTable.fromTable(stack, 'Existing', table);
const shopWith = (props?: Partial<TablePropsV2>) => (stack: Stack) => take(stack, shop(stack, props));
const olderWith = (props: object) => (stack: Stack) => take(stack, older(stack, props));
const strong = { multiRegionConsistency: STRONG, replicas: [{ region: 'eu-west-2' }, { region: 'eu-west-3' }] };

const locks = (stack: Stack, props: LockTableProps = {}) => new LockTable(stack, 'Locks', props);
const strongLocks = (stack: Stack) =>
  locks(stack, { multiRegionConsistency: STRONG, replicaRegions: ['eu-west-2', 'eu-west-3'] });
/** Changes properties of a table's resource, as an app can do without the construct. */
const changed = ({ table }: LockTable, values: Partial<CfnGlobalTable>) =>
  Object.assign(table.node.defaultChild as CfnGlobalTable, values);
const expiring = { timeToLiveSpecification: { enabled: true, attributeName: 'expires' } };
const byKey = { globalSecondaryIndexes: [{ indexName: 'by-state', partitionKey: number('state') }] };
const bySortKey = (sortKey: string, state = number(sortKey)) => ({
  globalSecondaryIndexes: [{ indexName: `by-${sortKey}`, partitionKey: key('shop'), sortKey: state }],
});

test.each<[string, string, (stack: Stack) => unknown]>([
  ['F77 replicas added to the table later', `Locks/Table] ${EVENTUAL}`, (stack) => locks(stack).table.addReplica(US)],
  [
    'F77 replicas left by an aspect that takes the strong consistency away',
    `Locks/Table] ${EVENTUAL}`,
    (stack) => {
      const table = strongLocks(stack);
      Aspects.of(stack).add({ visit: () => changed(table, { multiRegionConsistency: 'EVENTUAL' }) });
    },
  ],
  ['F77 replicas of the older kind', `Shop] ${EVENTUAL}`, olderWith({ replicationRegions: [US.region] })],
  ["F77 replicas of the app's own table", `Shop] ${EVENTUAL}`, shopWith({ replicas: [US] })],
  [
    "F77 replicas of the app's own table, taken by one of its replicas",
    `Shop] ${EVENTUAL}`,
    (stack) => take(stack, shop(stack, { replicas: [US] }).replica(US.region)),
  ],
  [
    "F77 replicas of the app's own table, added after it was taken for locks",
    `Shop] ${EVENTUAL}`,
    (stack) => (shopWith()(stack).table as TableV2).addReplica(US),
  ],
  ['a time to live of a lock table', `Locks/Table] ${NO_TTL}`, (stack) => changed(locks(stack), expiring)],
  ['a time to live of a strong one', `Locks/Table] ${NO_TTL_STRONG}`, (stack) => changed(strongLocks(stack), expiring)],
  [
    'a time to live of a lock table, asked for past the types',
    `Locks/Table] ${NO_TTL}`,
    (stack) => locks(stack, { timeToLiveAttribute: 'expires' } as LockTableProps),
  ],
  [
    "a time to live of the app's own strong table, which DynamoDB would refuse",
    `Shop] ${NO_TTL_STRONG}`,
    shopWith({ ...strong, timeToLiveAttribute: 'expires' }),
  ],
  ['a key that is no text', NO_TEXT('id'), shopWith({ partitionKey: number('id') })],
  ['a key that is no text, of the older kind', NO_TEXT('id'), olderWith({ partitionKey: number('id') })],
  ['a sort key that is no text', NO_TEXT('at'), shopWith({ sortKey: number('at') })],
  ['row 135 a global index with a key that locks have as another type', INDEX, shopWith(byKey)],
  ['row 135 a global index with such a sort key', INDEX, shopWith(bySortKey('state'))],
  [
    'row 135 such a local index of the older kind',
    INDEX,
    (stack) => {
      const table = older(stack, { sortKey: key('sk') });
      table.addLocalSecondaryIndex({ indexName: 'by-state', sortKey: number('state') });
      take(stack, table);
    },
  ],
  [
    'row 135 such an index, added after the table was taken for locks',
    INDEX,
    (stack) => {
      const table = older(stack);
      take(stack, table);
      table.addGlobalSecondaryIndex({ indexName: 'by-state', partitionKey: number('state') });
    },
  ],
])('synthesis refuses %s', (_, message, make) => {
  const stack = stackIn('eu-west-1');
  make(stack);

  expect(() => templateOf(stack)).toThrow(message);
});

test('F77 synthesis refuses eventually consistent replicas of a table in another account', () => {
  const home = stackIn('eu-west-1');
  const away = new Stack(home.node.root, 'Away', { env: { account: '210987654321', region: 'us-east-1' } });
  const { table } = locks(home, { tableName: 'locks' });
  const replica = { tableName: 'locks', replicaSourceTable: table as ITableV2 };
  take(away, new TableV2MultiAccountReplica(away, 'Locks', replica));

  expect(() => templateOf(away)).toThrow(`[Away/Locks] ${EVENTUAL}`);
});

test.each<[string, (stack: Stack) => unknown]>([
  ['in one region', shopWith()],
  ['with a time to live, which no lock has', shopWith({ timeToLiveAttribute: 'expires' })],
  ['with strong consistency', shopWith(strong)],
  ['of the older kind', olderWith({ timeToLiveAttribute: 'expires' })],
  ['row 135 with an index of the right type', shopWith(bySortKey('state', key('state')))],
  ['row 135 with an index of an attribute that no lock has', shopWith(bySortKey('price'))],
  [
    'that was imported, of which nothing is known',
    (stack) => take(stack, TableV2.fromTableName(stack, 'Shop', 'shop')),
  ],
])("LockTable.fromTable accepts a table of the app's own %s", (_, make) => {
  const stack = stackIn('eu-west-1');
  make(stack);

  expect(() => templateOf(stack)).not.toThrow();
});
