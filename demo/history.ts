/*
 * What happened in an evening, as the outside saw it: the platform that delivered the ticks, the network that carried
 * the handlers' work, the operator. Instants are milliseconds since the demo was started.
 */

export interface History {
  readonly invocations: Invocation[];
  readonly works: Work[];
  readonly incidents: Incident[];
  readonly crashes: Crash[];
  readonly facts: Fact[];
  /** Names of the situations that were played. */
  readonly situations: string[];
}

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
  readonly fromMs: number;
  readonly toMs: number;
  /** The instant at which its lock must be over if it dies. */
  readonly lockOverMs: number;
  readonly ending: Ending;
}

export type Ending =
  | { readonly kind: 'ran' | 'killed' }
  | { readonly kind: 'failed'; readonly error: string }
  | { readonly kind: 'skipped'; readonly reason: string; readonly lockedBy?: string };

/** What a handler did to the world in one invocation, as the network saw it. Nothing of it comes from the library. */
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
  | { readonly kind: 'answer-lost'; readonly invocation: number; readonly job: string }
  /** The schedule sent no event for a tick. */
  | { readonly kind: 'left-out'; readonly job: string; readonly tickMs: number }
  | { readonly kind: 'paused'; readonly job: string; readonly fromMs: number; readonly toMs: number };

/** A run that was killed at work, and what became known of it once a successor had run. */
export interface Crash {
  readonly job: string;
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
