import type { Clock, Sent, Signal } from '../values/clock.js';

/**
 * The port that every store implements: four verbs. Each verb makes one conditional write; an acquire can need two
 * more, for a takeover and for a cancel.
 *
 * Promises: only a failed call rejects (with a `LockStoreError` or a `CorruptLockError`); contention is a value. The
 * store resolves an ambiguous answer (a lost response, a timeout): it recognises its own attempt, and cancels an
 * attempt that it cannot confirm. The store promises nothing about time except the values that it returns; the engine
 * sets the deadline.
 */
export interface LockStore {
  /**
   * Asks for the lock. Somebody else's lock is a {@link Refused}, not an error.
   *
   * @throws LockStoreError when the call failed
   * @throws CorruptLockError when the record is corrupt
   * @throws RunEndedError when the time to wait is over; nothing was sent
   */
  acquire(claim: Claim, call: StoreCall): Promise<AcquireResult>;
  /**
   * Moves the end of a lease to now + `leaseMs`; the lease never gets shorter.
   *
   * @throws LockStoreError when the call failed; the lease may have been extended or not
   */
  extend(
    lease: Lease,
    to: {
      /** How long the lease is to last from now on, in milliseconds. */
      readonly leaseMs: number;
    },
    call: StoreCall,
  ): Promise<ExtendResult>;
  /**
   * Records an open tick as done, and extends the lease, while the run goes on to the next tick. Only for `catchUp`.
   *
   * @throws LockStoreError when the call failed; the tick may be marked or not
   */
  mark(lease: Lease, done: DoneTick, call: StoreCall): Promise<MarkResult>;
  /**
   * Gives the lock back and records how the run ended.
   *
   * @throws LockStoreError when the call failed; the lease ends by itself
   */
  release(lease: Lease, completion: Completion, call: StoreCall): Promise<ReleaseResult>;
}

/** How long a call may take, and the only clock a store may read. */
export interface StoreCall {
  /** The caller's clocks and timers. */
  readonly clock: Clock;
  /** Aborts the call. A request that was already sent may still be applied. */
  readonly signal: Signal;
  /** After this many milliseconds without an answer, another try is sent beside the first. */
  readonly tryMs: number;
  /** Milliseconds for all tries and pauses together. At least one try is made. */
  readonly budgetMs: number;
  /** How far client clocks may be apart; used only if a response carries no server time. */
  readonly maxClockSkewMs: number;
  /** How an acquire or a release may wait before its time begins; absent for a call that must not wait. */
  readonly waiting?: Waiting | undefined;
}

/** How a call may wait for other calls of this process, if there are more than the store's client can send at once. */
export interface Waiting {
  /** The monotonic instant until which the call may wait. An acquire then rejects; a release is sent. */
  readonly untilMono: number;
  /** Ends the waiting when it aborts. */
  readonly signal?: Signal | undefined;
  /** The monotonic instant at which the platform ends the run. A call that has waited takes at most half of the rest. */
  readonly endMono?: number | undefined;
}

/** A request for a lock. One claim per logical acquire; its retries send the same claim. */
export interface Claim {
  /** The lock, without the prefix of the store. */
  readonly name: string;
  /**
   * Fresh random identity of this acquire; never a host name, never a request id. 23 characters, or up to 88 if an
   * observer adds the trace of the run. Its first letter is `n` for a run by hand, and `a` for any other run.
   */
  readonly attemptId: string;
  /** How long the lease is to last, in milliseconds. */
  readonly leaseMs: number;
  /** Who asks, for people. At most 128 UTF-8 bytes. */
  readonly lockedBy: string;
  /** The scheduled time that the run is for, in epoch milliseconds; absent for a run without a tick. */
  readonly tickMs?: number;
  /**
   * The text of the job's schedule, which the grant writes: at most 100 printable ASCII characters. A grant with a tick
   * and without this text removes the text in the record; a grant without a tick leaves that text.
   */
  readonly schedule?: string;
  /** Whether the grant itself marks the tick as done (`tickMark: 'start'`). */
  readonly markTickAtStart: boolean;
}

