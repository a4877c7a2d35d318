import { msOf } from '../core/values/date-of.js';
import type { Trigger } from '../core/wrap/trigger.js';

/** The part of croner's `Cron` that is used here, of version 10 or later. */
interface Cron {
  readonly options?: { readonly interval?: number };
  /** When this run began: up to some milliseconds, or longer in a busy process, after it was due. */
  currentRun(): Date | null;
  /** The newest `count` times of the schedule before an instant, newest first. */
  previousRuns(count: number, before: Date): Date[];
}

/** The scheduled time by what a scheduler passes to a job: croner passes itself, and node-cron the time. */
export function readCall(passed: unknown): Trigger {
  if (typeof passed !== 'object' || passed === null) return {};
  return isCron(passed) ? readCron(passed) : readTaskContext(passed);
}

function isCron(passed: object): passed is Cron {
  const { currentRun, previousRuns } = passed as Partial<Cron>;
  return typeof currentRun === 'function' && typeof previousRuns === 'function';
}

/** The newest time of the schedule that is not after the beginning of the run: the same in every process. */
function readCron(cron: Cron): Trigger {
  const ran = cron.currentRun();
  // With an interval each process counts from its own last run: no time is common to all.
  if (ran === null || cron.options?.interval) return {};
  // Ask for one at a time: croner 10 throws if it finds fewer than it is asked for, as before a 29 February.
  const newest = (beforeMs: number) => cron.previousRuns(1, new Date(beforeMs))[0];
  const found = newest(ran.getTime() + 1_000);
  // Whether the very second of the instant counts as before it depends on croner's version.
  const due = found && found > ran ? newest(ran.getTime()) : found;
  return due ? { tickMs: due.getTime() } : {};
}

/** node-cron 4 passes what was due as `date`, beside `triggeredAt`. */
function readTaskContext({ date, triggeredAt }: { date?: unknown; triggeredAt?: unknown }): Trigger {
  const tickMs = msOf(date);
  const isDue = date instanceof Date && triggeredAt instanceof Date;
  return isDue && typeof tickMs === 'number' && !Number.isNaN(tickMs) ? { tickMs } : {};
}
