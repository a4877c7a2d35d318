import { Duration } from 'aws-cdk-lib';
import { Metric, type MetricOptions } from 'aws-cdk-lib/aws-cloudwatch';
import { lockSetOf } from './alarms/lock-sets.js';

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

/** Options of a metric, and which lock's it is. */
export interface LockMetricOptions extends MetricOptions {
  /** The lock. @default the function's only one, or all of its only `prefix*` */
  readonly lockName?: string;
}

/** Whose metrics are asked for. */
interface MetricOwner {
  readonly namespace: string;
  readonly lockNames: readonly string[];
  /** Whether its runs write metrics. */
  readonly isWritten: boolean;
}

/** Metrics that are sums of nothing: the greatest value counts. */
const GREATEST: readonly LockMetricName[] = ['HoldTime', 'ClockSkew'];

/**
 * A metric of a function's lock, over 5 minutes: the sum of what is counted, the greatest of what is measured.
 *
 * @throws TypeError when the function has several locks and none is named, or its runs write no metrics
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
      `metric ${metricName} is asked for without lockName, and lockNames is [${lockNames.join(', ')}]: say which one with lockName`,
    );
  }
  const statistic = GREATEST.includes(metricName) ? 'Maximum' : 'Sum';
  return lockMetric(namespace, metricName, name, { statistic, ...options });
}

/** A lock name as a dimension, which is printable ASCII: other characters are encoded as in a URI. */
function dimensionValue(lockName: string): string {
  return lockName.trim() === '' ? encodeURIComponent(lockName) : lockName.replace(/[^ -~]+/g, encodeURIComponent);
}
