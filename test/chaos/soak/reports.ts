import type { SkippedHolder } from 'single-execution';
import type { StoreAddress } from '../../support/store-address.js';
import type { SoakJob } from './jobs.js';

/*
 * What goes between a worker and the play. Instants are the machine's: see machine-clock.ts.
 */

export interface WorkerOrder {
  readonly store: StoreAddress;
  /** Where the witness files are. */
  readonly folder: string;
}

/** A tick, as it reaches a worker. */
export interface TickOrder {
  readonly id: number;
  readonly job: SoakJob;
  readonly tickMs: number;
  readonly worksMs: number;
  readonly fails: boolean;
}

/** How a delivery ended, as its worker saw it. */
export type Ending =
  | { readonly kind: 'ran'; readonly release: string }
  /** The handler threw what it was told to throw. */
  | { readonly kind: 'failed' }
  /** The handler stopped because its signal had aborted. */
  | { readonly kind: 'aborted'; readonly reason: string }
  | { readonly kind: 'skipped'; readonly reason: string; readonly holder?: SkippedHolder }
  | { readonly kind: 'store error'; readonly code: string }
  /** Anything else: nothing else should come. */
  | { readonly kind: 'error'; readonly error: string };

/** The run before, as a run is told of it. */
export interface ToldPrevious {
  readonly status: string;
  readonly token: number;
}

/** A line that a worker says. */
export type Report = { readonly atMs: number } & (
  | { readonly said: 'ready'; readonly wallOffsetMs: number }
  | { readonly said: 'received'; readonly id: number }
  | { readonly said: 'granted'; readonly id: number; readonly token: number }
  | { readonly said: 'began'; readonly id: number; readonly token: number; readonly previous?: ToldPrevious }
  | { readonly said: 'aborted'; readonly id: number; readonly reason: string }
  | { readonly said: 'ended'; readonly id: number; readonly hasReturned: boolean; readonly refused: number }
  | { readonly said: 'settled'; readonly id: number; readonly ending: Ending }
  /** No timer of the process fired between these instants: it was stopped, or the machine was busy. */
  | { readonly said: 'stalled'; readonly fromMs: number }
);

/** A piece of work for each handler that works by beats; they wait on the stdin of a worker that is stopped. */
export const BEAT = 'beat';
export const WORK_EVERY_MS = 40;

/** What a worker is told to do at the end: nothing comes any more. */
export const FINISH = 'finish';
