import { Duration, Stack } from 'aws-cdk-lib';
import { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import { Construct } from 'constructs';
import { type ILockTable, LockTable, SingleExecutionFunction } from 'single-execution/cdk';
import { describe, expect, test, vi } from 'vitest';
import { refuseSharedLocks } from '../../infra/constructs/shared-locks.js';
import { HANDLER } from './digest.js';
import { appStack } from './synthesised.js';

const REMEDY = "each would skip the other's runs; use another name for each job";

function take(first: readonly string[], second: readonly string[], keyPrefixes = ['', '']): void {
  const stack = appStack();
  const shop = TableV2.fromTableName(stack, 'Shop', 'shop');
  const [a, b] = keyPrefixes.map((keyPrefix, n) => LockTable.fromTable(stack, `Existing${n}`, shop, { keyPrefix }));
  refuseSharedLocks(new Construct(stack, 'First'), a as ILockTable, first);
  refuseSharedLocks(new Construct(stack, 'Second'), b as ILockTable, second);
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
    expect(() => take(['digest'], ['lock#digest'], ['lock#', ''])).toThrow(
      new TypeError(`lock 'lock#digest' of Jobs/Second is taken by Jobs/First as 'digest': ${REMEDY}`),
    );
  });

  test('row 95: that a copy of the constructs has seen, if an app loads them twice', async () => {
    vi.resetModules();
    const other = await import('../../infra/constructs/shared-locks.js');
    expect(other.refuseSharedLocks).not.toBe(refuseSharedLocks);
    const stack = appStack();
    const table = LockTable.fromTable(stack, 'Existing', TableV2.fromTableName(stack, 'Shop', 'shop'));
    other.refuseSharedLocks(new Construct(stack, 'First'), table, ['digest']);

    expect(() => refuseSharedLocks(new Construct(stack, 'Second'), table, ['digest'])).toThrow(
      new TypeError(`lock 'digest' of Jobs/Second is taken by Jobs/First as 'digest': ${REMEDY}`),
    );
  });

  test('in the same table, imported twice', () => {
    const stack = appStack();
    const shop = (id: string) => LockTable.fromTable(stack, `Locks of ${id}`, TableV2.fromTableName(stack, id, 'shop'));
    refuseSharedLocks(new Construct(stack, 'First'), shop('Shop'), ['digest']);

    expect(() => refuseSharedLocks(new Construct(stack, 'Second'), shop('SameShop'), ['digest'])).toThrow(
      new TypeError(`lock 'digest' of Jobs/Second is taken by Jobs/First as 'digest': ${REMEDY}`),
    );
  });

  test('when it is made', () => {
    const stack = appStack();
    const lockTable = new LockTable(stack, 'Locks');
    const schedules = [{ schedule: ScheduleExpression.rate(Duration.minutes(5)) }];
    const make = (id: string) =>
      new SingleExecutionFunction(stack, id, { entry: HANDLER, lockTable, lockNames: ['digest'], schedules });
    make('Digest');

    expect(() => make('Report')).toThrow(
      new TypeError(`lock 'digest' of Jobs/Report is taken by Jobs/Digest as 'digest': ${REMEDY}`),
    );
  });
});

describe('accepts', () => {
  test.each<[string, string[], string[], string[]?]>([
    ['names of their own', ['digest'], ['report']],
    ['a name under two keyPrefixes', ['digest'], ['digest'], ['eu#', 'us#']],
    ['a name that a function lists twice', ['digest', 'digest'], ['report']],
    ['a name that a function lists below its own prefix', ['tenant/*', 'tenant/a'], ['report']],
  ])('%s', (_, first, second, keyPrefixes) => {
    expect(() => take(first, second, keyPrefixes)).not.toThrow();
  });

  test('a name in two tables', () => {
    const stack = appStack();
    refuseSharedLocks(new Construct(stack, 'First'), new LockTable(stack, 'Locks'), ['digest']);

    expect(() =>
      refuseSharedLocks(new Construct(stack, 'Second'), new LockTable(stack, 'OtherLocks'), ['digest']),
    ).not.toThrow();
  });

  test('a name in two stacks, which may be two stages', () => {
    const stack = appStack();
    const other = new Stack(stack.node.root, 'OtherJobs');
    const locks = new LockTable(stack, 'Locks');
    refuseSharedLocks(new Construct(stack, 'First'), locks, ['digest']);

    expect(() => refuseSharedLocks(new Construct(other, 'Second'), locks, ['digest'])).not.toThrow();
  });
});
