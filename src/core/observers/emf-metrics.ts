/** The namespace of the metrics where none is given. */
export const EMF_NAMESPACE = 'SingleExecution';

/** The one dimension of every metric: the lock's name. */
export const EMF_DIMENSION = 'LockName';

/** Every metric and its unit, as CloudWatch knows them; dashboards and alarms are built on these names. */
export const EMF_METRICS = {
  /** Runs that asked for the lock. */
  Attempts: 'Count',
  /** Runs that succeeded. */
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

export type EmfMetric = keyof typeof EMF_METRICS;
