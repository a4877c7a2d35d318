import { CronJob } from 'cron';
import { Cron } from 'croner';
import { Cron as Cron10 } from 'croner-10';
import nodeCron from 'node-cron';
import type { Execution } from 'single-execution';
import { memoryStore } from 'single-execution/memory';
import { withSingleExecution } from 'single-execution/process';
import { type CronOptions, cron } from 'single-execution/schedule';
import { vi } from 'vitest';

/** Starts a job by a scheduler's own timers; returns how to stop it. */
type Start = (expression: string, timezone: string, job: (call?: unknown) => unknown) => () => unknown;

export const SCHEDULERS = {
  'croner 11': (expression, timezone, job) => {
    const started = new Cron(expression, { timezone }, (self) => void job(self));
    return () => started.stop();
  },
  'croner 10': (expression, timezone, job) => {
    const started = new Cron10(expression, { timezone }, (self: unknown) => void job(self));
    return () => started.stop();
  },
  'cron 4 (NestJS)': (expression, timeZone, job) => {
    const cronTime = `0 ${expression}`;
    const started = CronJob.from({ cronTime, timeZone, start: true, onTick: () => void job() });
    return () => started.stop();
  },
  'node-cron 4': (expression, timezone, job) => {
    const task = nodeCron.schedule(expression, (call) => void job(call), { timezone, logger: SILENT });
    return () => task.destroy();
  },
} as const satisfies Record<string, Start>;

export type SchedulerName = keyof typeof SCHEDULERS;

/** node-cron logs a missed execution when clocks go back: it looks for a time that the clock has shown before. */
const SILENT = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** What became of the calls of a scheduler: instants as `dd HH:MM`, in UTC. */
export interface Night {
  readonly calls: string[];
  /** The ticks that ran. */
  readonly ran: string[];
  /** The calls that were skipped, each with the tick that was done. */
  readonly skipped: string[];
}

/**
 * Turns the clock through a night, in which a scheduler calls a job.
 *
 * @param tick `event`: the tick that the scheduler passes; otherwise the nearest one, in a schedule with these options
 */
export async function playNight(
  name: SchedulerName,
  expression: string,
  { timeZone, from, to }: { readonly timeZone: string; readonly from: string; readonly to: string },
  tick: 'event' | Omit<CronOptions, 'timeZone'>,
): Promise<Night> {
  const night: Night = { calls: [], ran: [], skipped: [] };
  vi.useFakeTimers({ now: new Date(from), toFake: [...FAKED] });
  const job = withSingleExecution((_call: unknown, execution: Execution) => night.ran.push(short(execution.tick)), {
    name: 'job',
    store: memoryStore(),
    lockAtMostFor: '1m',
    observers: [],
    onSkipped: ({ tick }) => night.skipped.push(`${short(new Date())} for ${short(tick)}`),
    ...(tick === 'event' ? { tick } : { tick: 'nearest' as const, schedule: cron(expression, { ...tick, timeZone }) }),
  });
  const stop = SCHEDULERS[name](expression, timeZone, (call) => {
    night.calls.push(short(new Date()));
    return job(call);
  });
  try {
    if (name.startsWith('croner')) {
      // croner computes its next time every 30 s. In between the host sleeps, after the tick of the day before.
      await vi.advanceTimersByTimeAsync(AWAKE_MS);
      vi.setSystemTime(Date.parse(to) - NIGHT_MS);
    }
    await vi.advanceTimersByTimeAsync(Date.parse(to) - Date.now());
  } finally {
    await stop();
    vi.useRealTimers();
  }
  return night;
}

/** Until the tick of the day before is done. */
const AWAKE_MS = 9_000_000;
/** From hours before the change of the clocks to the end. */
const NIGHT_MS = 18_000_000;

const FAKED = [
  'setTimeout',
  'clearTimeout',
  'setInterval',
  'clearInterval',
  'setImmediate',
  'clearImmediate',
  'Date',
  'performance',
] as const;

function short(instant: Date | string | undefined): string {
  return instant === undefined ? 'none' : new Date(instant).toISOString().slice(8, 16).replace('T', ' ');
}
