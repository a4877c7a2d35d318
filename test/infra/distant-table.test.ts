import { type Environment, Stack } from 'aws-cdk-lib';
import { MultiRegionConsistency, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { type ILockTable, LockTable } from 'single-execution/cdk';
import { expect, test } from 'vitest';
import { digest } from './digest.js';
import { appStack, templateOf } from './synthesised.js';

const [OURS, OTHERS] = ['111111111111', '222222222222'] as const;
const HOME: Environment = { region: 'eu-west-1', account: OURS };
const AWAY: Environment = { region: 'eu-west-2', account: OURS };

/** A function in the environment `of`, with a table in the environment `tables`. */
function placed(of: Environment, make: (stack: Stack) => ILockTable, tables: Environment) {
  const stack = appStack({ env: of });
  return digest({ lockTable: make(new Stack(stack.node.root, 'Tables', { env: tables })) }, stack);
}

const own = (stack: Stack) => new LockTable(stack, 'Locks', { tableName: 'locks' });
const importedOf = (account: string) => (stack: Stack) => {
  const arn = `arn:aws:dynamodb:eu-west-1:${account}:table/locks`;
  return LockTable.fromTable(stack, 'Existing', TableV2.fromTableArn(stack, 'Locks', arn));
};
const strong = (stack: Stack) =>
  new LockTable(stack, 'Locks', {
    tableName: 'locks',
    multiRegionConsistency: MultiRegionConsistency.STRONG,
    replicaRegions: ['eu-west-2', 'eu-central-1'],
  });

const OTHER_REGION =
  /^lock table Tables\/Locks(\/Table)? is in eu-west-1, and function Jobs\/Digest in eu-west-2, where the table's name stands for another table or none: pass the replica, LockTable\.fromTable\(stack, 'Locks', table\.replica\('eu-west-2'\)\), or a table of eu-west-2$/;
const OTHER_ACCOUNT = `is of account ${OTHERS}, and function Jobs/Digest of ${OURS}, where the table's name stands for another table or none: pass a table of account ${OURS}`;

test.each<[string, RegExp | string, Environment, (stack: Stack) => ILockTable, Environment]>([
  ['of another region of this app', OTHER_REGION, AWAY, own, HOME],
  ['of another region, imported by its ARN', OTHER_REGION, AWAY, importedOf(OURS), AWAY],
  ['of another region, with a replica where the function is', OTHER_REGION, AWAY, strong, HOME],
  ['of another account of this app', OTHER_ACCOUNT, HOME, own, { ...HOME, account: OTHERS }],
  ['of another account, imported by its ARN', OTHER_ACCOUNT, HOME, importedOf(OTHERS), HOME],
])('a table is refused: %s', (_, message, ...places) => {
  expect(() => placed(...places)).toThrow(message);
});

test.each<[string, Environment, (stack: Stack) => ILockTable, Environment]>([
  ['in the same place', HOME, own, HOME],
  [
    'imported by its name',
    HOME,
    (stack) => LockTable.fromTable(stack, 'Existing', TableV2.fromTableName(stack, 'Locks', 'locks')),
    HOME,
  ],
  ['in a place that is not known', {}, own, {}],
])('a table is taken %s', (_, ...places) => {
  expect(() => templateOf(placed(...places).stack)).not.toThrow();
});

test("the replica of the function's region is taken, and is the one that its role may use", () => {
  const replica = (stack: Stack) =>
    LockTable.fromTable(stack, 'Replica', (strong(stack) as LockTable).table.replica('eu-west-2'));
  const { stack } = placed(AWAY, replica, HOME);

  expect(JSON.stringify(templateOf(stack).findResources('AWS::IAM::Policy'))).toContain(
    `:dynamodb:eu-west-2:${OURS}:table/locks`,
  );
});
