/** The namespace of the metrics where none is given. */
export const EMF_NAMESPACE = 'SingleExecution';

/** The dimension of every metric: the lock's name, or that of its set. */
export const EMF_DIMENSION = 'LockName';

/** The second dimension of what an operator must hear of any lock, so that one alarm covers all locks of a function. */
export const EMF_FUNCTION_DIMENSION = 'FunctionName';

/** Every metric and its unit, as CloudWatch knows them; dashboards and alarms are built on these names. */
export const EMF_METRICS = {
  /** Runs that asked for the lock. */
  Attempts: 'Count',
  /** Runs that succeeded; 0 for one that was skipped because its tick is done, so that nothing is pending. */
  Executed: 'Count',
  /** Runs whose task failed. */
  Failed: 'Count',
  /** Runs that did not start. */
  Skipped: 'Count',
  /** Ticks that should have come before this one; at most 100 are counted at a time. */
  Missed: 'Count',
  /** Runs that lost their lock. */
  LockLost: 'Count',
  /** How long the task ran, whether it succeeded or failed. */
  Duration: 'Milliseconds',
  /** How long the lock was held, from the first send of the acquire to the end of the release. */
  HoldTime: 'Milliseconds',
  /** How far the host's clock is off at least, in either direction. */
  ClockSkew: 'Milliseconds',
} as const;

/** A number that a line of `emfObserver` can declare as a metric. */
export type EmfMetric = keyof typeof EMF_METRICS;

/** What is a metric unless more are asked for. The others are sums or near copies of these, or counted in the log. */
export const EMF_DEFAULTS: readonly EmfMetric[] = ['Executed', 'Failed', 'Missed', 'LockLost', 'HoldTime', 'ClockSkew'];
