import type { Settings } from '../options/policy.js';
import type { Lease, StoreCall, Waiting } from '../ports/lock-store.js';
import { RunEndedError } from '../public/errors.js';
import type { Clock, Signal } from '../values/clock.js';
import { LONGEST_LEASE_MS } from '../values/lease.js';
import type { Hold } from './hold.js';
import type { Order } from './invocation.js';

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

/** Makes the error of a run whose time is up. */
export function timeIsUp(lockName: string, code: RunEndedError['code']): RunEndedError {
  return new RunEndedError(lockName, code, WHY[code]);
}

/** Returns the time until the platform ends the run; infinite if the platform sets no end. */
function remainingMs({ deadlineMono = Number.POSITIVE_INFINITY }: Order, clock: Clock): number {
  return deadlineMono - clock.monotonic();
}

/**
 * Returns the monotonic instant at which a run is asked to end because of its platform: `gracePeriod` before the run
 * must be over. The default of `gracePeriod` is 1 s, or a tenth of the remaining time if that is less. Returns
 * undefined if the platform sets no end.
 */
export function stopMono(order: Order, { gracePeriodMs, clock }: Settings): number | undefined {
  const { deadlineMono, runUntilMono = deadlineMono } = order;
  if (runUntilMono === undefined) return undefined;
  const graceMs = gracePeriodMs ?? Math.min(GRACE_MS, Math.max(0, remainingMs(order, clock) / 10));
  return runUntilMono - graceMs;
}

/**
 * Returns the monotonic instant at which renewals and extensions end. With `maxHold`, they end that long after the
 * acquire was first sent. Without `maxHold`, they end at the platform's deadline. If the platform has no deadline, they
 * end 24 h after that send.
 */
export function holdLimitMono({ deadlineMono }: Order, { maxHoldMs }: Settings, { firstSentMono }: Lease): number {
  return maxHoldMs === undefined ? (deadlineMono ?? firstSentMono + LONGEST_LEASE_MS) : firstSentMono + maxHoldMs;
}

/**
 * Returns the instants at which a run is asked to end, and the reason for each.
 *
 * @param limitMono the monotonic instant at which renewals of the lease end; absent for a run without a lease
 */
export function runEnds(order: Order, settings: Settings, limitMono: number = Number.POSITIVE_INFINITY): RunEnd[] {
  return [
    { atMono: stopMono(order, settings) ?? Number.POSITIVE_INFINITY, code: 'DEADLINE' },
    { atMono: limitMono, code: 'MAX_HOLD' },
  ];
}

/* Time limits of a call to the store: for one try, for all its tries together, and the least time left that counts. */

const TRY_MS = 1_000;
const BUDGET_MS = 5_000;
const SHORTEST_BUDGET_MS = 100;
/** Part of the remaining time that a release leaves unused, so that the answer can still reach the platform. */
const RELEASE_RESERVE_MS = 100;

/**
 * Makes the limits of an acquire: 5 s, or half of the remaining time if that is less. It may wait for its turn until
 * `untilMono`, or until the run is asked to end.
 */
export function acquireCall(order: Order, settings: Settings, untilMono: number): StoreCall {
  const waiting = { untilMono, signal: order.shutdown, endMono: order.deadlineMono };
  return storeCall(settings, remainingMs(order, settings.clock) / 2, waiting);
}

/**
 * Makes the limits of an extension: 5 s, or the time for which the lease can still be used if that is less. The
 * extension is aborted when the run ends.
 */
export function extendCall(hold: Hold, { clock, maxClockSkewMs }: Settings, signal: Signal): StoreCall {
  const leftMs = Math.max(1, hold.deadlineMono - clock.monotonic());
  // Leave time for another try if the first try hangs.
  const tryMs = Math.min(TRY_MS, leftMs / 2);
  return { clock, signal, tryMs, budgetMs: Math.min(BUDGET_MS, leftMs), maxClockSkewMs };
}

/**
 * Makes the limits of a release: 5 s, or the remaining time without a reserve of 100 ms if that is less. It may wait for
 * its turn for half of the shorter of two times: that remaining time, and the time until the deadline of its hold.
 * Without a hold it does not wait.
 */
export function releaseCall(order: Order, settings: Settings, hold: Hold | undefined): StoreCall {
  const { clock } = settings;
  const now = clock.monotonic();
  const leftMs = remainingMs(order, clock) - RELEASE_RESERVE_MS;
  const waitMs = Math.min(leftMs, (hold?.deadlineMono ?? now) - now) / 2;
  return storeCall(settings, leftMs, { untilMono: now + waitMs, endMono: order.deadlineMono });
}

/** Makes the limits of a call outside of any run: 5 s. */
export function looseCall(settings: Settings): StoreCall {
  return storeCall(settings, Number.POSITIVE_INFINITY);
}

/**
 * Makes the limits of a call for which `leftMs` remain. If less than 100 ms remain, the call gets one whole try: that
 * is the best use of the time, and on an emulator or on Lambda Managed Instances code runs on after its deadline.
 */
function storeCall({ clock, maxClockSkewMs }: Settings, leftMs: number, waiting?: Waiting): StoreCall {
  const budgetMs = leftMs >= SHORTEST_BUDGET_MS ? Math.min(BUDGET_MS, leftMs) : TRY_MS;
  return { clock, signal: new AbortController().signal, tryMs: TRY_MS, budgetMs, maxClockSkewMs, waiting };
}
