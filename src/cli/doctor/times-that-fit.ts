import type { FunctionEventInvokeConfig } from '@aws-sdk/client-lambda';
import { shortSpan } from '../../operate/times.js';
import { ok, type Verdict, warning } from '../findings/finding.js';

/*
 * The rules of docs/deploy/templates.md, "Times that fit": the last retry of a tick is over before the next tick is due,
 * even if each run takes the whole timeout.
 */

const MINUTE_MS = 60_000;
/** How late EventBridge may deliver a tick. */
const DELIVERY_MS = MINUTE_MS;
/** How long Lambda waits before the first and before the second retry of a failed run. */
const DELAYS_MS = [MINUTE_MS, 2 * MINUTE_MS];

/** The time from a tick to the end of its last retry. */
function lastRunEndsMs(retries: number, timeoutMs: number): number {
  return DELAYS_MS.slice(0, retries).reduce((ms, delayMs) => ms + delayMs + timeoutMs, DELIVERY_MS + timeoutMs);
}

/** How many of Lambda's two retries fit between two ticks. */
export function retriesThatFit(timeoutMs: number, gapMs: number): number {
  return [2, 1].find((retries) => lastRunEndsMs(retries, timeoutMs) <= gapMs) ?? 0;
}

/** @param gapMs the shortest time between two ticks, if it is known */
export function retriesOf(
  retries: FunctionEventInvokeConfig | undefined,
  timeoutMs: number,
  gapMs: number | undefined,
): Verdict {
  const { MaximumRetryAttempts: attempts = 2, MaximumEventAgeInSeconds: ageSeconds = 21_600 } = retries ?? {};
  const fit = retriesThatFit(timeoutMs, gapMs ?? Number.POSITIVE_INFINITY);
  if (attempts === 0) {
    if (fit === 0) return ok('none, which fits: a retry would meet the next tick');
    const remedy = `unless each tick may run at most once, allow ${fit}: a tick that failed is sent again`;
    return warning('none', remedy);
  }
  const found = `${attempts}, within ${shortSpan(ageSeconds * 1_000)}`;
  if (attempts <= fit) return ok(found);
  return warning(
    `${found}: the last may end ${shortSpan(lastRunEndsMs(attempts, timeoutMs))} after its tick, and the next tick comes after ${shortSpan(gapMs ?? 0)}`,
    `allow ${fit}, or shorten the timeout: a tick that comes while a retry has the lock is skipped as locked`,
  );
}

export function timeoutOf(timeoutMs: number, gapMs: number | undefined): Verdict {
  const found = shortSpan(timeoutMs);
  if (gapMs === undefined || timeoutMs < gapMs) return ok(found);
  return warning(
    `${found}, not less than the ${shortSpan(gapMs)} between two ticks`,
    'if this is not intended, shorten it: a tick that comes while a run has the lock is skipped',
  );
}
