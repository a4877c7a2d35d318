import { CorruptLockError } from '../core/public/errors.js';
import { checkKnown, describe, describeType, namesOf } from '../core/values/checks.js';
import { defined } from '../core/values/defined.js';
import { type Duration, parseDuration } from '../core/values/duration.js';
import { checkLockName } from '../core/values/names.js';
import { askSchedule, dateOf, isTimed, type Schedule } from '../core/values/tick.js';
import type { LockInfo } from './lock-info.js';
import { instant, type OverdueOptions, overdueTick, readAt, scheduleFor } from './overdue.js';

/** A job that a health route looks at. */
export interface HealthJob {
  /** The name of its lock. */
  readonly name: string;
  /** When its ticks are due, or the time between two of its runs. @default the schedule in its record */
  readonly schedule?: Schedule | Duration;
  /** How old a tick must be before it can be overdue. @default the option `grace` of the route */
  readonly grace?: Duration;
  /** When a job that has not succeeded yet became due to run: ticks up to this instant do not count. @default none */
  readonly since?: Date;
}

/** The part of `lockAdmin` that reads locks. */
export interface LockReader {
  /** Every lock of the store. */
  list(): Promise<LockInfo[]>;
  /** One lock; undefined if it was never used. */
  get(name: string): Promise<LockInfo | undefined>;
}

/** What a health route answers as JSON. */
export interface Health {
  /**
   * `overdue`: a job is overdue, or its record is corrupt; `unavailable`: the store did not answer; `empty`: there is
   * nothing to look at, such as in a wrong table.
   */
  readonly status: 'ok' | 'overdue' | 'unavailable' | 'empty';
  /** The jobs, overdue ones first. */
  readonly jobs: readonly JobHealth[];
}

/** One job in the answer of a health route. Instants are texts in ISO 8601. */
export interface JobHealth {
  /** The name of its lock. */
  readonly name: string;
  /** As in `LockInfo`; `unused` without a record. */
  readonly state: LockInfo['state'];
  /** The oldest tick that is overdue. */
  readonly overdueTick?: string;
  /** The newest tick that is done. */
  readonly doneTick?: string;
  /** The next tick of its schedule. */
  readonly nextTick?: string;
  /** Why nobody knows whether the job is overdue. It then counts as overdue. */
  readonly problem?: string;
}

type Ticks = 'overdueTick' | 'doneTick' | 'nextTick';

/** A {@link JobHealth} before it is written as JSON. */
export type JudgedJob = Omit<JobHealth, Ticks> & { readonly [tick in Ticks]?: Date };

/** A {@link Health} before it is written as JSON. */
export type JudgedJobs = Pick<Health, 'status'> & { readonly jobs: readonly JudgedJob[] };

/** A job and its lock, if it has one. */
export interface CheckedJob {
  readonly lock: LockInfo | undefined;
  readonly health: JudgedJob;
}

const JOB_OPTIONS = namesOf<HealthJob>({ name: true, schedule: true, grace: true, since: true });

/** @throws TypeError, RangeError for jobs that nobody can look at */
export function checkJobs(jobs: readonly HealthJob[] | undefined): void {
  if (jobs === undefined) return;
  if (!Array.isArray(jobs)) throw new TypeError(`jobs is ${describe(jobs)}: pass an array such as [{ name }]`);
  const names = jobs.map(checkJob);
  const twice = names.find((name, index) => names.indexOf(name) < index);
  // Prometheus refuses an answer with two samples of one label.
  if (twice !== undefined) throw new TypeError(`jobs has lock "${twice}" twice: pass it once`);
}

function checkJob(job: HealthJob, index: number): string {
  if (typeof job !== 'object' || job === null) {
    throw new TypeError(`jobs[${index}] is ${describeType(job)}: pass an object such as { name }`);
  }
  checkKnown(job, JOB_OPTIONS, `jobs[${index}]`);
  if (typeof job.name !== 'string')
    throw new TypeError(`jobs[${index}].name is ${describe(job.name)}: pass the name of its lock`);
  checkLockName(job.name);
  if (job.grace !== undefined) parseDuration(job.grace, `jobs[${index}].grace`);
  instant(job.since, `jobs[${index}].since`);
  if (job.schedule !== undefined) scheduleFor(undefined, job.schedule);
  return job.name;
}

/**
 * Looks at jobs, each by one read; without `jobs` at every lock whose record has a schedule or is corrupt, by one list.
 *
 * @param usual applies if a job has no option of its own
 */
export async function lookAtJobs(
  reader: LockReader,
  jobs: readonly HealthJob[] | undefined,
  usual: Omit<OverdueOptions, 'schedule'>,
): Promise<readonly CheckedJob[]> {
  const found = jobs ? await Promise.all(jobs.map((job) => lookAt(reader, job))) : await lookAtAll(reader);
  return found.map(([{ name, ...own }, lock]) => ({
    lock,
    health: healthOf(name, lock, { ...usual, ...defined(own) }),
  }));
}

async function lookAt(reader: LockReader, job: HealthJob): Promise<[HealthJob, LockInfo | undefined]> {
  const { name } = job;
  try {
    return [job, await reader.get(name)];
  } catch (error) {
    if (!(error instanceof CorruptLockError)) throw error;
    return [job, { name, state: 'corrupt', failuresInARow: 0, runs: [], problem: error.message }];
  }
}

async function lookAtAll(reader: LockReader): Promise<[HealthJob, LockInfo][]> {
  const locks = await reader.list();
  return locks
    .filter(({ schedule, state }) => schedule !== undefined || state === 'corrupt')
    .map((lock) => [{ name: lock.name }, lock]);
}

/** Judges one job. Never throws for its record. */
export function healthOf(name: string, lock: LockInfo | undefined, options: OverdueOptions = {}): JudgedJob {
  const known = { name, state: lock?.state ?? 'unused', ...defined({ doneTick: lock?.doneTick }) } as const;
  if (lock?.state === 'corrupt') return { ...known, ...defined({ problem: lock.problem }) };
  try {
    const ticks = { overdueTick: overdueTick(lock, options), nextTick: nextTick(lock, options.schedule) };
    return { ...known, ...defined(ticks) };
  } catch (error) {
    return { ...known, problem: `lock "${name}": its health is unknown: ${(error as Error).message}` };
  }
}

function nextTick(lock: LockInfo | undefined, given: HealthJob['schedule']): Date | undefined {
  if (lock?.schedule === undefined && given === undefined) return undefined;
  const schedule = scheduleFor(lock, given);
  const next = isTimed(schedule) && askSchedule(schedule, 'next', readAt(lock).getTime());
  return Number.isFinite(next) ? dateOf(next as number) : undefined;
}

/** Whether a job is known not to be overdue. */
export const isHealthy = ({ overdueTick, problem, state }: JudgedJob): boolean =>
  overdueTick === undefined && problem === undefined && state !== 'corrupt';

/** Puts the jobs that are not healthy first, and sums them up. */
export function summaryOf(checked: readonly CheckedJob[]): JudgedJobs {
  const jobs = checked.map(({ health }) => health);
  const ill = jobs.filter((job) => !isHealthy(job));
  const status = jobs.length === 0 ? 'empty' : ill.length === 0 ? 'ok' : 'overdue';
  return { status, jobs: [...ill, ...jobs.filter(isHealthy)] };
}
