import { Duration } from 'aws-cdk-lib';
import type { PlannedSchedule } from './planned-schedule.js';

export interface LockTimes {
  readonly lockAtMostFor?: Duration | undefined;
  readonly lockAtLeastFor?: Duration | undefined;
  readonly timeout: Duration;
}

/**
 * Refuses times that would let runs overlap or ticks be skipped.
 *
 * @throws RangeError naming both times and the remedy
 */
export function checkLockTimes({ lockAtMostFor, lockAtLeastFor, timeout }: LockTimes): void {
  if (lockAtMostFor && lockAtMostFor.toMilliseconds() < timeout.toMilliseconds()) {
    throw new RangeError(
      `lockAtMostFor is ${lockAtMostFor.toHumanString()}, shorter than the function's time-out of ${timeout.toHumanString()}: a run that takes longer loses its lock; raise it to at least the time-out, or leave it out`,
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
 * @throws RangeError naming both times and the remedy
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
