/*
 * What happened in an evening, as the outside saw it: the platform that delivered the ticks, the network that carried
 * the handlers' work, the operator. Instants are milliseconds since the demo was started.
 */

export interface History {
  readonly invocations: Invocation[];
  /** Names of the situations that were played. */
  readonly situations: string[];
  /** Invocations the answer to whose acquire was lost. */
  readonly lostAnswers: number[];
  /** Ticks that the schedule sent no event for. */
  readonly leftOut: { readonly job: string; readonly tickMs: number }[];
  readonly pauses: { readonly job: string; readonly fromMs: number; readonly toMs: number }[];
  /** Runs that were killed at work, and what became known of them once a successor had run. */
  readonly crashes: {
    readonly job: string;
    readonly token: number;
    readonly recorded: boolean;
    readonly told: boolean;
  }[];
  /** What handlers were to write, and what there is in the table at the end. */
  readonly facts: { readonly subject: string; readonly expected: string; readonly found: string }[];
}

/** Of an evening that has not begun. */
export const newHistory = (): History => ({
  invocations: [],
  situations: [],
  lostAnswers: [],
  leftOut: [],
  pauses: [],
  crashes: [],
  facts: [],
});

/** One delivery of an event to a worker, and how it ended. */
export interface Invocation {
  readonly id: number;
  readonly job: string;
  /** Whether a tick is done when it succeeded, or once it started. */
  readonly tickMark: 'success' | 'start';
  /** Absent when somebody started it by hand. */
  readonly tickMs?: number;
  /** A retry by the platform has that of the first try, as on Lambda. */
  readonly requestId: string;
  readonly retryOf?: number;
  readonly fromMs: number;
  readonly toMs: number;
  /** The instant at which its lock must be over if it dies. */
  readonly lockOverMs: number;
  readonly ending: 'ran' | 'failed' | 'killed' | `skipped ${string}`;
  readonly error?: string;
  /** Whom it was skipped for. */
  readonly lockedBy?: string;
  /** Whether the library has told it that the run before crashed. */
  readonly isToldOfCrash?: boolean;
  /** Absent when its handler did nothing. */
  readonly work?: Work;
}

/** What a handler did to the world, as the network saw it. Nothing of it comes from the library. */
export interface Work {
  /** First and last sign of it. */
  readonly fromMs: number;
  readonly toMs: number;
  /** The fencing token that it showed. */
  readonly token?: number;
  /** The ticks whose work it has completed: its own, and those that it has made up for. */
  readonly doneTicksMs: readonly number[];
}
