import { warn } from '../observers/operator-log.js';
import type { LockStore } from '../ports/lock-store.js';
import { LockLostError } from '../public/errors.js';
import type { Execution } from '../public/execution.js';
import type { Executed } from '../public/outcome.js';
import { describe } from '../values/checks.js';
import { defined } from '../values/defined.js';
import { environmentVariable } from '../values/environment.js';
import { dateOf } from '../values/tick.js';
import { runEnds } from './deadlines.js';
import { conclude, type Invocation, settle, type Task } from './invocation.js';
import { watchLease } from './lease-watch.js';

/** Runs the task without a lock. The execution shows this by its fencing token, 0. */
export async function runUnguarded<T>(task: Task<T>, { order, policy, report }: Invocation): Promise<Executed<T>> {
  const { clock, store } = policy;
  const watch = watchLease(order.name, clock, { ends: runEnds(order, policy), shutdown: order.shutdown });
  const startedMs = clock.now();
  // The task and the outcome each get their own copy, so neither can change the copy of the other.
  const facts = () => ({
    name: order.name,
    ...defined({ tick: dateOf(order.tickMs) }),
    fencingToken: 0,
    lockedAt: dateOf(startedMs),
    missedTicks: [],
  });
  const execution: Execution = {
    ...facts(),
    isCatchUp: false,
    isManual: order.isManual === true,
    signal: watch.signal,
    lockUntil: dateOf(startedMs),
    recovering: false,
    ...defined({ attempt: order.attempt }),
    async extend() {
      throw unguarded(order.name);
    },
    assertHeld() {
      throw unguarded(order.name);
    },
  };
  const startedMono = clock.monotonic();
  report({ type: 'started', fencingToken: 0 });
  const settled = await settle(task, { execution, store, isHeld: () => false });
  watch.stop();
  const durationMs = Math.round(clock.monotonic() - startedMono);
  const value = conclude(settled, { durationMs, release: 'none' }, report);
  return { status: 'executed', ...facts(), value, caughtUp: [], release: 'none', durationMs };
}

function unguarded(name: string): LockLostError {
  return new LockLostError(name, 'it runs unguarded');
}

const OFF_SWITCH = 'SINGLE_EXECUTION_DISABLED';
/** Stores for which `isSwitchedOff` has written its one warning. */
const reported = new WeakSet<LockStore>();

/** Whether `SINGLE_EXECUTION_DISABLED` turns all locking off: `1` and `true` do, in upper or lower case. */
export function isLockingOff(): boolean {
  return /^(1|true)$/i.test(environmentVariable(OFF_SWITCH) ?? '');
}

/**
 * Like `isLockingOff`. Warns once for each store that locking is off, or that locking stays on because the value is
 * unknown.
 */
export function isSwitchedOff(store: LockStore): boolean {
  const value = environmentVariable(OFF_SWITCH) ?? '';
  if (/^(0|false)?$/i.test(value)) return false;
  const isOff = isLockingOff();
  if (!reported.has(store)) {
    warn(
      isOff
        ? `${OFF_SWITCH}=${value}: handlers run without a lock`
        : `${OFF_SWITCH} is ${describe(value)}, and locking stays on: set 1 or true to switch it off, 0 or false to keep it on`,
    );
  }
  reported.add(store);
  return isOff;
}
