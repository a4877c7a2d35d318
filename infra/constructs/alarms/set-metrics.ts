import type { Duration } from 'aws-cdk-lib';
import { type IMetric, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { lockMetric } from '../lock-metrics.js';
import type { LockSet } from './lock-sets.js';

/** How long CloudWatch may take to show a metric, or to make one from a line of the log. */
export const DELAY_MINUTES = 5;

/** A set of locks, and what its metrics need. */
export interface WatchedSet extends LockSet {
  readonly fn: IFunction;
  readonly namespace: string;
  /** Whether the function takes no other locks, so that the function's metrics are also the set's metrics. */
  readonly isAlone: boolean;
}

export type SetMetrics = Readonly<Record<string, IMetric>>;

/** Makes the metric of how often Scheduler tried to invoke the function for this set; none without a schedule group. */
export function attempts({ group }: WatchedSet, period: Duration): SetMetrics {
  if (!group) return {};
  const [namespace, metricName] = ['AWS/Scheduler', 'InvocationAttemptCount'];
  const dimensionsMap = { ScheduleGroup: group.ref };
  return { attempted: new Metric({ namespace, metricName, dimensionsMap, statistic: 'Sum', period }) };
}

/**
 * Makes the metric of how many calls succeeded, or were skipped because their tick or a newer tick is done. Such a skip
 * reports 0, which is a sample too.
 */
export function executions({ namespace, name }: WatchedSet, period: Duration): SetMetrics {
  return { executed: lockMetric(namespace, 'Executed', name, { period, statistic: 'SampleCount' }) };
}
