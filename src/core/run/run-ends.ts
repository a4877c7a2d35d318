import { LONGEST_LEASE_MS } from '../options/lease.js';
import type { Settings } from '../options/policy.js';
import type { Lease } from '../ports/lock-store.js';
import { DeadlineError } from '../public/errors.js';
import { type Order, remainingMs } from './invocation.js';

const GRACE_MS = 1_000;

/** An instant at which a run is asked to end although it holds its lock, and why. */
export interface RunEnd {
  readonly atMono: number;
  readonly code: 'DEADLINE' | 'MAX_HOLD';
}

const WHY = {
  DEADLINE: 'the platform ends it soon',
  MAX_HOLD: 'it has held its lock for maxHold',
  SHUTDOWN: 'its process is ending',
  CATCH_UP: 'it has caught up with catchUp.max ticks, and over 100 more wait',
} as const;

/** The error of a run whose time is up. */
export function timeIsUp(lockName: string, code: DeadlineError['code']): DeadlineError {
  return new DeadlineError(lockName, code, WHY[code]);
}

/** The error of a run whose time was up before its acquire could be sent. */
export function turnTooLate(lockName: string): DeadlineError {
  const why = 'too many calls of this process ask the store, and the platform ends it soon; nothing was sent';
  return new DeadlineError(lockName, 'DEADLINE', why);
}

/**
 * When a run is asked to end because of the platform: `gracePeriod` before it must be over. The default is 1 s before,
 * or a tenth of the remaining time if that is less.
 */
export function stopMono(order: Order, { gracePeriodMs, clock }: Settings): number | undefined {
  const { deadlineMono, runUntilMono = deadlineMono } = order;
  if (runUntilMono === undefined) return undefined;
  const graceMs = gracePeriodMs ?? Math.min(GRACE_MS, Math.max(0, remainingMs(order, clock) / 10));
  return runUntilMono - graceMs;
}

/** When renewal and extension end: after `maxHold`, which by default is the platform's deadline, or 24 h. */
export function holdLimitMono({ deadlineMono }: Order, { maxHoldMs }: Settings, { firstSentMono }: Lease): number {
  return maxHoldMs === undefined ? (deadlineMono ?? firstSentMono + LONGEST_LEASE_MS) : firstSentMono + maxHoldMs;
}

/**
 * When a run is asked to end.
 *
 * @param limitMono the end of all renewal, if the run holds a lease
 */
export function runEnds(order: Order, settings: Settings, limitMono: number = Number.POSITIVE_INFINITY): RunEnd[] {
  return [
    { atMono: stopMono(order, settings) ?? Number.POSITIVE_INFINITY, code: 'DEADLINE' },
    { atMono: limitMono, code: 'MAX_HOLD' },
  ];
}