/**
 * A lock that a store has granted, and when the granting call was first sent. Readonly; an extension or a mark makes a
 * new lease.
 */
export interface Lease extends Sent {
  /** The lock, without the prefix of the store. */
  readonly name: string;
  /** The `attemptId` of the {@link Claim}. */
  readonly attemptId: string;
  /** The fencing token: greater than every earlier token of this name. A whole number. */
  readonly fencingToken: number;
  /** How long the grant was for, in milliseconds, without any extension. */
  readonly leaseMs: number;
  /** Start of the lease, from the record, in epoch milliseconds. */
  readonly lockedAtMs: number;
  /** End of the lease, from the record, in epoch milliseconds. */
  readonly lockUntilMs: number;
  /** The tick of the {@link Claim}, in epoch milliseconds. */
  readonly tickMs?: number;
  /**
   * The `lockUntil` of the lock that this grant took over, or when that lock was released, if its tick has passed a hold;
   * absent without a takeover. If it is shortly after the release, the release takes it as its time, so that the store
   * refuses late requests of earlier attempts.
   */
  readonly fenceMs?: number;
  /**
   * The highest tick done, in epoch milliseconds, before this grant or after its last mark. Never the tick that the grant
   * itself has marked: absent if the store recognised its own replayed attempt, which had marked its tick at the start.
   */
  readonly doneTickMs?: number;
  /** Listed ticks below the highest tick done that are not done themselves, in epoch milliseconds, ascending. */
  readonly openTicksMs?: readonly number[];
  /** Ticks whose run failed, and that are newer than the highest tick done, in epoch milliseconds. */
  readonly failedTicksMs?: readonly number[];
  /** Failed ticks that this grant dropped, because the list was full when it added the tick of a crashed run. */
  readonly droppedTicksMs?: readonly number[];
  /** The run before this one; absent if there was none, or if the store recognised its own replayed attempt. */
  readonly previous?: PreviousRun;
}

/** The answer to a claim that was granted. */
export interface Granted {
  /** Distinguishes a grant from a {@link Refused}. */
  readonly status: 'acquired';
  /** The granted lease. */
  readonly lease: Lease;
  /**
   * The monotonic instant until which the lease is valid by the server's clock; absent if the server's clock set the
   * lease itself, or if the answer carries no server time.
   */
  readonly capMono?: number;
  /** Bounds of this host's clock error; absent if the answer carries no server time. */
  readonly clock?: ClockBounds;
  /** Whether this host's clock judged a takeover, because the response carried no server time. */
  readonly clockUnverified?: boolean;
}

/** The answer to a claim that was not granted. */
export interface Refused {
  /** Distinguishes a refusal from a {@link Granted}. */
  readonly status: 'refused';
  /** Why the claim was refused. */
  readonly reason: RefusalReason;
  /** Who holds the lock or held it last, if the record says so. */
  readonly holder?: Holder;
  /** Bounds of this host's clock error; absent if the answer carries no server time. */
  readonly clock?: ClockBounds;
}

/** The result of a claim. */
export type AcquireResult = Granted | Refused;

/**
 * Why a claim was refused. `locked`: a run holds the lock; `lock-at-least-for`: the last run has ended, but its
 * `lockAtLeastFor` has not, and keeps out this claim (docs/protocol.md, "Hold"); `already-executed`: the tick is done; `stale-tick`: a newer tick is done, and this one is
 * not open; `paused`: an operator paused the lock.
 */
export type RefusalReason = 'locked' | 'lock-at-least-for' | 'already-executed' | 'stale-tick' | 'paused';

/** The result of an extension. */
export type ExtendResult =
  | ({
      /** The lease lasts at least as long as was asked. */
      readonly status: 'extended';
      /** The new end of the lease, from the record, in epoch milliseconds. */
      readonly lockUntilMs: number;
      /**
       * The monotonic instant until which the lease is valid by the server's clock; absent if the server's clock set
       * the lease itself, or if the answer carries no server time.
       */
      readonly capMono?: number;
    } & Sent)
  | {
      /**
       * This grant no longer has the lock: somebody else has it, or an operator ended the grant. Nothing was written.
       */
      readonly status: 'lost';
    };

