import { Stack } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';
import { type LockKeys, lockKeys, overlap } from './lock-keys.js';
import type { ILockTable } from './lock-table.js';

interface TakenLock {
  readonly by: IConstruct;
  readonly tableArn: string;
  readonly keys: LockKeys;
  readonly name: string;
}

/**
 * The property of a stack that keeps the locks of its functions. An app can load two copies of the constructs, as an ES
 * module and as CommonJS; both use this property.
 */
const TAKEN: unique symbol = Symbol.for('single-execution.taken-locks.1');

/**
 * Refuses a lock that another function of the stack takes already: runs of either function would make ticks of the
 * other be skipped.
 *
 * @throws TypeError with the lock and both functions
 */
export function refuseSharedLocks(
  by: IConstruct,
  { table, keyPrefix }: ILockTable,
  lockNames: readonly string[],
): void {
  const stack: Stack & { [TAKEN]?: TakenLock[] } = Stack.of(by);
  stack[TAKEN] ??= [];
  const taken = stack[TAKEN];
  for (const name of lockNames) {
    const lock = { by, tableArn: table.tableArn, keys: lockKeys(name, keyPrefix), name };
    const other = taken.find((it) => it.by !== by && it.tableArn === lock.tableArn && overlap(it.keys, lock.keys));
    if (other) {
      throw new TypeError(
        `lock '${name}' of ${by.node.path} is taken by ${other.by.node.path} as '${other.name}': each would skip the other's runs; use another name for each job`,
      );
    }
    taken.push(lock);
  }
}
