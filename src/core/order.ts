import type { StoreCall } from './lock-store.js';
import type { Policy } from './policy.js';

const TRY_MS = 1_000;
const BUDGET_MS = 5_000;
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
}

/** An acquire may take 5 s, or half of the remaining time. */
export function acquireCall(order: Order, policy: Policy): StoreCall {
  return storeCall(policy, remainingMs(order, policy) / 2);
}

/** A release may take 5 s, or all of the remaining time but a reserve. */
export function releaseCall(order: Order, policy: Policy): StoreCall {
  return storeCall(policy, remainingMs(order, policy) - RELEASE_RESERVE_MS);
}

/** When a run is asked to end: a second before the platform's deadline, or a tenth of the remaining time if that is less. */
export function stopMono(order: Order, policy: Policy): number | undefined {
  if (order.deadlineMono === undefined) return undefined;
  return order.deadlineMono - Math.min(GRACE_MS, Math.max(0, remainingMs(order, policy) / 10));
}

function remainingMs(order: Order, policy: Policy): number {
  return order.deadlineMono === undefined ? Number.POSITIVE_INFINITY : order.deadlineMono - policy.clock.monotonic();
}

/** Where no time remains and yet code runs (an emulator, Lambda Managed Instances), a call has one whole try. */
function storeCall(policy: Policy, leftMs: number): StoreCall {
  const budgetMs = leftMs > 0 ? Math.min(BUDGET_MS, leftMs) : TRY_MS;
  return {
    clock: policy.clock,
    signal: new AbortController().signal,
    tryMs: TRY_MS,
    budgetMs,
    maxClockSkewMs: policy.maxClockSkewMs,
  };
}
