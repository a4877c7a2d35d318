import type { Clock } from '../values/clock.js';
import type { Sent } from '../values/sent.js';
import type { Signal } from '../values/signal.js';

/**
 * The port every store implements: three verbs, each ONE conditional write.
 *
 * Promises: only a failed call rejects (with a `LockStoreError` or a `CorruptLockError`); contention is a value. An
 * ambiguous answer (a lost response, a time-out) is the store's business: it recognises its own attempt and cancels
 * what it cannot confirm. Does not promise: anything about time beyond what it returns; the engine sets the deadline.
 */
export interface LockStore {
  acquire(claim: Claim, call: StoreCall): Promise<AcquireResult>;
  extend(lease: Lease, to: { readonly leaseMs: number }, call: StoreCall): Promise<ExtendResult>;
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
  /** Fresh random identity of this acquire; never a host name, never a request id. */
  readonly attemptId: string;
  readonly leaseMs: number;
  /** For people: who asks. At most 128 UTF-8 bytes. */
  readonly lockedBy: string;
  readonly tickMs?: number;
  /** Mark the tick as done by the grant itself (`tickMark: 'start'`). */
  readonly markTickAtStart: boolean;
}

/** What a store has granted, and when the granting call was first sent. Readonly; an extension makes a new one. */
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

/** `unknown`: an earlier try may have been applied, and the record no longer tells. */
export type ReleaseResult = 'released' | 'lost' | 'unknown';

/** How a run ended, as the release records it. */
export interface Completion {
  readonly result: 'succeeded' | 'failed';
  /** Hold at least this long after the grant. 0: free at once. */
  readonly lockAtLeastForMs: number;
  /** Record the lease's tick as done. */
  readonly markTickDone: boolean;
  /** Record the lease's tick as failed, so that it is still open when a newer one is done. */
  readonly markTickFailed?: boolean;
  /** Ticks between the last one done and the lease's that never came: they are open once this one is done. */
  readonly missedTicksMs?: readonly number[];
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
