import type { Holder, PreviousRun, RefusalReason } from '../ports/lock-store.js';
import { defined } from '../values/defined.js';
import { dateOf } from '../values/tick.js';

/** The result of a call: the task ran, or was skipped for a reason. A failed task or store rejects instead. */
export type Outcome<T> = Executed<T> | Skipped;

/** A run that took place, and the result of its release. */
export interface Executed<T> {
  /** Distinguishes an executed run from a {@link Skipped}. */
  readonly status: 'executed';
  /** The lock. */
  readonly name: string;
  /** The result of the task. */
  readonly value: T;
  /** The fencing token: greater than every earlier token of this name; 0 when the run was unguarded (without a lock). */
  readonly fencingToken: number;
  /** The scheduled time of the run; absent if the run has no tick. */
  readonly tick?: Date;
  /** The result of the release. The task's value is valid in any case. */
  readonly release: ReleaseStatus;
  /** When the lease began, from the record. */
  readonly lockedAt: Date;
  /** The time from the grant to the end of the task, in milliseconds, including its calls for older ticks. */
  readonly durationMs: number;
  /** The run before this one, if the store knows it. */
  readonly previous?: Previous;
  /** Ticks that should have come since the last tick and did not, without the ticks that this call caught up with. */
  readonly missedTicks: Date[];
  /** With `catchUp`: older ticks that this call has run and marked as done, oldest first. */
  readonly caughtUp: CaughtUp[];
  /**
   * True time minus this host's wall clock, if the store found that this clock is wrong by more than `maxClockSkew`.
   */
  readonly clockSkewMs?: number;
}

/** A tick that a later call has run. */
export interface CaughtUp {
  /** The scheduled time of the tick. */
  readonly tick: Date;
  /** How long the task ran for the tick, in milliseconds. */
  readonly durationMs: number;
}

/**
 * `lost`: the run no longer had the lock; `unknown`: the store failed, or gave no clear answer; `none`: nothing to
 * release, because the run was unguarded or nested in a run that holds the lock.
 */
export type ReleaseStatus = 'released' | 'lost' | 'unknown' | 'none';

/** The run that held the lock before this one. */
export interface Previous {
  /** How the run ended. `crashed`: its lease ran out; `forced`: an operator ended it. */
  readonly status: 'succeeded' | 'failed' | 'crashed' | 'forced';
  /** The scheduled time of that run. */
  readonly tick?: Date;
  /** The holder: function and request, or process and host. */
  readonly lockedBy: string;
  /** When the lease of the run began. */
  readonly lockedAt: Date;
  /** The fencing token of the run. */
  readonly fencingToken: number;
}

/**
 * Why nothing ran:
 *
 * - `locked`: another run has the lock.
 * - `lock-at-least-for`: the last run is over, and its `lockAtLeastFor` is not.
 * - `already-executed`: this tick is done.
 * - `stale-tick`: a newer tick is done, and this one is not listed as open.
 * - `paused`: an operator has paused the lock.
 * - `store-unavailable`: the store is out of reach; only with `onStoreError: 'skip'`.
 * - `off-schedule`: the tick is not one of `schedule`; only with `offSchedule: 'skip'`.
 */
export type SkipReason = RefusalReason | 'store-unavailable' | 'off-schedule';

const SKIPS: Readonly<Record<SkipReason, SkipFacts>> = {
  locked: { words: 'locked', isHeld: true },
  'lock-at-least-for': { words: 'kept for lockAtLeastFor', isHeld: true },
  'already-executed': { words: 'this tick is done', isSettled: true },
  'stale-tick': { words: 'a newer tick is done', isSettled: true, level: 'warn' },
  paused: { words: 'an operator paused it' },
  'store-unavailable': { words: 'the store is out of reach' },
  'off-schedule': { words: 'the schedule has no such tick', isSettled: true },
};

interface SkipFacts {
  readonly words: string;
  /** Whether the lock is held, or kept for `lockAtLeastFor`: waiting may help. */
  readonly isHeld?: true;
  /** Whether nothing is left to do for the tick. After any other skip, the tick may still have to run. */
  readonly isSettled?: true;
  /** The level of the skip in the log. @default 'info' */
  readonly level?: 'warn';
}

/** Returns what follows from the reason of a skip: for a call that waits, for the log, and for alarms. */
export function factsOfSkip(reason: SkipReason): SkipFacts {
  // A caller's own store may give an unknown reason.
  return Object.hasOwn(SKIPS, reason) ? SKIPS[reason] : { words: reason };
}

/** Why nothing ran. Plain JSON, because a function returns it to its platform; instants are ISO strings. */
export interface Skipped {
  /** Distinguishes a skip from an {@link Executed}. */
  readonly status: 'skipped';
  /** The lock. */
  readonly name: string;
  /**
   * Why nothing ran: `locked`, `lock-at-least-for`, `already-executed`, `stale-tick`, `paused`, `store-unavailable` or
   * `off-schedule`.
   */
  readonly reason: SkipReason;
  /** The scheduled time of the call, as an ISO string. */
  readonly tick?: string;
  /** Who has the lock or had it last, if the record says so. */
  readonly holder?: SkippedHolder;
}

/** The run that has the lock, or had it last. */
export interface SkippedHolder {
  /** The holder: function and request, or process and host. */
  readonly lockedBy: string;
  /** When the lease of the holder began, as an ISO string. */
  readonly lockedAt: string;
  /** When the lease or the `lockAtLeastFor` of the holder ends, as an ISO string. */
  readonly lockUntil: string;
  /** The fencing token of the holder. */
  readonly fencingToken: number;
}

/**
 * Whether a value is a {@link Skipped}, and not a handler's own result.
 *
 * @example
 * ```ts
 * import { isSkipped } from 'single-execution';
 *
 * export function report(result: unknown) {
 *   if (isSkipped(result)) console.log(`skipped: ${result.reason}, held by ${result.holder?.lockedBy}`);
 * }
 * ```
 */
export function isSkipped(value: unknown): value is Skipped {
  return (
    typeof value === 'object' &&
    value !== null &&
    (value as Partial<Skipped>).status === 'skipped' &&
    typeof (value as Partial<Skipped>).name === 'string' &&
    Object.hasOwn(SKIPS, String((value as Partial<Skipped>).reason))
  );
}

/** Converts a store's previous run for callers: instants become Dates. */
export function publicPrevious(run: PreviousRun): Previous {
  return {
    status: run.status,
    ...defined({ tick: dateOf(run.tickMs) }),
    lockedBy: run.lockedBy,
    lockedAt: new Date(run.lockedAtMs),
    fencingToken: run.fencingToken,
  };
}

export function publicHolder(holder: Holder): SkippedHolder {
  return {
    lockedBy: holder.lockedBy,
    lockedAt: new Date(holder.lockedAtMs).toISOString(),
    lockUntil: new Date(holder.lockUntilMs).toISOString(),
    fencingToken: holder.fencingToken,
  };
}
