import { Duration } from 'aws-cdk-lib';
import { CLOCK_SKEW_MS, LEASE_MARGIN_MS, LONGEST_LEASE_MS, leaseForRun, PAD_MS } from '../../src/core/values/lease.js';
import type { PlannedSchedule } from './planned-schedule.js';
import { DELIVERY_MS } from './retry-settings.js';

export interface LockTimes {
  readonly lockAtMostFor?: Duration | undefined;
  readonly lockAtLeastFor?: Duration | undefined;
  readonly timeout: Duration;
}

/** The longest time that a dead run's lock may stay held after its lease. */
const TAKEOVER_MS = PAD_MS + CLOCK_SKEW_MS;

/**
 * Refuses times that would let runs overlap or ticks be skipped.
 *
 * @throws RangeError with the times and the remedy
 */
export function checkLockTimes({ lockAtMostFor, lockAtLeastFor, timeout }: LockTimes): void {
  for (const [option, time] of Object.entries({ lockAtMostFor, lockAtLeastFor })) {
    if (time && time.toMilliseconds() > LONGEST_LEASE_MS) {
      throw new RangeError(`${option} is ${time.toHumanString()}: the library takes 24 hours at most`);
    }
  }
  const leastMs = leaseForRun(timeout.toMilliseconds());
  if (lockAtMostFor && lockAtMostFor.toMilliseconds() < leastMs) {
    const least = Duration.seconds(Math.ceil(leastMs / 1_000)).toHumanString();
    throw new RangeError(
      `lockAtMostFor is ${lockAtMostFor.toHumanString()}, too short for the function's timeout of ${timeout.toHumanString()}: a holder stops 1 % of the lease before its end, so that a longer run loses its lock; raise it to at least ${least}, or leave it out`,
    );
  }
  if (lockAtMostFor && lockAtLeastFor && lockAtLeastFor.toMilliseconds() > lockAtMostFor.toMilliseconds()) {
    throw new RangeError(
      `lockAtLeastFor is ${lockAtLeastFor.toHumanString()}, longer than lockAtMostFor of ${lockAtMostFor.toHumanString()}: lower it, or raise lockAtMostFor`,
    );
  }
}

/**
 * Refuses a lock that is kept until its next tick is due: that tick would be skipped as `lock-at-least-for`.
 *
 * @throws RangeError with both times and the remedy
 */
export function checkLockAtLeastFor(
  lockAtLeastFor: Duration | undefined,
  { schedule, gaps }: Pick<PlannedSchedule, 'schedule' | 'gaps'>,
): void {
  if (!lockAtLeastFor || !gaps || lockAtLeastFor.toMilliseconds() < gaps.shortestMs) return;
  const period = Duration.millis(gaps.shortestMs);
  throw new RangeError(
    `lockAtLeastFor is ${lockAtLeastFor.toHumanString()}, and ${schedule.expressionString} can be due again after ${period.toHumanString()}: that tick would be skipped; lower lockAtLeastFor`,
  );
}

/**
 * Returns the warning for a run that is killed at its timeout and keeps its lock beyond Lambda's first retry; undefined
 * if that cannot happen. The retry would be skipped as `locked`. A skip is not a failure, so no further retry would
 * follow, and the tick would be lost.
 *
 * @param retryDelayMs the time from the end of the run to its retry
 */
export function lockedRetry(
  { lockAtMostFor, lockAtLeastFor, timeout }: LockTimes,
  retryDelayMs: number,
): string | undefined {
  const leaseMs = lockAtMostFor?.toMilliseconds() ?? timeout.toMilliseconds() + LEASE_MARGIN_MS;
  const keptMs = Math.max(leaseMs, lockAtLeastFor?.toMilliseconds() ?? 0) + TAKEOVER_MS;
  const retryMs = timeout.toMilliseconds() + retryDelayMs;
  if (keptMs <= retryMs) return undefined;
  const kept = Duration.millis(keptMs).toHumanString();
  return `a run that is killed at its timeout of ${timeout.toHumanString()} keeps its lock for up to ${kept}, and Lambda's retry comes after ${Duration.millis(retryMs).toHumanString()}: it would be skipped as locked, and the tick lost; lower lockAtMostFor and lockAtLeastFor below that, or raise the timeout`;
}

/**
 * Returns the warning for a tick that is sent late and keeps the lock until the next tick is due, so that the next tick
 * is skipped; undefined if that cannot happen.
 */
export function lateTickIsInTheWay(
  lockAtLeastFor: Duration | undefined,
  { schedule, gaps }: Pick<PlannedSchedule, 'schedule' | 'gaps'>,
): string | undefined {
  if (!lockAtLeastFor || !gaps || lockAtLeastFor.toMilliseconds() <= gaps.shortestMs - DELIVERY_MS) return undefined;
  return `lockAtLeastFor is ${lockAtLeastFor.toHumanString()}: EventBridge can be a minute late, and a late tick would then hold the lock when the next of ${schedule.expressionString} comes, which is skipped; leave a minute between`;
}
