import { logAndMetrics } from '../observers/default-observers.js';
import { requiredLeaseMs } from '../options/lease.js';
import { type LockOptions, resolvePolicy } from '../options/policy.js';
import type { Outcome } from '../public/outcome.js';
import { run } from '../run/engine.js';
import type { Task } from '../run/invocation.js';
import { checkMethods, describe, namesOf } from '../values/checks.js';
import type { Signal } from '../values/clock.js';
import { defined } from '../values/defined.js';
import { thisProcess } from '../values/environment.js';
import { checkLockName } from '../values/names.js';
import { checkTick, msOf } from '../values/tick.js';
import { warnOfStrayTick } from './trigger.js';

/** Options of `executeWithLock`. `lockAtMostFor` is required unless `keepAlive` is set. */
export interface ExecuteOptions extends LockOptions {
  /** The lock. 1 to 128 UTF-8 bytes with the store's prefix, Unicode form NFC, no control characters. */
  readonly name: string;
  /** The scheduled time of this run: a tick that is done does not run again. Epoch milliseconds if a number. */
  readonly tick?: Date | number;
  /**
   * Whether this is a run by hand: it needs no `tick`, and it changes nothing for the ticks of the schedule. Without a
   * `tick` only.
   *
   * @default false
   */
  readonly isManual?: boolean;
  /** When the platform ends the run; the signal aborts shortly before. Epoch milliseconds if a number. */
  readonly deadline?: Date | number;
  /**
   * Ends the run, or the wait for its lock. When it aborts, `execution.signal` aborts with a `RunEndedError` whose
   * `code` is `'SHUTDOWN'`. A call that has not begun its task rejects with that error, unless the call is skipped or
   * its store fails first. A call inside a run of the same lock ignores this signal.
   */
  readonly signal?: Signal;
  /** Names the holder for people who look at the lock; cut to 128 bytes. @default this process and its host */
  readonly lockedBy?: string;
}

const OWN_OPTIONS = namesOf<Omit<ExecuteOptions, keyof LockOptions>>({
  name: true,
  tick: true,
  isManual: true,
  deadline: true,
  signal: true,
  lockedBy: true,
});

/**
 * Runs any function under a lock. `lockAtMostFor` is required unless `keepAlive` is set.
 *
 * @example
 * ```ts
 * import { executeWithLock } from 'single-execution';
 * import { memoryStore } from 'single-execution/memory';
 *
 * const outcome = await executeWithLock(async ({ fencingToken }) => `wrote with ${fencingToken}`, {
 *   name: 'import-prices',
 *   store: memoryStore(),
 *   lockAtMostFor: '5m',
 *   tick: new Date('2026-01-01T02:00:00Z'),
 * });
 * console.log(outcome.status === 'executed' ? outcome.value : outcome.reason);
 * ```
 *
 * @returns the outcome: executed with the task's value, or skipped with the reason
 * @throws the task's own error, by identity
 * @throws RunEndedError when `signal` aborts before the task has begun; when the deadline comes while the call waits
 *   for its turn to ask the store; with `catchUp`, when too many ticks wait
 * @throws LockStoreError when the store failed, unless `onStoreError` says otherwise
 * @throws CorruptLockError when the stored record is corrupt
 * @throws TypeError, RangeError for invalid options
 */
export async function executeWithLock<T>(task: Task<T>, options: ExecuteOptions): Promise<Outcome<T>> {
  if (typeof task !== 'function') throw new TypeError(`task is ${describe(task)}: pass a function`);
  const policy = resolvePolicy(options, OWN_OPTIONS, logAndMetrics);
  const { clock } = policy;
  const leaseMs = requiredLeaseMs(policy);
  const name = checkLockName(options.name);
  const named = instant(options.tick, 'tick');
  const tickMs = named === undefined ? undefined : checkTick(named, clock.now());
  const isManual = readManual(options);
  const deadlineMs = instant(options.deadline, 'deadline');
  if (policy.gracePeriodMs !== undefined && deadlineMs === undefined) {
    throw new TypeError('gracePeriod does nothing without deadline: set both, or leave gracePeriod out');
  }
  const { signal, lockedBy = thisProcess() } = options;
  if (signal !== undefined) checkMethods('signal', signal, ['addEventListener'], 'pass an AbortSignal');
  if (typeof lockedBy !== 'string') throw new TypeError(`lockedBy is ${describe(lockedBy)}: pass a string`);
  const { schedule } = policy;
  if (tickMs !== undefined && schedule) warnOfStrayTick(name, tickMs, policy, schedule);
  return run(
    task,
    {
      name,
      lockedBy,
      leaseMs,
      ...defined({
        shutdown: signal,
        tickMs,
        isManual,
        deadlineMono: deadlineMs === undefined ? undefined : clock.monotonic() + (deadlineMs - clock.now()),
      }),
    },
    policy,
  );
}

/** @throws TypeError for a value that is not a boolean, and for a run by hand that has a tick */
function readManual({ isManual, tick }: ExecuteOptions): true | undefined {
  if (isManual === undefined || isManual === false) return undefined;
  if (isManual !== true) throw new TypeError(`isManual is ${describe(isManual)}: pass true or false`);
  if (tick === undefined) return true;
  throw new TypeError('isManual is true, but a run by hand has no tick: leave one of tick and isManual out');
}

function instant(value: Date | number | undefined, option: string): number | undefined {
  if (value === undefined) return undefined;
  const ms = msOf(value);
  if (typeof ms !== 'number') {
    throw new TypeError(`${option} is ${describe(value)}: pass a Date, or epoch milliseconds, or leave it out`);
  }
  if (!Number.isFinite(ms)) {
    throw new RangeError(`${option} is ${describe(value)}: pass a Date, or epoch milliseconds, or leave it out`);
  }
  return ms;
}
