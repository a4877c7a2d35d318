import { CfnScheduleGroup } from 'aws-cdk-lib/aws-scheduler';
import type { Construct } from 'constructs';
import { LOCK_SETS_VARIABLE, lockSetOf as prefixOf } from '../../../src/core/observers/emf-metrics.js';
import { lockId, type PlannedSchedule } from '../planned-schedule.js';

/** Locks that share metrics and alarms: one lock, or all locks of a `prefix*`. */
export interface LockSet {
  /** The value of the dimension `LockName`: the lock's name, or `prefix*`. */
  readonly name: string;
  /** The schedules whose locks are in the set. */
  readonly schedules: readonly PlannedSchedule[];
  /** A group that contains exactly the set's schedules, so that the group's metrics are also the set's metrics. */
  readonly group?: CfnScheduleGroup;
}

/**
 * Makes the environment variable that lists the prefixes among lock names, if there are any. Each prefix is one set.
 */
export function lockSetVariable(lockNames: readonly string[]): Readonly<Record<string, string>> {
  const prefixes = lockNames.filter(isPrefix);
  return prefixes.length === 0 ? {} : { [LOCK_SETS_VARIABLE]: JSON.stringify(prefixes) };
}

/** Returns the name of a lock's set: the longest `prefix*` that fits the lock, else the lock's own name. */
export function lockSetOf(lockName: string, lockNames: readonly string[]): string {
  return prefixOf(lockName, lockNames.filter(isPrefix)) ?? lockName;
}

const isPrefix = (name: string): boolean => name.endsWith('*');

/** Makes the sets that schedules belong to. A set gets its own schedule group if all its schedules can be in one. */
export function lockSets(
  scope: Construct,
  schedules: readonly PlannedSchedule[],
  lockNames: readonly string[],
): LockSet[] {
  const names = new Set(schedules.map(({ lockName }) => lockSetOf(lockName, lockNames)));
  return [...names].map((name) => {
    const own = schedules.filter(({ lockName }) => lockSetOf(lockName, lockNames) === name);
    return own.every(isScheduled)
      ? { name, schedules: own, group: new CfnScheduleGroup(scope, `Schedules:${lockId(name)}`) }
      : { name, schedules: own };
  });
}

/**
 * Whether a schedule can be in its set's own group. A rule has no group, and a group given by the user may have other
 * schedules.
 */
const isScheduled = ({ via, scheduleGroup: given }: PlannedSchedule): boolean => via !== 'rule' && given === undefined;
