import { Duration } from 'aws-cdk-lib';
import { Metric, type MetricOptions } from 'aws-cdk-lib/aws-cloudwatch';

/**
 * What a wrapped handler writes where its environment names a namespace, each with the dimension `LockName`. The last
 * three are metrics only where `emfObserver` is asked for them.
 */
export const LOCK_METRICS = [
  'Executed',
  'Failed',
  'Missed',
  'LockLost',
  'HoldTime',
  'ClockSkew',
  'Attempts',
  'Skipped',
  'Duration',
] as const;

/** A metric that wrapped handlers write, by its name in CloudWatch. */
export type LockMetricName = (typeof LOCK_METRICS)[number];

/**
 * A metric of one lock, or of the locks of one `prefix*`, by default its sum over 5 minutes.
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
    dimensionsMap: { LockName: dimensionValue(lockName) },
    statistic: 'Sum',
    period: Duration.minutes(5),
    ...options,
  });
}

/** A lock name as a dimension, which is printable ASCII: other characters are encoded as in a URI. */
function dimensionValue(lockName: string): string {
  return lockName.trim() === '' ? encodeURIComponent(lockName) : lockName.replace(/[^ -~]+/g, encodeURIComponent);
}
