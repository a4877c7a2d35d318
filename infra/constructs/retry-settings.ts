const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** How long Lambda waits before the first and before the second retry of a failed run. */
export const RETRY_DELAYS_MS: readonly [number, number] = [MINUTE_MS, 2 * MINUTE_MS];
/** The precision of EventBridge: it sends a tick that is due at 02:00 by 02:00:59. */
export const DELIVERY_MS: number = MINUTE_MS;

/*
 * All retries of a tick end before the next tick is due. A retry that lasted longer would hold the lock when the next
 * tick comes, and that tick would be skipped as `locked`. The retries of deliveries and of runs do not multiply: a
 * later delivery of a tick that is done is skipped.
 */

export interface Retries {
  readonly attempts: number;
  readonly maxAgeMs: number;
}

/**
 * Computes Lambda's retries of a failed run: at most two, and only as many as end before the next tick is due, even if
 * each try takes the whole timeout. Lambda keeps an event that it cannot run for one period, within its limits of 60 s
 * to 6 h.
 *
 * @param periodMs the shortest time between two ticks; Infinity for a schedule that fires once
 * @see https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-error-handling.html
 */
export function runRetries(periodMs: number, timeoutMs: number): Retries {
  const attempts = [2, 1].find((retries) => lastRunEndsMs(retries, timeoutMs) <= periodMs) ?? 0;
  return { attempts, maxAgeMs: within(periodMs, MINUTE_MS, 6 * HOUR_MS) };
}

/** Computes the time from a tick to the end of its last retry, if the run and each retry take the whole timeout. */
export function lastRunEndsMs(retries: number, timeoutMs: number): number {
  return RETRY_DELAYS_MS.slice(0, retries).reduce((ms, delayMs) => ms + delayMs + timeoutMs, DELIVERY_MS + timeoutMs);
}

/**
 * Computes the retries of a delivery that Lambda did not accept: at most one for each minute of the period, and only
 * within the period. EventBridge allows 60 s to 24 h, and 185 attempts.
 *
 * @param periodMs the shortest time between two ticks; Infinity for a schedule that fires once
 */
export function deliveryRetries(periodMs: number): Retries {
  return {
    attempts: within(Math.floor(periodMs / MINUTE_MS), 1, 185),
    maxAgeMs: within(periodMs, MINUTE_MS, 24 * HOUR_MS),
  };
}

const within = (value: number, least: number, most: number): number => Math.min(most, Math.max(least, value));
