import type { StoreCall } from './lock-store.js';
import type { Policy } from './policy.js';

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
  readonly shutdown?: AbortSignal;
}

/** An acquire may take 5 s, or half of the remaining time. */
export function acquireCall(order: Order, policy: Policy): StoreCall {
  return storeCall(policy, remainingMs(order, policy) / 2);
}

/** A release may take 5 s, or all of the remaining time but a reserve. */
export function releaseCall(order: Order, policy: Policy): StoreCall {
  return storeCall(policy, remainingMs(order, policy) - RELEASE_RESERVE_MS);
}

/** When a run is asked to end: a second before it must be over, or a tenth of the remaining time if that is less. */
export function stopMono(order: Order, policy: Policy): number | undefined {
  const { deadlineMono, runUntilMono = deadlineMono } = order;
  if (runUntilMono === undefined) return undefined;
  return runUntilMono - Math.min(GRACE_MS, Math.max(0, remainingMs(order, policy) / 10));
}

function remainingMs(order: Order, policy: Policy): number {
  return order.deadlineMono === undefined ? Number.POSITIVE_INFINITY : order.deadlineMono - policy.clock.monotonic();
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
