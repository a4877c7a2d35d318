import type { Duration } from '../values/duration.js';
import type { Signal } from '../values/signal.js';
import type { Previous } from './outcome.js';

/** What a run is given beside its event: facts of the lock it holds, and the means to find out that it is lost. */
export interface Execution {
  /** The lock. */
  readonly name: string;
  /** The scheduled time that this run is for; absent where the trigger carries none. */
  readonly tick?: Date;
  /** Whether that tick is before the call's own one, and run by `catchUp`. */
  readonly isCatchUp: boolean;
  /** Greater than every earlier token of this name. What you write to must refuse a smaller one. 0 when unguarded. */
  readonly fencingToken: number;
  /**
   * Aborts with a `LockLostError` when the lock is not this run's any more, or with a `DeadlineError` shortly before
   * the platform ends the run, at `maxHold`, or when the process is told to end. Reading `aborted`, `reason` or
   * `throwIfAborted` looks at the clocks; the `abort` event comes by a timer, which is late in a process that stood
   * still. A handler that stops early must throw `signal.reason`: if it returns, its tick counts as done.
   */
  readonly signal: Signal;
  /** When the lease began, as the record has it. */
  readonly lockedAt: Date;
  /** Until when the record keeps others out; moves with each extension. */
  readonly lockUntil: Date;
  /** The run before this one, where the store knows it. */
  readonly previous?: Previous;
  /**
   * The run before crashed, or this very tick failed before: look for work left half done. Also for each open tick that
   * is older than the newest one done; such a tick may have failed, crashed or never come.
   */
  readonly recovering: boolean;
  /**
   * With `schedule`: ticks that should have come since the last one and did not, the newest 100. Those that this run
   * catches up with are left out.
   */
  readonly missedTicks: Date[];
  /** The platform's count of deliveries of this event, if it passes one. */
  readonly attempt?: number;
  /**
   * Holds the lock until now + `duration`, or as long as it is held already if that is longer.
   *
   * @throws LockLostError when the lock is lost, when the run has ended, or when it runs unguarded
   * @throws LockStoreError when the store failed; the lock is held as long as before
   * @throws TypeError, RangeError for a duration that cannot be, or that goes past `maxHold`
   */
  extend(duration: Duration): Promise<void>;
  /** Throws a `LockLostError` unless this run still holds the lock, judged by this host's clocks without a request. */
  assertHeld(): void;
}
