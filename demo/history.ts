/*
 * What happened in an evening, as the outside saw it: the platform that delivered the ticks, the network that carried
 * the handlers' work, the operator. Instants are milliseconds since the evening began.
 */

/** One delivery of an event to a worker, and how it ended. */
export interface Invocation {
  readonly id: number;
  readonly job: string;
  /** Absent when it was started by hand. */
  readonly tickMs?: number;
  /** The same for a retry by the platform, as on Lambda. */
  readonly requestId: string;
  readonly worker: string;
  readonly fromMs: number;
  readonly toMs: number;
  /** Until when its lock may stand if it dies. */
  readonly lockOverMs: number;
  readonly ending: Ending;
  /** Its log says that the run before it crashed. */
  readonly recovered: boolean;
}

export type Ending =
  | { readonly kind: 'ran' }
  | { readonly kind: 'failed'; readonly error: string }
  | { readonly kind: 'skipped'; readonly reason: string; readonly lockedBy?: string }
  | { readonly kind: 'killed'; readonly by: 'SIGKILL' | 'time-out' };

/** What a handler did to the world in one invocation, as the world saw it; nothing of it comes from the library. */
export interface Work {
  readonly invocation: number;
  readonly job: string;
  /** First and last sign of it. */
  readonly fromMs: number;
  readonly toMs: number;
  /** The fencing token that it showed. */
  readonly token?: number;
  /** The ticks whose work it has completed: its own, and those that it has made up for. */
  readonly doneTicksMs: readonly number[];
}

/** What was done to a job from outside. */
export type Incident =
  | { readonly kind: 'answer-lost'; readonly invocation: number; readonly job: string; readonly atMs: number }
  /** The schedule sent no event for a tick. */
  | { readonly kind: 'left-out'; readonly job: string; readonly atMs: number; readonly tickMs: number }
  | { readonly kind: 'paused' | 'resumed'; readonly job: string; readonly atMs: number };

/** A run that was killed at work, and what became known of it once a successor had run. */
export interface Crash {
  readonly job: string;
  readonly invocation: number;
  readonly token: number;
  readonly recorded: boolean;
  /** Whether the run that took over was told. */
  readonly told: boolean;
}

/** Something that handlers were to write, and what there is in the table at the end. */
export interface Fact {
  readonly subject: string;
  readonly expected: string;
  readonly found: string;
}

export interface History {
  /** Jobs whose ticks are done once they started, whatever becomes of the run. */
  readonly atMostOnce: readonly string[];
  readonly invocations: readonly Invocation[];
  readonly works: readonly Work[];
  readonly incidents: readonly Incident[];
  readonly crashes: readonly Crash[];
  readonly facts: readonly Fact[];
  /** Names of the situations that were played. */
  readonly beats: readonly string[];
}
