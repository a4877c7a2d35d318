import { Duration } from 'aws-cdk-lib';
import { type AlarmProps, ComparisonOperator, MathExpression, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { attempts, DELAY_MINUTES, executions, type SetMetrics, type WatchedSet } from './set-metrics.js';

const HOUR_MINUTES = 60;
const DAY_MINUTES = 24 * HOUR_MINUTES;
const PERIODS = 10;

/*
 * This alarm goes off when there was no news of the set, neither an attempt nor a run, for longer than its schedule
 * allows: the schedule is off, or was deleted. In each period after the first news, the expression is the age of the
 * last news in seconds. Before the first news it has no value, and the alarm waits (INSUFFICIENT_DATA), so a new lock
 * does not set it off before its first tick. CloudWatch fetches the evaluation periods. It may fetch older periods too,
 * but does not promise that. So the value in the oldest evaluation period must be enough: one breaching point sets off
 * the alarm, and the threshold is the length of all evaluation periods but one.
 *
 * `EPOCH` has a value in every period, even if its series has no value there. did-not-run.ts explains the other
 * functions. An alarm looks back 7 days at most, and one day if its period is shorter than an hour (CloudWatch's
 * PutMetricAlarm).
 */

/** The periods over which an alarm looks back. */
interface LookBack {
  readonly periodMinutes: number;
  readonly periods: number;
}

/**
 * Divides the minutes that an alarm looks back into about ten periods. If CloudWatch does not allow such periods,
 * divides the minutes into periods of an hour. Returns undefined if an alarm cannot look back that far.
 */
export function lookBack(minutes: number): LookBack | undefined {
  const candidates = [Math.ceil(minutes / PERIODS), HOUR_MINUTES];
  return candidates
    .map((periodMinutes) => ({ periodMinutes, periods: Math.ceil(minutes / periodMinutes) + 2 }))
    .find(({ periodMinutes, periods }) => {
      const days = periodMinutes < HOUR_MINUTES ? 1 : 7;
      return periodMinutes * periods <= days * DAY_MINUTES;
    });
}

/**
 * Makes the properties of an alarm for a schedule that sends no ticks; undefined if an alarm cannot look back that far.
 *
 * @param leastMs the longest time between two ticks of the schedule, including their runs
 * @throws RangeError if `after` is shorter than `leastMs`, or longer than an alarm can look back
 */
export function notTriggered(
  set: WatchedSet,
  leastMs: number,
  after: Duration | undefined,
): Omit<AlarmProps, 'alarmDescription'> | undefined {
  if (after && after.toMilliseconds() < leastMs) {
    throw new RangeError(
      `alarms.notTriggered.after is ${after.toHumanString()}: ticks and their runs can be ${Duration.millis(leastMs).toHumanString()} apart; raise it, or leave it out`,
    );
  }
  const found = lookBack(Math.ceil((after?.toMilliseconds() ?? leastMs) / 60_000) + DELAY_MINUTES);
  if (!found && after) {
    throw new RangeError(
      `alarms.notTriggered.after is ${after.toHumanString()}: an alarm looks back less than 7 days; lower it, or set notTriggered: false`,
    );
  }
  if (!found) return undefined;
  const period = Duration.minutes(found.periodMinutes);
  const metrics = heard(set, period);
  const last = new MathExpression({
    expression: `FILL(IF(${Object.keys(metrics).join(' + ')}, EPOCH(${Object.keys(metrics)[0]})), REPEAT)`,
    usingMetrics: metrics,
    period,
    label: 'when it was last heard of',
  });
  return {
    metric: new MathExpression({
      expression: 'IF(last, EPOCH(last) - last)',
      usingMetrics: { last },
      period,
      label: `${set.name}: seconds since it was heard of`,
    }),
    comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
    threshold: (found.periods - 1) * period.toSeconds(),
    evaluationPeriods: found.periods,
    datapointsToAlarm: 1,
    treatMissingData: TreatMissingData.IGNORE,
  };
}

/**
 * Returns the metrics whose values are news of a set: attempts and runs, because Scheduler may fail to report an
 * attempt. If the set has no schedule group, and the function no other set, each invocation is news, even if no run did
 * the tick.
 */
function heard(set: WatchedSet, period: Duration): SetMetrics {
  if (set.group || !set.isAlone) return { ...attempts(set, period), ...executions(set, period) };
  return { invoked: set.fn.metricInvocations({ period, statistic: 'Sum' }) };
}
