const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** What Lambda waits before the first and the second retry of a failed run. */
export const RETRY_DELAYS_MS: readonly [number, number] = [MINUTE_MS, 2 * MINUTE_MS];
/** EventBridge's precision: what is due at 02:00 is sent by 02:00:59. */
const DELIVERY_MS = MINUTE_MS;

/*
 * All retries of a tick fit into its period. A retry that outlasted it would hold the lock when the next tick comes,
 * and that tick would be skipped as `locked`. Deliveries and runs do not multiply: a tick that is done is skipped,
 * whatever comes of it later.
 */

export interface Retries {
  readonly attempts: number;
  readonly maxAgeMs: number;
}

export interface RunRetries extends Retries {
  /** How long after its tick the last run is over, when each takes the whole time-out. */
  readonly lastRunEndsMs: number;
}

/**
 * Lambda's retries of a failed run: as many of its two as are over, by their time-outs, when the next tick is due. An
 * event that Lambda cannot run is kept for a period, within Lambda's 60 s to 6 h.
 *
 * @param periodMs the shortest time between two ticks; Infinity for a schedule that fires once
 * @see https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-error-handling.html
 */
export function runRetries(periodMs: number, timeoutMs: number): RunRetries {
  let attempts = 0;
  let lastRunEndsMs = DELIVERY_MS + timeoutMs;
  for (const delayMs of RETRY_DELAYS_MS) {
    const endsMs = lastRunEndsMs + delayMs + timeoutMs;
    if (endsMs > periodMs) break;
    attempts += 1;
    lastRunEndsMs = endsMs;
  }
  return { attempts, maxAgeMs: within(periodMs, MINUTE_MS, 6 * HOUR_MS), lastRunEndsMs };
}

/**
 * The schedule's retries of a delivery that Lambda did not accept: one a minute, for a period, within EventBridge's 60 s
 * to 24 h and 185 attempts.
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
