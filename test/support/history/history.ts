import type { SkipReason } from 'single-execution';

/*
 * What happened to one lock, by kind of fact. The simulation writes it from its world, the soak from what its workers
 * have reported, the demo from what its hosts have said; `invariants.ts` holds it against what is promised. Instants are
 * milliseconds on a clock that all who report share. A list is in the order in which its facts are known to have come.
 */
export interface History {
  /** When a tick is done: once its run has succeeded, or as soon as it is granted. */
  readonly tickMark: 'success' | 'start';
  /** Whether a tick that nobody was granted can be open although a newer one is done: a schedule or operators tell so. */
  readonly neverCameIsOpen: boolean;
  /** How much later than it came an instant may have been read. */
  readonly readingMs: number;
  readonly grants: readonly Grant[];
  readonly runs: readonly Run[];
  readonly writes: readonly Write[];
  readonly skips: readonly Skip[];
  readonly standstills: readonly Standstill[];
  readonly openings: readonly Opening[];
}

/** Between which two instants something happened: the same one twice where it was seen as it happened. */
export type Between = readonly [fromMs: number, toMs: number];

/** One try to take the lock, of which a fact tells. */
export interface OfAttempt {
  readonly attempt: string;
  readonly host: string;
  readonly tick?: number | undefined;
}

/** An attempt was granted the lock. */
export interface Grant extends OfAttempt {
  readonly at: Between;
  /** Absent where it is not known whether there was a grant. */
  readonly token?: number;
  /** Until when the `lockAtLeastFor` of the run before keeps all others out. */
  readonly notBeforeMs?: number | undefined;
}

/** A handler was at work, or a leader in its term. */
export interface Run extends OfAttempt {
  readonly token: number;
  /** Between its grant and the moment at which it said so. */
  readonly began: Between;
  /** When it returned or threw, or died with its host. */
  readonly ended: Between;
  readonly end: 'returned' | 'threw' | 'died';
  /** Its success is on record, as its caller was told. */
  readonly isRecorded: boolean;
  /** When its last lease was over at the latest; absent where that is not known. */
  readonly leaseEndsMs?: number | undefined;
  /** When its signal has aborted because its lock was lost. */
  readonly toldMs?: number | undefined;
  /** From when on it may work beside others: it ignores its signal, which has aborted, or was ended by force. */
  readonly mayOverlapFromMs?: number | undefined;
}

/** A handler wrote to a resource that compares tokens. It asked its signal at the first of the instants, or never. */
export interface Write extends OfAttempt {
  readonly token: number;
  readonly at: Between;
  readonly hasAsked: boolean;
  readonly isAccepted: boolean;
}

/** An attempt was told that it need not or cannot run; it asked at the first of the instants. */
export interface Skip extends OfAttempt {
  readonly at: Between;
  readonly reason: SkipReason;
  /** From when on the grant that it was refused for refuses nobody; always, where there can be no such grant. */
  readonly grantOverMs: number;
}

/** No timer fired on a host, so that its handlers could not be told to stop. */
export interface Standstill {
  readonly host: string;
  readonly fromMs: number;
  readonly toMs: number;
}

/** An operator has let a tick run again that may be done, or all ticks. */
export interface Opening {
  readonly tick?: number;
  readonly atMs: number;
}

/** A judge of writes in their order, as any resource should be that compares tokens. @returns whether a write counts */
export function tokenJudge(): (token: number) => boolean {
  let highest = 0;
  return (token) => {
    const isAccepted = token >= highest;
    highest = Math.max(highest, token);
    return isAccepted;
  };
}
