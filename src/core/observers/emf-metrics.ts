/** The namespace of the metrics if none is given. */
export const EMF_NAMESPACE = 'SingleExecution';

/** The dimension of every metric: the name of the lock, or of its set. */
export const EMF_DIMENSION = 'LockName';

/** The second dimension of metrics that an operator must see, so that one alarm covers all locks of a function. */
export const EMF_FUNCTION_DIMENSION = 'FunctionName';

/**
 * Returns a lock's name as the value of a dimension. CloudWatch drops a dimension unless its value is printable ASCII
 * and not all blank, so other names are encoded as in a URI.
 */
export function dimensionValue(name: string): string {
  return name.trim() === '' ? encodeURIComponent(name) : name.replace(/[^ -~]+/g, encodeURIComponent);
}

/** Every metric and its unit, as CloudWatch knows them; dashboards and alarms are built on these names. */
export const EMF_METRICS = {
  /** Calls that asked for the lock. */
  Attempts: 'Count',
  /**
   * Runs that succeeded, without those by hand. A call that is skipped because its tick or a newer tick is done reports
   * 0. Alarms count that sample: the tick needs no run.
   */
  Executed: 'Count',
  /** Runs that failed. */
  Failed: 'Count',
  /** Calls that were skipped. */
  Skipped: 'Count',
  /** Ticks that should have come before the run's own and did not; one event counts at most 10,100. */
  Missed: 'Count',
  /** Runs that lost their lock. */
  LockLost: 'Count',
  /** How long the task ran, whether it succeeded or failed. */
  Duration: 'Milliseconds',
  /** How long the lock was held, from the first send of the acquire to the end of the release. */
  HoldTime: 'Milliseconds',
  /** A lower bound of the error of the host's clock, ahead or behind. */
  ClockSkew: 'Milliseconds',
} as const;

/** A number that a line of `emfObserver` can declare as a metric. */
export type EmfMetric = keyof typeof EMF_METRICS;

/**
 * The metrics that are written by default. The other metrics are sums or near copies of these, or can be counted in the
 * log.
 */
export const EMF_DEFAULTS: readonly EmfMetric[] = ['Executed', 'Failed', 'Missed', 'LockLost', 'HoldTime', 'ClockSkew'];

/** The variable of the environment that names the metrics' namespace. */
export const NAMESPACE_VARIABLE = 'SINGLE_EXECUTION_NAMESPACE';

/**
 * Matches a namespace that CloudWatch accepts: 1 to 255 of these characters, not all blank, and no `:` or `AWS/` at the
 * start.
 */
const VALID = /^(?!:|AWS\/)(?=.*\S)[0-9A-Za-z._\-/#: ]{1,255}$/;

/** Returns the problem of a namespace, with the remedy; undefined if CloudWatch accepts the namespace. */
export function namespaceProblem(namespace: string): string | undefined {
  return VALID.test(namespace)
    ? undefined
    : 'pass 1 to 255 of 0-9 A-Z a-z . - _ / # : and space, not all blank, with no colon and no AWS/ first';
}

/** The variable of the environment that names sets of locks: a JSON list of prefixes, such as `["tenant-sync/*"]`. */
export const LOCK_SETS_VARIABLE = 'SINGLE_EXECUTION_LOCK_SETS';

const REMEDY = 'pass a list of prefixes that end in \'*\', such as ["tenant-sync/*"]';

/** Returns the problem of the names of sets, with the remedy; undefined if the names are a list of prefixes. */
export function lockSetsProblem(sets: unknown): string | undefined {
  return Array.isArray(sets) && sets.every((set) => typeof set === 'string' && /.\*$/s.test(set)) ? undefined : REMEDY;
}

/** Reads the names of sets from the text of the variable, as JSON. {@link lockSetsProblem} checks the result. */
export function readLockSets(text: string | undefined): unknown {
  if (!text) return [];
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/**
 * Finds the set that a lock belongs to: the longest prefix with which the lock's name begins; undefined if no prefix
 * fits.
 */
export function lockSetOf(name: string, sets: readonly string[]): string | undefined {
  const [set] = sets.filter((prefix) => name.startsWith(prefix.slice(0, -1))).sort((a, b) => b.length - a.length);
  return set;
}
