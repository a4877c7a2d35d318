import { Duration } from 'aws-cdk-lib';
import { type AlarmProps, ComparisonOperator, MathExpression, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { attempts, DELAY_MINUTES, executions, type WatchedSet } from './set-metrics.js';

const MINUTE = Duration.minutes(1);
/** An alarm with periods of a minute looks back over a day at most. */
const MOST_MINUTES = 1_440;

/*
 * A tick was sent, and no run did it. The last news of the set counts, however long ago it came: for each minute with
 * news, the expression is how many runs succeeded, found the tick done, or failed; 0 where a delivery was attempted and
 * none of that. A failed run counts as news that somebody else tells: Lambda tries again, or the tick is a dead letter.
 * An invocation without an error is no news, since others may invoke the function as well. Only where deliveries cannot
 * be told apart does it count as a tick that was sent.
 *
 * What that rests on, by AWS's documents:
 * - In a sum of two series a point that one of them lacks counts as 0. `IF` drops the points that its condition lacks,
 *   and takes 0 for those that its second argument lacks. `FILL(…, REPEAT)` repeats the last value
 *   (awsdocs/amazon-cloudwatch-user-guide at cc40332, doc_source/using-metric-math.md).
 * - `ignore` keeps the alarm's state where all points are missing, as in a night without ticks, and where those that
 *   there are all breach and are too few, as after a night (the same, doc_source/AlarmThatSendsEmail.md).
 * - Lambda reports `Errors` for each invocation, 0 for one without an error, for the minute of its start
 *   (awsdocs/aws-lambda-developer-guide, doc_source/monitoring-metrics.md).
 * - Scheduler reports `InvocationAttemptCount` by `ScheduleGroup`, on a best-effort basis (EventBridge Scheduler's user
 *   guide, "Monitoring with CloudWatch"). Where it is missing, that tick is not missed.
 */

/**
 * The alarm that a tick was sent and not done; undefined where nothing tells that one was sent.
 *
 * @param leastMs how long a run and its retries can take
 * @throws RangeError when the alarm is asked to wait for less than that, or for longer than it can
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

/** Without a group of schedules, only an invocation of the function tells that a tick was sent. */
function newsOf({ group, isAlone }: WatchedSet): string {
  if (!group) return 'executed + errors';
  return isAlone ? 'attempted + executed + IF(errors, errors)' : 'attempted + executed';
}
