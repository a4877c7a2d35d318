import type { Holder, PreviousRun, RefusalReason } from '../ports/lock-store.js';
import { dateOf } from '../values/date-of.js';
import { defined } from '../values/defined.js';

/** What became of a call: the task ran, or was skipped and the reason why. A failed task or store rejects instead. */
export type Outcome<T> = Executed<T> | Skipped;

export interface Executed<T> {
  readonly status: 'executed';
  readonly name: string;
  /** What the task returned. */
  readonly value: T;
  /** Greater than every earlier token of this name; 0 when the run was unguarded. */
  readonly fencingToken: number;
  readonly tick?: Date;
  readonly release: ReleaseStatus;
  readonly lockedAt: Date;
  readonly durationMs: number;
  readonly previous?: Previous;
  /** Ticks that should have come since the last one, did not, and are not caught up with. */
  readonly missedTicks: Date[];
  /** With `catchUp`: ticks before its own that this call has run and marked as done, oldest first. */
  readonly caughtUp: CaughtUp[];
  /** True time minus this host's wall clock, where the store found it further off than `maxClockSkew`. */
  readonly clockSkewMs?: number;
}

export interface CaughtUp {
  readonly tick: Date;
  readonly durationMs: number;
}

/** `none`: nothing to release, because the run was unguarded or nested in a run that holds the lock. */
export type ReleaseStatus = 'released' | 'lost' | 'unknown' | 'none';

/** The run that held the lock before this one. */
export interface Previous {
  readonly status: 'succeeded' | 'failed' | 'crashed' | 'forced';
  readonly tick?: Date;
  readonly lockedBy: string;
  readonly lockedAt: Date;
  readonly fencingToken: number;
}

export type SkipReason = RefusalReason | 'store-unavailable';

/** Reasons of a skip that pass when another run is over. */
export const HELD_REASONS: readonly string[] = ['locked', 'lock-at-least-for'];

/** Why nothing ran. Plain JSON, because it is what a function returns to its platform; instants are ISO strings. */
export interface Skipped {
  readonly status: 'skipped';
  readonly name: string;
  readonly reason: SkipReason;
  readonly tick?: string;
  readonly holder?: SkippedHolder;
}

export interface SkippedHolder {
  readonly lockedBy: string;
  readonly lockedAt: string;
  readonly lockUntil: string;
  readonly fencingToken: number;
}

/** Whether a value is a {@link Skipped}, to tell it from a handler's own result. */
export function isSkipped(value: unknown): value is Skipped {
  return (
    typeof value === 'object' &&
    value !== null &&
    (value as Partial<Skipped>).status === 'skipped' &&
    typeof (value as Partial<Skipped>).name === 'string' &&
    SKIP_REASONS.has((value as Partial<Skipped>).reason as string)
  );
}

const SKIP_REASONS: ReadonlySet<string> = new Set<SkipReason>([
  'locked',
  'lock-at-least-for',
  'already-executed',
  'stale-tick',
  'paused',
  'store-unavailable',
]);

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
