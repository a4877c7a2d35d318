import { LONGEST_LEASE_MS, type Policy, type Settings } from '../options/policy.js';
import type { Lease, StoreCall } from '../ports/lock-store.js';
import type { Signal } from '../values/signal.js';
import type { Hold } from './hold.js';

const TRY_MS = 1_000;
const BUDGET_MS = 5_000;
const SHORTEST_BUDGET_MS = 100;
const GRACE_MS = 1_000;
/** Kept free of the remaining time when releasing, so that the answer can still reach the platform. */
const RELEASE_RESERVE_MS = 100;

/** One call, as an adapter has read it from its platform. */
export interface Order {
  readonly name: string;
  readonly lockedBy: string;
  readonly leaseMs: number;
  readonly tickMs?: number;
  /** A time that the trigger names and nobody can read. */
  readonly unreadableTick?: string;
  readonly scheduleArn?: string;
  readonly attempt?: number;
  /** The monotonic instant at which the platform ends the run. */
  readonly deadlineMono?: number;
  /** The monotonic instant at which the run must be over. @default deadlineMono */
  readonly runUntilMono?: number;
  /** Aborts when the process is told to end. */
  readonly shutdown?: Signal;
}

/** An acquire may take 5 s, or half of the remaining time. */
export function acquireCall(order: Order, policy: Policy): StoreCall {
  return storeCall(policy, remainingMs(order, policy) / 2);
}

/** A release may take 5 s, or all of the remaining time but a reserve. */
export function releaseCall(order: Order, policy: Policy): StoreCall {
  return storeCall(policy, remainingMs(order, policy) - RELEASE_RESERVE_MS);
}

/** An extension may take 5 s, but not longer than the lease can still be used. It ends when the run does. */
export function extendCall(hold: Hold, { clock, maxClockSkewMs }: Settings, signal: Signal): StoreCall {
  const leftMs = Math.max(1, hold.deadlineMono - clock.monotonic());
  // One that hangs leaves time for another.
  const tryMs = Math.min(TRY_MS, leftMs / 2);
  return { clock, signal, tryMs, budgetMs: Math.min(BUDGET_MS, leftMs), maxClockSkewMs };
}

/**
 * When a run is asked to end for the platform's sake: `gracePeriod` before it must be over; a second, or a tenth of the
 * remaining time if that is less, where nothing is asked for.
 */
export function stopMono(order: Order, policy: Policy): number | undefined {
  const { deadlineMono, runUntilMono = deadlineMono } = order;
  if (runUntilMono === undefined) return undefined;
  const graceMs = policy.gracePeriodMs ?? Math.min(GRACE_MS, Math.max(0, remainingMs(order, policy) / 10));
  return runUntilMono - graceMs;
}

/** When renewal and extension end: after `maxHold`, which by default is the platform's deadline, or 24 h. */
export function holdLimitMono({ deadlineMono }: Order, { maxHoldMs }: Policy, { firstSentMono }: Lease): number {
  return maxHoldMs === undefined ? (deadlineMono ?? firstSentMono + LONGEST_LEASE_MS) : firstSentMono + maxHoldMs;
}

function remainingMs(order: Order, policy: Policy): number {
  return order.deadlineMono === undefined ? Number.POSITIVE_INFINITY : order.deadlineMono - policy.clock.monotonic();
}

/** A call outside of any run. */
export function looseCall(policy: Policy): StoreCall {
  return storeCall(policy, Number.POSITIVE_INFINITY);
}

/**
 * Where hardly any time remains a call has one whole try: that is the best use of it, and on an emulator or on Lambda
 * Managed Instances code runs on.
 */
function storeCall(policy: Policy, leftMs: number): StoreCall {
  const budgetMs = leftMs >= SHORTEST_BUDGET_MS ? Math.min(BUDGET_MS, leftMs) : TRY_MS;
  return {
    clock: policy.clock,
    signal: new AbortController().signal,
    tryMs: TRY_MS,
    budgetMs,
    maxClockSkewMs: policy.maxClockSkewMs,
  };
}
