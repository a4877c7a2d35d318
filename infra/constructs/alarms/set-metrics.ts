import type { Duration } from 'aws-cdk-lib';
import { type IMetric, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { lockMetric } from '../lock-metrics.js';
import type { LockSet } from './lock-sets.js';

/** CloudWatch shows a metric, or a line of the log as one, some time after it was written. */
export const DELAY_MINUTES = 5;

/** What tells about a set of locks. */
export interface WatchedSet extends LockSet {
  readonly fn: IFunction;
  readonly namespace: string;
  /** Whether the function takes no other locks, so that its own metrics are those of the set. */
  readonly isAlone: boolean;
}

export type SetMetrics = Readonly<Record<string, IMetric>>;

/** How often Scheduler tried to invoke the function for this set; none where that cannot be told apart. */
export function attempts({ group }: WatchedSet, period: Duration): SetMetrics {
  if (!group) return {};
  const [namespace, metricName] = ['AWS/Scheduler', 'InvocationAttemptCount'];
  const dimensionsMap = { ScheduleGroup: group.ref };
  return { attempted: new Metric({ namespace, metricName, dimensionsMap, statistic: 'Sum', period }) };
}

/** How many runs succeeded, and skips of a tick that is done: those report 0, which is a sample as well. */
export function executions({ namespace, name }: WatchedSet, period: Duration): SetMetrics {
  return { executed: lockMetric(namespace, 'Executed', name, { period, statistic: 'SampleCount' }) };
}
