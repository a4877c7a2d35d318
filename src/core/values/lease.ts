/*
 * Limits and margins of leases. They stand here because the CDK constructs, which check a lease against the function's
 * timeout, need them too.
 */

export const SHORTEST_LEASE_MS = 1_000;
export const LONGEST_LEASE_MS = 86_400_000;

/** By default a lease is this much longer than the remaining time, so that a run is killed before its lease ends. */
export const LEASE_MARGIN_MS = 2_000;

/** The default of `maxClockSkew`: how far a host's clock may be wrong before it is reported. */
export const CLOCK_SKEW_MS = 1_000;

/**
 * How far DynamoDB's own time, the Date of its answers, can be behind. The store adds this time to the stored end of a
 * lease, and the holder subtracts it again.
 */
export const PAD_MS = 2_000;

const LEAST_GUARD_MS = 200;
const GUARD_PARTS = 100;

/** Returns how long before the end of a lease its holder stops: 1 % of the lease, and at least 200 ms. */
export function guardMs(leaseMs: number): number {
  return Math.max(LEAST_GUARD_MS, leaseMs / GUARD_PARTS);
}

/** Returns the shortest lease that lets a run of this length end before its holder stops. */
export function leaseForRun(runMs: number): number {
  return Math.max(runMs + LEAST_GUARD_MS, (runMs * GUARD_PARTS) / (GUARD_PARTS - 1));
}
