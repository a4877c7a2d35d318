import type { Holder, PreviousRun, RefusalReason } from '../ports/lock-store.js';
import { defined } from '../values/defined.js';
import { dateOf } from '../values/tick.js';

/** What became of a call: the task ran, or was skipped and the reason why. A failed task or store rejects instead. */
export type Outcome<T> = Executed<T> | Skipped;

/** A run that took place, and what became of its lock. */
export interface Executed<T> {
  /** Tells it from {@link Skipped}. */
  readonly status: 'executed';
  /** The lock. */
  readonly name: string;
  /** What the task returned. */
  readonly value: T;
  /** Greater than every earlier token of this name; 0 when the run was unguarded. */
  readonly fencingToken: number;
  /** The scheduled time that it was for; absent for a run without a tick. */
  readonly tick?: Date;
  /** What became of the release. The task's value counts either way. */
  readonly release: ReleaseStatus;
  /** When the lease began, as the record has it. */
  readonly lockedAt: Date;
  /** From the grant to the end of the task, in milliseconds; with ticks that it caught up with. */
  readonly durationMs: number;
  /** The run before this one, where the store knows it. */
  readonly previous?: Previous;
  /** Ticks that should have come since the last one, did not, and are not caught up with. */
  readonly missedTicks: Date[];
  /** With `catchUp`: ticks before its own that this call has run and marked as done, oldest first. */
  readonly caughtUp: CaughtUp[];
  /** True time minus this host's wall clock, where the store found it further off than `maxClockSkew`. */
  readonly clockSkewMs?: number;
}

/** A tick that a later call has run. */
export interface CaughtUp {
  /** Its scheduled time. */
  readonly tick: Date;
  /** How long the task ran for it, in milliseconds. */
  readonly durationMs: number;
}

/** `none`: nothing to release, because the run was unguarded or nested in a run that holds the lock. */
export type ReleaseStatus = 'released' | 'lost' | 'unknown' | 'none';

/** The run that held the lock before this one. */
export interface Previous {
  /** How it ended. `crashed`: its lease ran out; `forced`: an operator ended it. */
  readonly status: 'succeeded' | 'failed' | 'crashed' | 'forced';
  /** The scheduled time that it was for. */
  readonly tick?: Date;
  /** Who it was: function and request, or process and host. */
  readonly lockedBy: string;
  /** When its lease began. */
  readonly lockedAt: Date;
  /** Its fencing token. */
  readonly fencingToken: number;
}

/**
 * Why nothing ran. `store-unavailable` comes with `onStoreError: 'skip'` only; the others are as {@link
 * RefusalReason} says.
 */
export type SkipReason = RefusalReason | 'store-unavailable';

const SKIPS: Readonly<Record<SkipReason, SkipFacts>> = {
  locked: { words: 'locked', isHeld: true },
  'lock-at-least-for': { words: 'kept for lockAtLeastFor', isHeld: true },
  'already-executed': { words: 'this tick is done', isDone: true },
  'stale-tick': { words: 'a newer tick is done', isDone: true, level: 'warn' },
  paused: { words: 'an operator paused it' },
  'store-unavailable': { words: 'the store is out of reach' },
};

interface SkipFacts {
  readonly words: string;
  /** It passes when another run is over. */
  readonly isHeld?: true;
  /** It leaves nothing to be done; after other skips a tick is left that nobody did. */
  readonly isDone?: true;
  /** @default 'info' */
  readonly level?: 'warn';
}

/** What follows from a reason, for a call that waits, for the log and for alarms. */
export function factsOfSkip(reason: SkipReason): SkipFacts {
  // A store of one's own may give a reason that nobody knows.
  return Object.hasOwn(SKIPS, reason) ? SKIPS[reason] : { words: reason };
}

/** Why nothing ran. Plain JSON, because it is what a function returns to its platform; instants are ISO strings. */
export interface Skipped {
  /** Tells it from {@link Executed}. */
  readonly status: 'skipped';
  /** The lock. */
  readonly name: string;
  /** Why nothing ran. */
  readonly reason: SkipReason;
  /** The scheduled time of the call, as an ISO string. */
  readonly tick?: string;
  /** Who has the lock or had it last, where the record tells. */
  readonly holder?: SkippedHolder;
}

/** The run that a skipped call met. */
export interface SkippedHolder {
  /** Who it is: function and request, or process and host. */
  readonly lockedBy: string;
  /** When its lease began, as an ISO string. */
  readonly lockedAt: string;
  /** When its lease or its `lockAtLeastFor` ends, as an ISO string. */
  readonly lockUntil: string;
  /** Its fencing token. */
  readonly fencingToken: number;
}

/**
 * Whether a value is a {@link Skipped}, to tell it from a handler's own result.
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

/** A store's milliseconds as the public face shows them. */
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
