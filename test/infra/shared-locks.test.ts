import { Stack } from 'aws-cdk-lib';
import { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Construct } from 'constructs';
import { type ILockTable, LockTable } from 'single-execution/cdk';
import { describe, expect, test, vi } from 'vitest';
import { refuseSharedLocks } from '../../infra/constructs/shared-locks.js';
import { digest } from './digest.js';
import { appStack } from './synthesised.js';

const REMEDY = "each would skip the other's runs; use another name for each job";
const TAKEN = new TypeError(`lock 'digest' of Jobs/Second is taken by Jobs/First as 'digest': ${REMEDY}`);

const imported = (stack: Stack, id: string, keyPrefix = '') =>
  LockTable.fromTable(stack, `Locks of ${id}`, TableV2.fromTableName(stack, id, 'shop'), { keyPrefix });

interface Taken {
  readonly stack?: Stack;
  readonly table?: ILockTable;
  readonly by?: typeof refuseSharedLocks;
}

/** Takes the locks of two functions, of the table `shop` unless another one is given. */
function take(first: readonly string[], second: readonly string[], one: Taken = {}, other: Taken = {}): void {
  const { stack = appStack(), table = imported(stack, 'Shop'), by = refuseSharedLocks } = one;
  const { stack: itsStack = stack, table: itsTable = table, by: byOther = refuseSharedLocks } = other;
  by(new Construct(stack, 'First'), table, first);
  byOther(new Construct(itsStack, 'Second'), itsTable, second);
}

describe('refuses a lock that another function of the stack takes', () => {
  // lock-keys.test.ts tests which names and prefixes share a lock.
  test.each<[string, string[], string[], string]>([
    ['by one of its names', ['a', 'b'], ['c', 'b'], "lock 'b' of Jobs/Second is taken by Jobs/First as 'b'"],
    ['by a prefix', ['tenant/*'], ['tenant/a'], "lock 'tenant/a' of Jobs/Second is taken by Jobs/First as 'tenant/*'"],
    ['below a prefix', ['tenant/a'], ['ten*'], "lock 'ten*' of Jobs/Second is taken by Jobs/First as 'tenant/a'"],
  ])('%s', (_, first, second, what) => {
    expect(() => take(first, second)).toThrow(new TypeError(`${what}: ${REMEDY}`));
  });

  test('under another keyPrefix, which makes the same key of another name', () => {
    const stack = appStack();

    expect(() =>
      take(
        ['digest'],
        ['lock#digest'],
        { stack, table: imported(stack, 'Shop', 'lock#') },
        { table: imported(stack, 'Same') },
      ),
    ).toThrow(`lock 'lock#digest' of Jobs/Second is taken by Jobs/First as 'digest'`);
  });

  test('in the same table, imported twice', () => {
    const stack = appStack();

    expect(() => take(['digest'], ['digest'], { stack }, { table: imported(stack, 'SameShop') })).toThrow(TAKEN);
  });

  test('row 95: that a copy of the constructs has seen, if an app loads them twice', async () => {
    vi.resetModules();
    const { refuseSharedLocks: by } = await import('../../infra/constructs/shared-locks.js');

    expect(by).not.toBe(refuseSharedLocks);
    expect(() => take(['digest'], ['digest'], { by })).toThrow(TAKEN);
  });

  test('when it is made', () => {
    const { stack } = digest();

    expect(() => digest({}, stack, 'Report')).toThrow("lock 'digest' of Jobs/Report is taken by Jobs/Digest");
  });
});

test.each<[string, (stack: Stack) => Parameters<typeof take>]>([
  ['names of their own', () => [['digest'], ['report']]],
  ['a name that a function lists twice', () => [['digest', 'digest'], ['report']]],
  ['a name that a function lists below its own prefix', () => [['tenant/*', 'tenant/a'], ['report']]],
  [
    'a name under two keyPrefixes',
    (stack) => [
      ['digest'],
      ['digest'],
      { stack, table: imported(stack, 'A', 'eu#') },
      { table: imported(stack, 'B', 'us#') },
    ],
  ],
  ['a name in two tables', (stack) => [['digest'], ['digest'], { stack }, { table: new LockTable(stack, 'Others') }]],
  [
    'a name in two stacks, which may be two stages',
    (stack) => [['digest'], ['digest'], { stack }, { stack: new Stack(stack.node.root, 'OtherJobs') }],
  ],
])('accepts %s', (_, takenIn) => {
  expect(() => take(...takenIn(appStack()))).not.toThrow();
});
