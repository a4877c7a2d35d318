import { Duration } from 'aws-cdk-lib';
import { type AlarmProps, ComparisonOperator, MathExpression, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { attempts, DELAY_MINUTES, executions, type SetMetrics, type WatchedSet } from './set-metrics.js';

const HOUR_MINUTES = 60;
const DAY_MINUTES = 24 * HOUR_MINUTES;
const PERIODS = 10;

/*
 * Nothing was heard of the set for longer than its schedule allows: the schedule is off, or was deleted. For each period
 * since something was heard, the expression is how many seconds ago that was. Before anything was heard there is no value,
 * and the alarm waits (INSUFFICIENT_DATA): a new lock is not missed before its first tick. CloudWatch fetches the
 * evaluation periods, and some more that it does not promise. The oldest period of them must therefore be enough: one
 * breaching point of all of them is an alarm, and the threshold is one period less than they are long together.
 *
 * `EPOCH` has a value in every period, whether the series has one or not; for the rest see did-not-run.ts. An alarm looks
 * back 7 days at most, and a day where its period is shorter than an hour (CloudWatch's PutMetricAlarm).
 */

/** How an alarm looks back over a time. */
interface LookBack {
  readonly periodMinutes: number;
  readonly periods: number;
}

/** How to look back for so long: in about ten periods, or in shorter ones where those are too long together. */
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
 * The alarm that no tick was sent; undefined where an alarm cannot look back for so long.
 *
 * @param leastMs how far two ticks of the schedule and their runs can be apart
 * @throws RangeError when the alarm is asked to wait for less than that, or for longer than it can
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
      `alarms.notTriggered.after is ${after.toHumanString()}: an alarm looks back less than 7 days; lower it, or give notTriggered: false`,
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
 * Runs are news beside attempts, of which Scheduler may miss to tell. Without attempts, an invocation of a function of
 * this set alone is, even if nobody did the tick.
 */
function heard(set: WatchedSet, period: Duration): SetMetrics {
  if (set.group || !set.isAlone) return { ...attempts(set, period), ...executions(set, period) };
  return { invoked: set.fn.metricInvocations({ period, statistic: 'Sum' }) };
}
