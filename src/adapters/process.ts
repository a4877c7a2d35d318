import { logAndMetrics } from '../core/observers/default-observers.js';
import { type LockOptions, withStore } from '../core/options/policy.js';
import type { Execution } from '../core/public/execution.js';
import type { Skipped } from '../core/public/outcome.js';
import { run } from '../core/run/engine.js';
import { isSwitchedOff } from '../core/run/unguarded-run.js';
import { namesOf } from '../core/values/checks.js';
import { msOfDate } from '../core/values/date.js';
import { thisProcess } from '../core/values/environment.js';
import { requiredTick, type TickEvery, type TickOption, type Trigger } from '../core/wrap/trigger.js';
import {
  type MaxDuration,
  type OwnOptions,
  resolveWrapper,
  timesByOptions,
  type WithNow,
  type WrapperOptions,
} from '../core/wrap/wrapper.js';
import { untilShutdown } from './process-shutdown.js';

export { type CoordinatorOptions, nodeCronCoordinator, type RunCoordinator } from './process-coordinator.js';
export type { WithNow };

/**
 * Options of `withSingleExecution` for long-lived processes.
 * One of `lockAtMostFor`, `maxDuration` and `keepAlive` is required.
 */
export interface Options<A extends readonly unknown[] = []> extends WrapperOptions<A>, LockOptions, MaxDuration {
  /**
   * The source of the scheduled time: `'event'`, for croner, node-cron and node-schedule, which pass it; `'nearest'`, the tick of
   * `schedule` that is due by the local clock; a function of the arguments; the local clock, rounded down to an
   * interval such as `{ every: '5m' }`; or `'none'`: then two processes may both run.
   */
  readonly tick: TickOption<A> | TickEvery;
}

/** Options with a function for `onSkipped`: the caller of a skipped run gets the function's result. */
interface FallingBack<F> {
  /** Makes the result of a skipped run. */
  readonly onSkipped: (skipped: Skipped) => F | PromiseLike<F>;
}

interface Reporting<S extends 'return' | 'throw'> {
  readonly onSkipped?: S;
}

/** The result of a wrapped job; depends on `onSkipped`. */
type Reply<R, S> = S extends 'throw' ? R : R | Skipped;

/** A function that a scheduler in this process calls. Its last parameter is the execution. */
export type Job<A extends readonly unknown[], R> = (...args: [...A, execution: Execution]) => R | PromiseLike<R>;

const OWN_OPTIONS = namesOf<OwnOptions<Options>>({ maxDuration: true });

/**
 * Wraps a function that every process of a fleet calls by its own schedule: it runs at most once per scheduled time,
 * and never two at once. On SIGTERM, SIGINT and other signals that end a process, the signals of its runs abort. The
 * process ends when the runs have settled and released their locks, unless the program itself listens for that signal.
 * A call that is skipped resolves to a `Skipped`, unless `onSkipped` says otherwise. A call rejects with the job's own
 * error, or with a `LockStoreError` if the store failed.
 *
 * @example
 * ```ts
 * import { memoryStore } from 'single-execution/memory';
 * import { withSingleExecution } from 'single-execution/process';
 *
 * const sendDigest = withSingleExecution(async (execution) => console.log('the digest of', execution.tick), {
 *   name: 'send-digest',
 *   store: memoryStore(),
 *   tick: { every: '1h' },
 *   lockAtMostFor: '5m',
 * });
 * setInterval(() => void sendDigest(), 3_600_000);
 * ```
 *
 * @returns a function that takes the scheduler's arguments and resolves to the job's value or to the result of
 * `onSkipped`; its method `now` runs the job by hand
 * @throws TypeError, RangeError when wrapping, for invalid options
 */
