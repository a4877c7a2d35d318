import { lockKeys, overlap } from './lock-keys.js';
import type { LockSchedule } from './lock-schedule.js';
import { runGaps } from './run-gaps.js';
import type { ScheduleGaps } from './schedule-gaps.js';

/** A schedule of a function, completed by the construct. */
export interface PlannedSchedule extends LockSchedule {
  /**
   * The id for the names of constructs: the encoded name of the lock. For the second and later schedules of a lock, a
   * number follows.
   */
  readonly id: string;
  /** The name of the lock that the schedule's runs take. */
  readonly lockName: string;
  /** Whether the schedule is on. */
  readonly enabled: boolean;
  /** The shortest and the longest time between two runs of the schedule; `undefined` if it fires once. */
  readonly gaps: ScheduleGaps | undefined;
}

/**
 * Finds the lock of each schedule of a function, and the time between its runs.
 *
 * @throws TypeError if a schedule names no lock, or a lock that the function may not take
 */
export function planSchedules(
  schedules: readonly LockSchedule[],
  lockNames: readonly string[],
  keyPrefix: string,
): PlannedSchedule[] {
  if (schedules.length === 0) throw new TypeError('schedules is empty: pass at least one');
  const counts = new Map<string, number>();
  return schedules.map((options) => {
    const lockName = lockNameOf(options, lockNames, keyPrefix);
    const count = (counts.get(lockName) ?? 0) + 1;
    counts.set(lockName, count);
    const id = count === 1 ? lockId(lockName) : `${lockId(lockName)}:${count}`;
    return {
      ...options,
      enabled: options.enabled ?? true,
      id,
      lockName,
      gaps: runGaps(options.schedule, options.timeWindow),
    };
  });
}

/** Makes a warning for each lock that has several schedules. */
export function sharedLockWarnings(planned: readonly PlannedSchedule[]): string[] {
  const lockNames = new Set(planned.map(({ lockName }) => lockName));
  return [...lockNames].flatMap((lockName) => {
    const schedules = planned.filter((schedule) => schedule.lockName === lockName);
    if (schedules.length === 1) return [];
    const expressions = schedules.map(({ schedule }) => schedule.expressionString).join(' and ');
    return [
      `lock "${lockName}" has ${expressions}: only one of the ticks that are due at the same minute runs, retries and lockAtLeastFor are checked for each schedule by itself, and no alarm reports which of them did not run; use one lock for each, unless that is wanted`,
    ];
  });
}

/** EventBridge's default quota of rules on a bus. An account can have it raised. */
const MOST_RULES = 300;

/** Makes the warning for more rules than a bus takes; undefined if the bus takes all rules. */
export function tooManyRules(planned: readonly PlannedSchedule[]): string | undefined {
  const rules = planned.filter(({ via }) => via === 'rule').length;
  if (rules <= MOST_RULES) return undefined;
  return `${rules} schedules are rules, and EventBridge takes ${MOST_RULES} on a bus unless the account has a higher quota; leave out via: 'rule', or have the quota raised`;
}

/** Encodes a lock's name for the id of a construct, because CDK takes `a/b` and `a--b` for the same id. */
export function lockId(lockName: string): string {
  return encodeURIComponent(lockName);
}

function lockNameOf({ schedule, lockName }: LockSchedule, lockNames: readonly string[], keyPrefix: string): string {
  const [only, ...others] = lockNames;
  const name = lockName ?? (others.length === 0 && !only?.endsWith('*') ? only : undefined);
  if (name === undefined) {
    throw new TypeError(
      `schedule ${schedule.expressionString} names no lock, and lockNames is [${lockNames.join(', ')}]: set lockName to the one that its runs take`,
    );
  }
  const keys = lockKeys(name, keyPrefix);
  if (keys.kind === 'prefix' || !lockNames.some((allowed) => overlap(keys, lockKeys(allowed, keyPrefix)))) {
    throw new TypeError(
      `lockName of schedule ${schedule.expressionString} is '${name}': pass one name that lockNames [${lockNames.join(', ')}] allows`,
    );
  }
  return name;
}