/** An open tick that a run has caught up with. */
export interface DoneTick extends TickChanges {
  /** The tick, in epoch milliseconds. */
  readonly tickMs: number;
  /** How long the lease is to last from now on, in milliseconds; the lease never gets shorter. */
  readonly leaseMs: number;
}

/** The result of a mark. */
export type MarkResult =
  | ({
      /** The tick is recorded as done. */
      readonly status: 'marked';
      /** The lease, with the end and the ticks that the record now has. Use it for the next mark and the release. */
      readonly lease: Lease;
      /**
       * The monotonic instant until which the lease is valid by the server's clock; absent if the server's clock set
       * the lease itself, or if the answer carries no server time.
       */
      readonly capMono?: number;
    } & Sent)
  | {
      /**
       * This grant no longer has the lock: somebody else has it, or an operator ended the grant. Nothing was written.
       */
      readonly status: 'lost';
    };

/**
 * `lost`: this grant no longer has the lock; `unknown`: an earlier try may have been applied, and the record no longer
 * shows whether it was.
 */
export type ReleaseResult = 'released' | 'lost' | 'unknown';

/** How a run with `catchUp` changes the lists of ticks. */
export interface TickChanges {
  /** Listed ticks that will not run any more, in epoch milliseconds. */
  readonly givenUpTicksMs?: readonly number[];
  /** How many older ticks the record keeps as open. @default 8 */
  readonly keepTicks?: number;
}

/** How a run ended, as the release records it. */
export interface Completion extends TickChanges {
  /** Whether the task returned, or threw. */
  readonly result: 'succeeded' | 'failed';
  /** How long after the grant the lock is kept at least, in milliseconds. 0: free at once. */
  readonly lockAtLeastForMs: number;
  /** Whether to record the lease's tick as done. */
  readonly markTickDone: boolean;
  /** Whether to record the lease's tick as failed, so that it stays open when a newer tick is done. */
  readonly markTickFailed?: boolean;
  /**
   * Ticks after the highest tick done that were missed, in epoch milliseconds, ascending. They are open once the lease's
   * own tick is done.
   */
  readonly missedTicksMs?: readonly number[];
  /** The older tick whose run failed, if the run was catching up, in epoch milliseconds. */
  readonly failedTickMs?: number;
  /** How many ticks the run has caught up with, for the history. */
  readonly caughtUp?: number;
  /** The time from the grant to the end of the task, in milliseconds. */
  readonly durationMs: number;
  /** Name of the error of a failed run. */
  readonly error?: string;
}

/** The run that had the lock before. */
export interface PreviousRun {
  /** How the run ended. `crashed`: its lease ran out; `forced`: an operator ended it. */
  readonly status: 'succeeded' | 'failed' | 'crashed' | 'forced';
  /** The tick of the run, in epoch milliseconds. */
  readonly tickMs?: number;
  /** True for a run by hand. */
  readonly isManual?: true;
  /** Readable name of the holder. */
  readonly lockedBy: string;
  /** When the lease of the run began, in epoch milliseconds. */
  readonly lockedAtMs: number;
  /** The fencing token of the run. */
  readonly fencingToken: number;
}

/** The run that has the lock of a refused claim, or had it last. */
export interface Holder {
  /** The `attemptId` of the grant that holds the lock. Internal: never shown to callers. */
  readonly attemptId: string;
  /** Who holds the lock or held it last, for people. */
  readonly lockedBy: string;
  /** When the lease of the run began, in epoch milliseconds. */
  readonly lockedAtMs: number;
  /** When the lease or the `lockAtLeastFor` of the run ends, in epoch milliseconds. */
  readonly lockUntilMs: number;
  /** The fencing token of the run. */
  readonly fencingToken: number;
}

/** Bounds of (true time − this host's wall clock), in milliseconds. */
export interface ClockBounds {
  /** The lower bound; negative if this host's clock may be ahead. */
  readonly minMs: number;
  /** The upper bound. */
  readonly maxMs: number;
}
