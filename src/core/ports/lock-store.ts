import type { Clock } from '../values/clock.js';
import type { Sent } from '../values/sent.js';
import type { Signal } from '../values/signal.js';

/**
 * The port every store implements: four verbs, each ONE conditional write.
 *
 * Promises: only a failed call rejects (with a `LockStoreError` or a `CorruptLockError`); contention is a value. An
 * ambiguous answer (a lost response, a time-out) is the store's business: it recognises its own attempt and cancels
 * what it cannot confirm. Does not promise: anything about time beyond what it returns; the engine sets the deadline.
 */
export interface LockStore {
  acquire(claim: Claim, call: StoreCall): Promise<AcquireResult>;
  extend(lease: Lease, to: { readonly leaseMs: number }, call: StoreCall): Promise<ExtendResult>;
  /** Records that an open tick is done while its run goes on to the next, and extends the lease. Only for `catchUp`. */
  mark(lease: Lease, done: DoneTick, call: StoreCall): Promise<MarkResult>;
  release(lease: Lease, completion: Completion, call: StoreCall): Promise<ReleaseResult>;
}

/** How long a call may take, and the only clock a store may read. */
export interface StoreCall {
  readonly clock: Clock;
  /** Aborts the call; what it had sent stays ambiguous. */
  readonly signal: Signal;
  /** After so many milliseconds without an answer, another try is sent beside the first. */
  readonly tryMs: number;
  /** Milliseconds for all tries and pauses together. At least one try is made. */
  readonly budgetMs: number;
  /** How far client clocks may be apart; used only where a response carries no server time. */
  readonly maxClockSkewMs: number;
}

/** What is asked of a store. One claim per logical acquire, kept over its retries. */
export interface Claim {
  readonly name: string;
  /**
   * Fresh random identity of this acquire; never a host name, never a request id. 23 characters, or up to 88 where an
   * observer leaves the trace of a run in it.
   */
  readonly attemptId: string;
  readonly leaseMs: number;
  /** For people: who asks. At most 128 UTF-8 bytes. */
  readonly lockedBy: string;
  readonly tickMs?: number;
  /** Mark the tick as done by the grant itself (`tickMark: 'start'`). */
  readonly markTickAtStart: boolean;
}

/**
 * What a store has granted, and when the granting call was first sent.
 * Readonly; an extension or a mark makes a new one.
 */
export interface Lease extends Sent {
  readonly name: string;
  readonly attemptId: string;
  readonly fencingToken: number;
  readonly leaseMs: number;
  readonly lockedAtMs: number;
  readonly lockUntilMs: number;
  readonly tickMs?: number;
  /** The `lockUntil` that it took over from: its release keeps that fence against late requests of earlier attempts. */
  readonly fenceMs?: number;
  /** Highest tick done, as seen at the grant. */
  readonly doneTickMs?: number;
  /** Older ticks that are not done, and newer ones whose run failed, as the grant left them. Ascending. */
  readonly openTicksMs?: readonly number[];
  readonly failedTicksMs?: readonly number[];
  /** The run before this one; unknown after the store recognised its own replayed attempt. */
  readonly previous?: PreviousRun;
}

export interface Granted {
  readonly status: 'acquired';
  readonly lease: Lease;
  /** Monotonic instant up to which the server's clock vouches for the lease; absent where the store keeps the time. */
  readonly capMono?: number;
  readonly clock?: ClockBounds;
  /** A takeover was judged by this host's clock because the response carried no server time. */
  readonly clockUnverified?: boolean;
}

export interface Refused {
  readonly status: 'refused';
  readonly reason: RefusalReason;
  readonly holder?: Holder;
  readonly clock?: ClockBounds;
}

export type AcquireResult = Granted | Refused;

export type RefusalReason = 'locked' | 'lock-at-least-for' | 'already-executed' | 'stale-tick' | 'paused';

export type ExtendResult =
  | ({ readonly status: 'extended'; readonly lockUntilMs: number; readonly capMono?: number } & Sent)
  | { readonly status: 'lost' };

/** An open tick that a run has caught up with. */
export interface DoneTick extends TickChanges {
  readonly tickMs: number;
  /** How long the lease is to last from now on; it never gets shorter. */
  readonly leaseMs: number;
}

export type MarkResult =
  /** `lease`: with what the record now has as its end and its ticks. The next mark and the release are made from it. */
  | ({ readonly status: 'marked'; readonly lease: Lease; readonly capMono?: number } & Sent)
  | { readonly status: 'lost' };

/** `unknown`: an earlier try may have been applied, and the record no longer tells. */
export type ReleaseResult = 'released' | 'lost' | 'unknown';

/** What a run with `catchUp` changes of the lists of ticks, beside its verdict. */
export interface TickChanges {
  /** Listed ticks that are not to run any more. */
  readonly givenUpTicksMs?: readonly number[];
  /** How many older ticks the record keeps as open. @default 8 */
  readonly keepTicks?: number;
}

/** How a run ended, as the release records it. */
export interface Completion extends TickChanges {
  readonly result: 'succeeded' | 'failed';
  /** Hold at least this long after the grant. 0: free at once. */
  readonly lockAtLeastForMs: number;
  /** Record the lease's tick as done. */
  readonly markTickDone: boolean;
  /** Record the lease's tick as failed, so that it is still open when a newer one is done. */
  readonly markTickFailed?: boolean;
  /** Ascending: ticks after the last one done that never came. They are open once the lease's own is done. */
  readonly missedTicksMs?: readonly number[];
  /** The tick at which a run that was catching up has failed. */
  readonly failedTickMs?: number;
  /** How many ticks the run has caught up with, for the history. */
  readonly caughtUp?: number;
  readonly durationMs: number;
  /** Name of the error of a failed run. */
  readonly error?: string;
}

export interface PreviousRun {
  readonly status: 'succeeded' | 'failed' | 'crashed' | 'forced';
  readonly tickMs?: number;
  readonly lockedBy: string;
  readonly lockedAtMs: number;
  readonly fencingToken: number;
}

export interface Holder {
  /** The grant that holds the lock. Internal: where a holder is shown, this is left out. */
  readonly attemptId: string;
  readonly lockedBy: string;
  readonly lockedAtMs: number;
  readonly lockUntilMs: number;
  readonly fencingToken: number;
}

/** Bounds of (true time − this host's wall clock), in milliseconds. */
export interface ClockBounds {
  readonly minMs: number;
  readonly maxMs: number;
}
