import { warn } from '../observers/operator-log.js';
import type { LockStore } from '../ports/lock-store.js';
import { describe } from '../values/describe.js';
import { environmentVariable } from '../values/environment.js';

const NAME = 'SINGLE_EXECUTION_DISABLED';
const told = new WeakSet<LockStore>();

/** Whether `SINGLE_EXECUTION_DISABLED` turns all locking off: `1` and `true` do, in any case. */
export function isLockingOff(): boolean {
  return /^(1|true)$/i.test(environmentVariable(NAME) ?? '');
}

/** The same, and one line per store says so, or says that the value cannot be read, which leaves locking on. */
export function isSwitchedOff(store: LockStore): boolean {
  const value = environmentVariable(NAME) ?? '';
  if (/^(0|false)?$/i.test(value)) return false;
  const isOff = isLockingOff();
  if (!told.has(store)) {
    warn(
      isOff
        ? `${NAME}=${value}: handlers run without a lock`
        : `${NAME} is ${describe(value)}, and locking stays on: give 1 or true to switch it off, 0 or false to keep it on`,
    );
  }
  told.add(store);
  return isOff;
}
