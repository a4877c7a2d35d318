import type { SkipReason } from 'single-execution';

/*
 * What happened to one lock, as lists of facts. The simulation, the soak and the demo each write such a history, and
 * `invariants.ts` checks it against the promises. Instants are milliseconds on a clock that all reporters share. Each
 * list is in the order in which its facts are known to have happened.
 */
export interface History {
  /** When a tick is done: when its run has succeeded, or as soon as it is granted. */
  readonly tickMark: 'success' | 'start';
  /**
   * Whether a tick that was never granted can be open although a newer tick is done. A schedule or an operator can
   * cause that.
   */
  readonly neverCameIsOpen: boolean;
  /** How much later than its event an instant may have been read. */
  readonly readingMs: number;
  readonly grants: readonly Grant[];
  readonly runs: readonly Run[];
  readonly writes: readonly Write[];
  readonly skips: readonly Skip[];
  readonly standstills: readonly Standstill[];
  readonly openings: readonly Opening[];
}

/** The two instants between which something happened. Both are the same if it was seen as it happened. */
export type Between = readonly [fromMs: number, toMs: number];

/** The attempt to which a fact belongs. */
export interface OfAttempt {
  readonly attempt: string;
  readonly host: string;
  readonly tick?: number | undefined;
}

/** An attempt was granted the lock. */
export interface Grant extends OfAttempt {
  readonly at: Between;
  /** Absent if it is not known whether there was a grant. */
  readonly token?: number;
  /** Until when the `lockAtLeastFor` of the previous run keeps out this call. Absent if it does not. */
  readonly notBeforeMs?: number | undefined;
}

/** A handler was at work, or a leader in its term. */
export interface Run extends OfAttempt {
  readonly token: number;
  /** The handler began between its grant and the instant at which it reported that. */
  readonly began: Between;
  /** When it returned, threw, or died with its host. */
  readonly ended: Between;
  readonly end: 'returned' | 'threw' | 'died';
  /** Whether its success is on record, and its caller knows that. */
  readonly isRecorded: boolean;
  /** When its last lease was over at the latest. Absent if that is not known. */
  readonly leaseEndsMs?: number | undefined;
  /** When its signal aborted because its lock was lost. */
  readonly returnedMs?: number | undefined;
  /**
   * From when on it may work beside another run: it ignores its aborted signal, or an operator ended its grant by
   * force.
   */
  readonly mayOverlapFromMs?: number | undefined;
}

/**
 * A handler wrote to a resource that compares tokens. If `hasAsked`, it asked its signal at the first instant of `at`.
 */
export interface Write extends OfAttempt {
  readonly token: number;
  readonly at: Between;
  readonly hasAsked: boolean;
  readonly isAccepted: boolean;
}

/** An attempt was told that it need not or cannot run. It asked at the first instant of `at`. */
export interface Skip extends OfAttempt {
  readonly at: Between;
  readonly reason: SkipReason;
  /** Whether the `lockAtLeastFor` of the previous run does not keep out this call. */
  readonly passesHold?: boolean;
  /** From when on the grant that caused this skip can refuse nobody. Negative infinity if no such grant is possible. */
  readonly grantOverMs: number;
}

/** No timer fired on a host, so its handlers could not be told to stop. */
export interface Standstill {
  readonly host: string;
  readonly fromMs: number;
  readonly toMs: number;
}

/** An operator has let a tick run again that may be done. Without `tick`, all ticks. */
export interface Opening {
  readonly tick?: number;
  readonly atMs: number;
}

/** Judges writes in their order, as a resource should that compares tokens. @returns whether a write is accepted */
export function tokenJudge(): (token: number) => boolean {
  let highest = 0;
  return (token) => {
    const isAccepted = token >= highest;
    highest = Math.max(highest, token);
    return isAccepted;
  };
}
