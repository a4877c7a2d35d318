import { Duration } from 'aws-cdk-lib';
import { Metric, type MetricOptions } from 'aws-cdk-lib/aws-cloudwatch';
import { dimensionValue, EMF_DIMENSION, type EmfMetric } from '../../src/core/observers/emf-metrics.js';
import { lockSetOf } from './alarms/lock-sets.js';

/**
 * A metric that a wrapped handler writes if its environment names a namespace, by its name in CloudWatch. `Attempts`,
 * `Skipped` and `Duration` are metrics only if the option `metrics` of `emfObserver` lists them.
 */
export type LockMetricName = EmfMetric;

/**
 * Makes a metric of one lock, or of all locks of one `prefix*`; by default the sum over 5 minutes.
 *
 * @example
 * ```ts
 * import type { SingleExecutionFunction } from 'single-execution/cdk';
 * import { lockMetric } from 'single-execution/cdk';
 *
 * export function missedBy(fn: SingleExecutionFunction) {
 *   return lockMetric(fn.metricNamespace, 'Missed', 'send-digest');
 * }
 * ```
 */
export function lockMetric(
  namespace: string,
  metricName: LockMetricName,
  lockName: string,
  options: MetricOptions = {},
): Metric {
  return new Metric({
    namespace,
    metricName,
    dimensionsMap: { [EMF_DIMENSION]: dimensionValue(lockName) },
    statistic: 'Sum',
    period: Duration.minutes(5),
    ...options,
  });
}

/** Options of a metric, and the lock that it measures. */
export interface LockMetricOptions extends MetricOptions {
  /** The name of the lock. @default the only lock of the function, or all locks of its only `prefix*` */
  readonly lockName?: string;
}

/** The function whose metric is asked for. */
interface MetricOwner {
  readonly namespace: string;
  readonly lockNames: readonly string[];
  /** Whether the function's runs write metrics. */
  readonly isWritten: boolean;
}

/** Metrics whose greatest value counts, not their sum. */
const GREATEST: readonly LockMetricName[] = ['HoldTime', 'ClockSkew'];

/**
 * Makes a metric of a function's lock over 5 minutes: the sum of a count, or the greatest value of a measurement.
 *
 * @throws TypeError if the function has several locks and `lockName` is missing, or if its runs write no metrics
 */
export function ownMetric(
  { namespace, lockNames, isWritten }: MetricOwner,
  metricName: LockMetricName,
  { lockName, ...options }: LockMetricOptions = {},
): Metric {
  if (!isWritten) {
    throw new TypeError(
      `metric ${metricName} is asked for, and runs write no metrics with alarms.level 'fleet': choose LockAlarmLevel.ESSENTIAL or ALL`,
    );
  }
  const [only, ...others] = new Set(lockNames.map((name) => lockSetOf(name, lockNames)));
  const name = lockName === undefined && others.length === 0 ? only : lockName && lockSetOf(lockName, lockNames);
  if (!name) {
    throw new TypeError(
      `metric ${metricName} is asked for without lockName, and lockNames is [${lockNames.join(', ')}]: name one with lockName`,
    );
  }
  const statistic = GREATEST.includes(metricName) ? 'Maximum' : 'Sum';
  return lockMetric(namespace, metricName, name, { statistic, ...options });
}
