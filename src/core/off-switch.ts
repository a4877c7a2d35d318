import { environmentVariable } from './environment.js';
import type { LockStore } from './lock-store.js';
import { warn } from './operator-log.js';

const told = new WeakSet<LockStore>();

/** Whether `SINGLE_EXECUTION_DISABLED=1` turns all locking off; says so once per store, in one line on stderr. */
export function isSwitchedOff(store: LockStore): boolean {
  if (environmentVariable('SINGLE_EXECUTION_DISABLED') !== '1') return false;
  if (!told.has(store)) warn('SINGLE_EXECUTION_DISABLED=1: handlers run without a lock');
  told.add(store);
  return true;
}
