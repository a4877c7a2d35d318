import type { StoreAddress } from '../../support/store-address.js';
import type { SoakJob } from './jobs.js';
import type { Ending, ToldPrevious } from './reports.js';
import type { WitnessedWrite } from './witness-file.js';

/*
 * What happened in a soak on one store. Instants are milliseconds on the machine's clock since the play began, as the
 * process in which it happened has read them.
 */

export interface SoakHistory {
  readonly store: StoreAddress['kind'];
  /** True time at which the play began, in epoch milliseconds. */
  readonly startedAt: number;
  readonly jobs: readonly SoakJob[];
  readonly workers: readonly Worker[];
  readonly deliveries: readonly Delivery[];
  /** What the witness of each job has seen, in its order. */
  readonly writes: ReadonlyMap<string, readonly WitnessedWrite[]>;
}

/** One worker process. */
export interface Worker {
  readonly name: string;
  /** How far its wall clock is ahead of the true time. */
  readonly aheadMs: number;
  /** Where it was stopped, as the play has it. */
  readonly stops: readonly Standstill[];
  /** Where none of its timers fired, as it has noticed itself: stopped, or left waiting by a busy machine. */
  readonly stalls: readonly Standstill[];
  readonly killedMs?: number;
  /** Absent when it had to be left behind. */
  readonly ended?: { readonly code: number | null; readonly signal: string | null; readonly stderr: string };
}

export interface Standstill {
  readonly fromMs: number;
  readonly toMs: number;
}

/** A tick that was given to a worker, and what became of it. What is absent did not happen before it was killed. */
export interface Delivery {
  readonly id: number;
  readonly job: SoakJob;
  readonly tickMs: number;
  /** How long its handler is to work. */
  readonly worksMs: number;
  readonly worker: Worker;
  readonly receivedMs?: number;
  /** What the store has granted it. */
  readonly granted?: { readonly token: number; readonly atMs: number };
  readonly run?: Run;
  readonly settled?: { readonly ending: Ending; readonly atMs: number };
}

/** A handler at work. */
export interface Run {
  readonly token: number;
  readonly beganMs: number;
  /** When it returned or threw, or was killed. */
  readonly endedMs: number;
  readonly hasReturned: boolean;
  /** When and why its signal aborted. */
  readonly aborted?: { readonly reason: string; readonly atMs: number };
  readonly previous?: ToldPrevious;
  /** How many of its writes its witness has refused. */
  readonly refused: number;
}
