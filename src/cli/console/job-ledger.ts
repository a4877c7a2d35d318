import type { LockInfo } from '../../admin/lock-admin.js';
import { judgedJob } from '../../operate/judged-job.js';
import { byUrgency, type Job } from '../../operate/troubles.js';

/** A record that has not changed is judged again after this time at the latest. */
const JUDGED_FOR_MS = 30_000;
/** The most jobs in one answer, so that a page shows the first of many jobs at once. */
const MOST_JOBS = 1_000;

/** A job as pages get it, or a job that is gone. */
interface Entry {
  /** Rises by one with each change of any job. */
  readonly revision: number;
  readonly record: string;
  readonly judgedMs: number;
  /** Absent for a job that is gone. */
  readonly job?: Job;
  readonly json?: string;
}

/** What pages get of the jobs of a store: each page gets only what has changed since its last answer. */
export interface JobLedger {
  /** Compares what was read with what the ledger has, and keeps the changes. */
  put(locks: readonly LockInfo[]): void;
  /** All jobs, judged, in the order of `locks`. */
  jobs(): Job[];
  /**
   * The jobs that have changed after a revision, as JSON: `{ revision, more, gone, jobs }`. If there are `more`, ask for
   * those after the new `revision`. At first all jobs have changed, the most urgent ones before all others.
   */
  changesAfter(revision: number): string;
}

export function jobLedger(): JobLedger {
  const entries = new Map<string, Entry>();
  let last = 0;
  let shown: readonly LockInfo[] = [];

  /** Judges a lock, unless nothing can have changed since it was judged. */
  const judged = (lock: LockInfo): Entry | undefined => {
    const before = entries.get(lock.name);
    const nowMs = lock.readAt?.getTime() ?? Number.NaN;
    const record = recordOf(lock);
    if (before?.job && before.record === record && !isOld(before, nowMs)) return undefined;
    const job = judgedJob(lock);
    const json = JSON.stringify({ ...job, readAt: undefined });
    const revision = before?.json === json ? before.revision : Number.NaN;
    return { revision, record, judgedMs: nowMs, job, json };
  };

  /** Sets an entry as the newest. The order of a Map is that in which its keys were added. */
  const add = (name: string, entry: Omit<Entry, 'revision'>) => {
    entries.delete(name);
    entries.set(name, { ...entry, revision: ++last });
  };

  return {
    put(locks) {
      if (locks === shown) return;
      shown = locks;
      const names = new Set(locks.map(({ name }) => name));
      for (const [name, { job, ...entry }] of [...entries]) {
        if (job && !names.has(name)) add(name, { record: '', judgedMs: entry.judgedMs });
      }
      const found = locks.flatMap((lock) => judged(lock) ?? []) as (Entry & { readonly job: Job })[];
      found.sort((a, b) => byUrgency(a.job, b.job));
      for (const entry of found) {
        if (Number.isNaN(entry.revision)) add(entry.job.name, entry);
        else entries.set(entry.job.name, entry);
      }
    },

    jobs: () => shown.map(({ name, readAt }) => ({ ...(entries.get(name)?.job as Job), ...(readAt && { readAt }) })),

    changesAfter(revision) {
      const jobs: string[] = [];
      const gone: string[] = [];
      let until = revision;
      for (const [name, entry] of entries) {
        if (entry.revision <= revision) continue;
        if (jobs.length + gone.length >= MOST_JOBS) break;
        until = entry.revision;
        if (entry.json === undefined) gone.push(name);
        else jobs.push(entry.json);
      }
      const facts = JSON.stringify({ revision: until, more: until < last, gone });
      return `${facts.slice(0, -1)},"jobs":[${jobs.join(',')}]}`;
    },
  };
}

/** What a record says, without the instant at which it was read. Each grant, extension, release and pause changes it. */
function recordOf({ name: _, readAt: __, runs, ...lock }: LockInfo): string {
  return JSON.stringify([lock, runs[0]?.fencingToken, runs[0]?.status]);
}

/** Whether the judgement may be out of date, only because time has passed. */
function isOld({ judgedMs, job }: Entry, nowMs: number): boolean {
  const nextMs = job?.nextTick?.getTime() ?? Number.POSITIVE_INFINITY;
  // Also if an instant is unknown.
  return !(nowMs < nextMs && nowMs - judgedMs < JUDGED_FOR_MS);
}
