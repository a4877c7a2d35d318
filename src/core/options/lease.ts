import { formatDuration } from '../values/duration.js';
import { LEASE_MARGIN_MS, LONGEST_LEASE_MS, SHORTEST_LEASE_MS } from '../values/lease.js';

/** The lease with `keepAlive`, unless `lockAtMostFor` is given or `lockAtLeastFor` is longer. */
const KEPT_LEASE_MS = 30_000;

/** The part of a policy that decides its leases. */
interface LeaseSettings {
  readonly lockAtMostForMs: number | undefined;
  readonly lockAtLeastForMs: number;
  readonly keepAlive: boolean;
}

/**
 * Returns the lease of a run. If `lockAtMostFor` is given, it is the lease. Otherwise the lease is 30 s with
 * `keepAlive`, whose renewals extend it, and without `keepAlive` the remaining time plus 2 s. A lease is never shorter
 * than `lockAtLeastFor`. Returns undefined if neither the options nor the platform decide the lease.
 */
export function leaseFor(settings: LeaseSettings, remainingMs: number): number;
export function leaseFor(settings: LeaseSettings, remainingMs?: number): number | undefined;
export function leaseFor(
  { lockAtMostForMs, lockAtLeastForMs, keepAlive }: LeaseSettings,
  remainingMs?: number,
): number | undefined {
  if (lockAtMostForMs !== undefined) return lockAtMostForMs;
  if (keepAlive) return Math.max(KEPT_LEASE_MS, lockAtLeastForMs);
  if (remainingMs === undefined) return undefined;
  return Math.max(lockAtLeastForMs, possibleLease(Math.ceil(remainingMs) + LEASE_MARGIN_MS));
}

/** Returns the nearest possible lease to a duration. A lease lasts 1 s to 24 h. */
export function possibleLease(ms: number): number {
  return Math.min(LONGEST_LEASE_MS, Math.max(SHORTEST_LEASE_MS, ms));
}

/**
 * Returns the lease of runs whose platform does not report the remaining time.
 *
 * @param others the other options that can decide the lease, for the error
 * @throws TypeError if the options do not decide the lease
 */
export function requiredLeaseMs(settings: LeaseSettings, others = 'keepAlive'): number {
  const leaseMs = leaseFor(settings);
  if (leaseMs !== undefined) return leaseMs;
  throw new TypeError(
    `lockAtMostFor is undefined: say how long the lock outlives a holder that dies, such as 5m, or set ${others}`,
  );
}

/** @throws RangeError for a lease that is out of range, or shorter than `lockAtLeastFor` */
export function checkLease({ lockAtMostForMs, lockAtLeastForMs }: LeaseSettings): void {
  if (lockAtMostForMs !== undefined && lockAtMostForMs !== possibleLease(lockAtMostForMs)) {
    throw new RangeError(`lockAtMostFor is ${formatDuration(lockAtMostForMs)}: pass 1s to 24h`);
  }
  const longestMs = lockAtMostForMs ?? LONGEST_LEASE_MS;
  if (lockAtLeastForMs > longestMs) {
    const limit = lockAtMostForMs === undefined ? 'the longest lease' : 'lockAtMostFor';
    throw new RangeError(
      `lockAtLeastFor is ${formatDuration(lockAtLeastForMs)}, longer than ${limit}, ${formatDuration(longestMs)}: shorten the one or lengthen the other`,
    );
  }
}
