import type { Settings } from '../options/policy.js';
import type { StoreCall } from '../ports/lock-store.js';
import type { Signal } from '../values/clock.js';
import type { Hold } from './hold.js';
import { type Order, remainingMs } from './invocation.js';
import type { Waiting } from './turns.js';

/* How long each request to the store may take: a try, and all tries together. */

const TRY_MS = 1_000;
const BUDGET_MS = 5_000;
const SHORTEST_BUDGET_MS = 100;
/** Part of the remaining time that a release leaves unused, so that the answer can still reach the platform. */
const RELEASE_RESERVE_MS = 100;

/** An acquire may take 5 s, or half of the remaining time. */
export function acquireCall(order: Order, settings: Settings): StoreCall {
  return storeCall(settings, remainingMs(order, settings.clock) / 2);
}

/** An extension may take 5 s, but not longer than the lease can still be used. It ends when the run does. */
export function extendCall(hold: Hold, { clock, maxClockSkewMs }: Settings, signal: Signal): StoreCall {
  const leftMs = Math.max(1, hold.deadlineMono - clock.monotonic());
  // Leave time for another try if one hangs.
  const tryMs = Math.min(TRY_MS, leftMs / 2);
  return { clock, signal, tryMs, budgetMs: Math.min(BUDGET_MS, leftMs), maxClockSkewMs };
}

/** A release may take 5 s, or all of the remaining time except a reserve. */
export function releaseCall(order: Order, settings: Settings): StoreCall {
  return storeCall(settings, remainingMs(order, settings.clock) - RELEASE_RESERVE_MS);
}

/** A release may wait for its turn for half of the remaining time of the run and of its lease. */
export function releaseWaiting(order: Order, { clock }: Settings, hold: Hold | undefined): Waiting {
  const now = clock.monotonic();
  const leftMs = Math.min(remainingMs(order, clock) - RELEASE_RESERVE_MS, (hold?.deadlineMono ?? now) - now);
  return { clock, untilMono: now + leftMs / 2 };
}

/** A call outside of any run may take 5 s. */
export function looseCall(settings: Settings): StoreCall {
  return storeCall(settings, Number.POSITIVE_INFINITY);
}

/**
 * If hardly any time remains, a call gets one whole try. That is the best use of the time; and on an emulator or on
 * Lambda Managed Instances, code runs on after its deadline.
 */
function storeCall({ clock, maxClockSkewMs }: Settings, leftMs: number): StoreCall {
  const budgetMs = leftMs >= SHORTEST_BUDGET_MS ? Math.min(BUDGET_MS, leftMs) : TRY_MS;
  return { clock, signal: new AbortController().signal, tryMs: TRY_MS, budgetMs, maxClockSkewMs };
}
