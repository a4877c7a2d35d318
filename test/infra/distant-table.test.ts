import { type Environment, Stack } from 'aws-cdk-lib';
import { MultiRegionConsistency, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { type ILockTable, LockTable } from 'single-execution/cdk';
import { expect, test } from 'vitest';
import { digest } from './digest.js';
import { appStack, templateOf } from './synthesised.js';

const [OURS, OTHERS] = ['111111111111', '222222222222'];
const at = (region?: string, account?: string): Environment => ({
  ...(region && { region }),
  ...(account && { account }),
});

/** A function in the environment `of`, with a table in the environment `tables`. */
function placed(of: Environment, make: (stack: Stack) => ILockTable, tables: Environment) {
  const stack = appStack({ env: of });
  return digest({ lockTable: make(new Stack(stack.node.root, 'Tables', { env: tables })) }, stack);
}

const own = (stack: Stack) => new LockTable(stack, 'Locks', { tableName: 'locks' });
const importedBy = (arn: string) => (stack: Stack) =>
  LockTable.fromTable(stack, 'Existing', TableV2.fromTableArn(stack, 'Locks', arn));
const strong = (stack: Stack) =>
  new LockTable(stack, 'Locks', {
    tableName: 'locks',
    multiRegionConsistency: MultiRegionConsistency.STRONG,
    replicaRegions: ['eu-west-2', 'eu-central-1'],
  });

test.each<[string, Environment, (stack: Stack) => ILockTable, Environment]>([
  ['of this app', at('eu-west-2', OURS), own, at('eu-west-1', OURS)],
  [
    'imported by its ARN',
    at('eu-west-2', OURS),
    importedBy(`arn:aws:dynamodb:eu-west-1:${OURS}:table/locks`),
    at('eu-west-2', OURS),
  ],
  ['with a replica where the function is', at('eu-west-2', OURS), strong, at('eu-west-1', OURS)],
])('a table of another region is refused: %s', (_, ...places) => {
  expect(() => placed(...places)).toThrow(
    /^lock table Tables\/Locks(\/Table)? is in eu-west-1, and function Jobs\/Digest in eu-west-2, where the table's name stands for another table or none: pass the replica, LockTable\.fromTable\(stack, 'Locks', table\.replica\('eu-west-2'\)\), or a table of eu-west-2$/,
  );
});

test.each<[string, (stack: Stack) => ILockTable]>([
  ['of this app', own],
  ['imported by its ARN', importedBy(`arn:aws:dynamodb:eu-west-1:${OTHERS}:table/locks`)],
])('a table of another account is refused: %s', (_, make) => {
  expect(() => placed(at('eu-west-1', OURS), make, at('eu-west-1', OTHERS))).toThrow(
    `is of account ${OTHERS}, and function Jobs/Digest of ${OURS}, where the table's name stands for another table or none: pass a table of account ${OURS}`,
  );
});

test.each<[string, Environment, (stack: Stack) => ILockTable, Environment]>([
  ['in the same place', at('eu-west-1', OURS), own, at('eu-west-1', OURS)],
  [
    'imported by its name',
    at('eu-west-1', OURS),
    (stack) => LockTable.fromTable(stack, 'Existing', TableV2.fromTableName(stack, 'Locks', 'locks')),
    at('eu-west-1', OURS),
  ],
  ['in a place that is not known', at(), own, at()],
])('a table is taken %s', (_, ...places) => {
  expect(() => templateOf(placed(...places).stack)).not.toThrow();
});

test("the replica of the function's region is taken, and is the one that its role may use", () => {
  const replica = (stack: Stack) =>
    LockTable.fromTable(stack, 'Replica', (strong(stack) as LockTable).table.replica('eu-west-2'));
  const { stack } = placed(at('eu-west-2', OURS), replica, at('eu-west-1', OURS));

  expect(JSON.stringify(templateOf(stack).findResources('AWS::IAM::Policy'))).toContain(
    `:dynamodb:eu-west-2:${OURS}:table/locks`,
  );
});
