import { Duration } from 'aws-cdk-lib';
import { type AlarmProps, ComparisonOperator, MathExpression, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { attempts, DELAY_MINUTES, executions, type WatchedSet } from './set-metrics.js';

const MINUTE = Duration.minutes(1);
/** An alarm with periods of a minute looks back over a day at most. */
const MOST_MINUTES = 1_440;

/*
 * This alarm goes off when a tick was sent and no run did it. In each minute with news of the set (an attempt, a run or
 * an error) the expression has a value, and `FILL` repeats the last value:
 * - the number of calls that succeeded, failed, or were skipped because their tick or a newer tick is done. A failed
 *   run does not set off this alarm: Lambda retries it, or the tick becomes a dead letter.
 * - 0 if there were only delivery attempts.
 *
 * An invocation without an error proves nothing, because the function can also be invoked without a schedule. Without a
 * schedule group, attempts cannot be counted: then such an invocation is news, with the value 0.
 *
 * The expression relies on these facts, from AWS's documents:
 * - In a sum of two series, a point that one series lacks counts as 0. `IF` has no point if its condition has none, and
 *   takes 0 for a point that its second argument lacks. `FILL(…, REPEAT)` repeats the last value
 *   (awsdocs/amazon-cloudwatch-user-guide at cc40332, doc_source/using-metric-math.md).
 * - `ignore` keeps the alarm's state if all points are missing (a night without ticks), or if every existing point
 *   breaches but there are too few (just after that night) (the same repository, doc_source/AlarmThatSendsEmail.md).
 * - Lambda reports `Errors` for each invocation, in the minute of its start: 0 for an invocation without an error
 *   (awsdocs/aws-lambda-developer-guide, doc_source/monitoring-metrics.md).
 * - Scheduler reports `InvocationAttemptCount` by `ScheduleGroup`, on a best-effort basis (EventBridge Scheduler's user
 *   guide, "Monitoring with CloudWatch"). If that metric is missing, this alarm does not see the tick.
 */

/**
 * Makes the properties of an alarm for a tick that was sent and not done; undefined if no metric shows that a tick was
 * sent.
 *
 * @param leastMs the longest time that a run and its retries can take
 * @throws RangeError if `after` is shorter than `leastMs` and CloudWatch's delay, or longer than an alarm can look back
 */
export function didNotRun(
  set: WatchedSet,
  leastMs: number,
  after: Duration | undefined,
): Omit<AlarmProps, 'alarmDescription'> | undefined {
  if (!set.group && !set.isAlone) return undefined;
  const least = Duration.minutes(Math.ceil(leastMs / MINUTE.toMilliseconds()) + DELAY_MINUTES);
  if (after && after.toMilliseconds() < least.toMilliseconds()) {
    throw new RangeError(
      `alarms.didNotRun.after is ${after.toHumanString()}: a run and its retries can take ${least.toHumanString()}; raise it, or leave it out`,
    );
  }
  const minutes = after ? Math.ceil(after.toSeconds() / 60) : least.toMinutes();
  if (after && minutes > MOST_MINUTES) {
    throw new RangeError(
      `alarms.didNotRun.after is ${after.toHumanString()}: an alarm looks back 1 day at most; lower it`,
    );
  }
  const metrics = {
    ...attempts(set, MINUTE),
    ...executions(set, MINUTE),
    errors: set.fn.metricErrors({ period: MINUTE, statistic: 'Sum' }),
  };
  return {
    metric: new MathExpression({
      expression: `FILL(IF(${newsOf(set)}, executed + errors, 0), REPEAT)`,
      usingMetrics: metrics,
      period: MINUTE,
      label: `${set.name}: whether the last tick was done`,
    }),
    comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD,
    threshold: 1,
    evaluationPeriods: minutes,
    treatMissingData: TreatMissingData.IGNORE,
  };
}

/**
 * Makes the expression that has a value in each minute with news of the set (see above). Without a schedule group,
 * attempts are not counted, and any invocation is news.
 */
function newsOf({ group, isAlone }: WatchedSet): string {
  if (!group) return 'executed + errors';
  return isAlone ? 'attempted + executed + IF(errors, errors)' : 'attempted + executed';
}
