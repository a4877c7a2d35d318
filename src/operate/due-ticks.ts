import { healthOf } from '../admin/job-health.js';
import type { LockInfo } from '../admin/lock-admin.js';
import { defined } from '../core/values/defined.js';

export { type CheckedJob, lookAtJobs, summaryOf } from '../admin/job-health.js';
export { readAt } from '../admin/overdue.js';

/** The ticks of a job that are not done yet, by the schedule in its record. */
export interface DueTicks {
  /** The oldest tick that is overdue; absent if none is. */
  readonly overdueTick?: Date;
  /** The next tick. */
  readonly nextTick?: Date;
  /** Why nobody can read the schedule in the record. */
  readonly scheduleProblem?: string;
}

/** Adds the overdue tick and the next one to a lock whose record has a schedule. */
export function withDueTicks(lock: LockInfo): LockInfo & DueTicks {
  if (lock.schedule === undefined || lock.state === 'corrupt') return lock;
  const { overdueTick, nextTick, problem } = healthOf(lock.name, lock);
  return { ...lock, ...defined({ overdueTick, nextTick, scheduleProblem: problem }) };
}
