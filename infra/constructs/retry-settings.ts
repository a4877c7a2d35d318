const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** What Lambda waits before the first and the second retry of a failed run. */
export const RETRY_DELAYS_MS: readonly [number, number] = [MINUTE_MS, 2 * MINUTE_MS];
/** EventBridge's precision: what is due at 02:00 is sent by 02:00:59. */
export const DELIVERY_MS: number = MINUTE_MS;

/*
 * All retries of a tick fit into its period. A retry that outlasted it would hold the lock when the next tick comes,
 * and that tick would be skipped as `locked`. Deliveries and runs do not multiply: a later delivery
 * of a tick that is done is skipped.
 */

export interface Retries {
  readonly attempts: number;
  readonly maxAgeMs: number;
}

/**
 * Lambda's retries of a failed run: as many of its two as are over, by their timeouts, when the next tick is due. An
 * event that Lambda cannot run is kept for a period, within Lambda's 60 s to 6 h.
 *
 * @param periodMs the shortest time between two ticks; Infinity for a schedule that fires once
 * @see https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-error-handling.html
 */
export function runRetries(periodMs: number, timeoutMs: number): Retries {
  const attempts = [2, 1].find((retries) => lastRunEndsMs(retries, timeoutMs) <= periodMs) ?? 0;
  return { attempts, maxAgeMs: within(periodMs, MINUTE_MS, 6 * HOUR_MS) };
}

/** How long after its tick the last of a run and its retries is over, when each takes the whole timeout. */
export function lastRunEndsMs(retries: number, timeoutMs: number): number {
  return RETRY_DELAYS_MS.slice(0, retries).reduce((ms, delayMs) => ms + delayMs + timeoutMs, DELIVERY_MS + timeoutMs);
}

/**
 * The schedule's retries of a delivery that Lambda did not accept: one a minute, for a period, within
 * EventBridge's limits: 60 s to 24 h and 185 attempts.
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
