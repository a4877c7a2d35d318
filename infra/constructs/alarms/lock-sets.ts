import { CfnScheduleGroup } from 'aws-cdk-lib/aws-scheduler';
import type { Construct } from 'constructs';
import { LOCK_SETS_VARIABLE, lockSetOf as prefixOf } from '../../../src/core/observers/emf-metrics.js';
import { lockId, type PlannedSchedule } from '../planned-schedule.js';

/** Locks that share metrics and alarms: one lock, or all locks of a `prefix*`. */
export interface LockSet {
  /** As the dimension `LockName` has it: the lock's name, or the prefix. */
  readonly name: string;
  /** The schedules of its locks. */
  readonly schedules: readonly PlannedSchedule[];
  /** The group of its schedules and of no others, whose metrics are therefore the set's. */
  readonly group?: CfnScheduleGroup;
}

/** The prefixes among lock names, each of which is one set, as the environment variable has them. */
export function lockSetVariable(lockNames: readonly string[]): Readonly<Record<string, string>> {
  const prefixes = lockNames.filter(isPrefix);
  return prefixes.length === 0 ? {} : { [LOCK_SETS_VARIABLE]: JSON.stringify(prefixes) };
}

/** The set of a lock: the longest prefix that it begins with, else the lock alone. */
export function lockSetOf(lockName: string, lockNames: readonly string[]): string {
  return prefixOf(lockName, lockNames.filter(isPrefix)) ?? lockName;
}

const isPrefix = (name: string): boolean => name.endsWith('*');

/** The sets that schedules belong to, each with a group of its own where Scheduler can tell its metrics apart. */
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

/** A rule has no group, and a group that somebody gave may have other schedules. */
const isScheduled = ({ via, scheduleGroup: given }: PlannedSchedule): boolean => via !== 'rule' && given === undefined;
