import type { Signal } from '../values/clock.js';
import type { Duration } from '../values/duration.js';
import type { Previous } from './outcome.js';

/**
 * The second argument of a handler: facts of the lock that the run holds, and the means to find out that it is lost.
 */
export interface Execution {
  /** The lock. */
  readonly name: string;
  /** The scheduled time that this run is for; absent if the trigger carries none. */
  readonly tick?: Date;
  /** Whether `tick` is an older tick that `catchUp` runs. */
  readonly isCatchUp: boolean;
  /**
   * Greater than every earlier token of this name. Resources that you write to must refuse smaller ones. 0: unguarded.
   */
  readonly fencingToken: number;
  /**
   * Aborts with a `LockLostError` when this run has lost the lock, or with a `DeadlineError` shortly before the
   * platform ends the run, at `maxHold`, or when the process is asked to end. Reading `aborted`, `reason` or
   * `throwIfAborted` looks at the clocks; a timer fires the `abort` event, which is late in a process that was
   * suspended. A handler that stops early must throw `signal.reason`: if it returns, its tick counts as done.
   */
  readonly signal: Signal;
  /** When the lease began, from the record. */
  readonly lockedAt: Date;
  /** When the lease ends; moves with each extension. */
  readonly lockUntil: Date;
  /** The run before this one, if the store knows it. */
  readonly previous?: Previous;
  /**
   * The previous run crashed, or this tick failed before: look for unfinished work. Also true for each open tick that
   * is older than the newest one done; such a tick may have failed, crashed or never come.
   */
  readonly recovering: boolean;
  /**
   * With `schedule`: ticks that should have come since the last one and did not, the newest 100. Does not contain those
   * that this run catches up with.
   */
  readonly missedTicks: Date[];
  /** The platform's count of deliveries of this event, if it passes one. */
  readonly attempt?: number;
  /**
   * Holds the lock until now + `duration`. Never shortens the lease.
   *
   * @throws LockLostError when the lock is lost, when the run has ended, or when it runs unguarded
   * @throws LockStoreError when the store failed; the lock is held as long as before
   * @throws TypeError, RangeError for an invalid duration, or one that goes past `maxHold`
   */
  extend(duration: Duration): Promise<void>;
  /** Throws a `LockLostError` unless this run still holds the lock, judged by this host's clocks without a request. */
  assertHeld(): void;
}
