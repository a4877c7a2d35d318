import type { LockInfo } from '../admin/lock-admin.js';
import type { DueTicks } from './due-ticks.js';
import { isTaken } from './lock-summary.js';

/**
 * What is wrong with a job. `expired`: the lease of its holder is over; `too-long`: a run has the lock past its next
 * tick, or far longer than runs before it; `failing`: no run since the last failure has succeeded; `long-pause`: it
 * would be overdue without its pause; `open`: ticks are not done.
 */
export type Trouble = (typeof TROUBLES)[number];

/** The most urgent one first. */
export const TROUBLES = ['corrupt', 'overdue', 'expired', 'too-long', 'failing', 'long-pause', 'open'] as const;

/** A run that was not over when the next tick of its schedule came. */
export interface Overrun {
  readonly fencingToken: number;
  /** That tick: its call found the lock held. */
  readonly tick: Date;
}

/** A lock with all that can be judged of it. */
export interface Job extends LockInfo, DueTicks {
  /** The most urgent one first; absent if nothing is wrong. */
  readonly troubles?: readonly Trouble[];
  /** The runs in `runs`, and the one that has the lock now, that were not over at the next tick. */
  readonly overruns?: readonly Overrun[];
  /** The oldest tick that is overdue but for the pause. */
  readonly pausedTick?: Date;
}

/** Jobs in the order in which they need an operator, else by name. */
export function byUrgency(a: Job, b: Job): number {
  return urgency(a) - urgency(b) || (a.name < b.name ? -1 : 1);
}

const urgency = ({ troubles: [first] = [] }: Job): number =>
  first === undefined ? TROUBLES.length : TROUBLES.indexOf(first);

/** The tick that has come while the run that has the lock now goes on. */
export function overrunNow({ fencingToken, overruns = [], ...lock }: Job): Date | undefined {
  return isTaken(lock) ? overruns.find((overrun) => overrun.fencingToken === fencingToken)?.tick : undefined;
}

/** The longest of the last runs; undefined if none has ended by itself. */
export function longestMs({ runs }: Pick<LockInfo, 'runs'>): number | undefined {
  const durations = runs.flatMap(({ status, durationMs }) => (status === 'succeeded' ? (durationMs ?? []) : []));
  return durations.length > 0 ? Math.max(...durations) : undefined;
}