export function withSingleExecution<R, F>(
  job: Job<[], R>,
  options: Options & FallingBack<F>,
): WithNow<() => Promise<R | F>>;
export function withSingleExecution<R, S extends 'return' | 'throw' = 'return'>(
  job: Job<[], R>,
  options: Options & Reporting<S>,
): WithNow<() => Promise<Reply<R, S>>>;
/** For a job with arguments: declare the type of each parameter, also of the execution. */
export function withSingleExecution<A extends readonly unknown[], R, F>(
  job: Job<A, R>,
  options: Options<NoInfer<A>> & FallingBack<F>,
): WithNow<(...args: A) => Promise<R | F>>;
export function withSingleExecution<A extends readonly unknown[], R, S extends 'return' | 'throw' = 'return'>(
  job: Job<A, R>,
  options: Options<NoInfer<A>> & Reporting<S>,
): WithNow<(...args: A) => Promise<Reply<R, S>>>;
/** For options that are not known at compile time: the result also depends on `onSkipped`. */
export function withSingleExecution<A extends readonly unknown[]>(
  job: Job<A, unknown>,
  options: Options<NoInfer<A>>,
): WithNow<(...args: A) => Promise<unknown>>;
export function withSingleExecution<A extends readonly unknown[]>(
  job: (...args: never[]) => unknown,
  options: Options<A>,
): WithNow<(...args: A) => Promise<unknown>> {
  const { settings, orderFor, reply } = resolveWrapper(job, options, {
    ownOptions: OWN_OPTIONS,
    byDefault: logAndMetrics,
    readTick: requiredTick,
    onUnscheduled(_, name) {
      if (!isSwitchedOff(options.store)) throw unscheduled(name);
    },
  });
  const policy = withStore(settings, options.store);
  const timesFor = timesByOptions(settings, options);

  const runFor = async (self: unknown, args: A, read: Trigger): Promise<unknown> => {
    const order = orderFor(args, thisProcess(), read, timesFor);
    const task = (execution: Execution) => job.call(self, ...withExecution(args, execution, job.length));
    return reply(await untilShutdown((shutdown) => run(task, { ...order, shutdown }, policy)));
  };
  async function singleExecution(this: unknown, ...args: A): Promise<unknown> {
    return runFor(this, args, readCall(args[0]));
  }
  async function now(this: unknown, ...args: A): Promise<unknown> {
    // `job.now()` makes the wrapped function its `this`, which means nothing to the job.
    return runFor(this === singleExecution ? undefined : this, args, { isManual: true });
  }
  return Object.assign(singleExecution, { now });
}

/**
 * Makes the arguments of the job. The execution is the job's last parameter, however many arguments the scheduler
 * passes.
 */
function withExecution(args: readonly unknown[], execution: Execution, parameters: number): never[] {
  const own = parameters === 0 ? args : Array.from({ length: parameters - 1 }, (_, i) => args[i]);
  return [...own, execution] as never[];
}

function unscheduled(name: string): TypeError {
  return new TypeError(
    `lock "${name}" is for ticks, and this call has none; croner 10, node-cron 4 and node-schedule pass one: set tick to 'nearest' with the schedule, { every: '5m' }, a function of the arguments, or 'none'`,
  );
}

/** The part of croner's `Cron` (version 10 or later) that this file uses. */
interface Cron {
  readonly options?: { readonly interval?: number };
  /** Returns when this run began: some milliseconds after its scheduled time, or longer in a busy process. */
  currentRun(): Date | null;
  /** Returns the newest `count` times of the schedule before an instant, newest first. */
  previousRuns(count: number, before: Date): Date[];
}

/**
 * Reads the scheduled time from the scheduler's first argument: croner passes its `Cron`, node-cron a context, and
 * node-schedule a Date.
 */
function readCall(passed: unknown): Trigger {
  if (typeof passed !== 'object' || passed === null) return {};
  const tickMs = msOfDate(passed);
  if (tickMs !== undefined) return Number.isNaN(tickMs) ? {} : { tickMs };
  return isCron(passed) ? readCron(passed) : readTaskContext(passed);
}

function isCron(passed: object): passed is Cron {
  const { currentRun, previousRuns } = passed as Partial<Cron>;
  return typeof currentRun === 'function' && typeof previousRuns === 'function';
}

/** Finds the newest scheduled time that is not after the start of the run. Every process finds the same time. */
function readCron(cron: Cron): Trigger {
  const ran = cron.currentRun();
  // With `interval` each process counts from its own last run, so processes have no scheduled time in common.
  if (ran === null || cron.options?.interval) return {};
  // Ask for one time per call: croner 10 throws if it finds fewer than requested, for example before a 29 February.
  const newest = (beforeMs: number) => cron.previousRuns(1, new Date(beforeMs))[0];
  const found = newest(ran.getTime() + 1_000);
  // Some versions of croner also return a time in the same second as the given instant.
  const due = found && found > ran ? newest(ran.getTime()) : found;
  return due ? { tickMs: due.getTime() } : {};
}

/** Reads the scheduled time from the context that node-cron 4 passes: its `date`, beside `triggeredAt`. */
function readTaskContext({ date, triggeredAt }: { date?: unknown; triggeredAt?: unknown }): Trigger {
  const tickMs = msOfDate(date);
  const isDue = tickMs !== undefined && msOfDate(triggeredAt) !== undefined;
  return isDue && !Number.isNaN(tickMs) ? { tickMs } : {};
}
