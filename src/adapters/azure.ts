import { type LockOptions, withStore } from '../core/options/policy.js';
import type { Execution } from '../core/public/execution.js';
import { run } from '../core/run/engine.js';
import { describe, namesOf } from '../core/values/checks.js';
import { isTimed } from '../core/values/tick.js';
import { readInstant, type Trigger, warnOfNoTick } from '../core/wrap/trigger.js';
import {
  type MaxDuration,
  type OwnOptions,
  resolveWrapper,
  type TimedTrigger,
  timesByOptions,
  type WithNow,
  type WrapperOptions,
} from '../core/wrap/wrapper.js';

export type { WithNow };

/** The first argument of a timer's handler; `Timer` of @azure/functions fits. */
export interface Timer {
  /** Whether the platform has missed the occurrence, and runs it late. */
  readonly isPastDue?: boolean;
  /** The occurrences of the schedule; absent if the platform does not monitor it. */
  readonly scheduleStatus?: {
    /** The occurrence that is being run, in ISO 8601. */
    readonly next?: string;
    /** The occurrence before. */
    readonly last?: string;
    /** When the platform has written this status. */
    readonly lastUpdated?: string;
  };
}

/** The context of an invocation; `InvocationContext` of @azure/functions fits. */
export interface InvocationContext {
  /** The id of the invocation. */
  readonly invocationId: string;
  /** The name of the function. */
  readonly functionName: string;
  /** What the platform says of a retry; absent for a function without a retry policy. */
  readonly retryContext?: {
    /** How many retries this call is: 0 for the first call. */
    readonly retryCount: number;
  };
}

/** Options of `withSingleExecution` for Azure Functions. One of `lockAtMostFor`, `maxDuration` and `keepAlive` is required. */
export interface Options<T = Timer, X = InvocationContext>
  extends WrapperOptions<[timer: T, context: X]>,
    TimedTrigger<[timer: T, context: X]>,
    LockOptions,
    MaxDuration {}

const OWN_OPTIONS = namesOf<OwnOptions<Options>>({ maxDuration: true });

/**
 * How far the occurrence of a timer may be ahead. The platform and the function share a clock, and the platform calls
 * less than a second early.
 */
const EARLY_MS = 5_000;

/** How .NET writes a time that was never set. */
const NEVER = '0001-01-01';

const SET_SCHEDULE = "keep the timer's useMonitor on, set schedule, or set tick to a function, or 'none'";

/**
 * Wraps the handler of a timer trigger: it runs at most once per scheduled time, and never two at once. The execution
 * is its third argument; handlers with fewer parameters fit. A call that is skipped resolves to a `Skipped`, unless
 * `onSkipped` says otherwise. A call rejects with the handler's own error, or with a `LockStoreError` if the store
 * failed.
 *
 * @example
 * ```ts
 * import { app } from '@azure/functions';
 * import { TableClient } from '@azure/data-tables';
 * import { azureTableStore, withSingleExecution } from 'single-execution/azure';
 *
 * const client = TableClient.fromConnectionString(process.env['AzureWebJobsStorage'] ?? '', 'locks');
 *
 * app.timer('sendDigest', {
 *   schedule: '0 0 2 * * *',
 *   handler: withSingleExecution(async (_timer, context, { tick }) => context.log('the digest of', tick), {
 *     name: 'send-digest',
 *     store: azureTableStore({ client }),
 *     maxDuration: '5m',
 *   }),
 * });
 * ```
 *
 * @returns a handler; it resolves to the handler's value or to the result of `onSkipped`, which the platform ignores.
 * Its method `now` runs the job by hand, from a route, say
 * @throws TypeError, RangeError when wrapping, for invalid options
 */
export function withSingleExecution<T extends Timer = Timer, X extends InvocationContext = InvocationContext>(
  handler: (timer: T, context: X, execution: Execution) => unknown,
  options: Options<T, X>,
): WithNow<(timer: T, context: X) => Promise<void>> {
  const adapter = { ownOptions: OWN_OPTIONS, onUnscheduled: warnOfNoTick(SET_SCHEDULE) };
  const { settings, orderFor, reply } = resolveWrapper<[T, X]>(handler, options, adapter);
  const policy = withStore(settings, options.store);
  const timesFor = timesByOptions(settings, options);
  // A timer that is not monitored has no occurrence that can be read: the schedule says which one is due.
  const usesClock = isTimed(settings.schedule) && (options.tick ?? 'event') === 'event';
  const byClock = usesClock
    ? resolveWrapper<[T, X]>(handler, { ...options, tick: 'nearest' }, adapter).orderFor
    : orderFor;

  const runFor = async (self: unknown, read: (timer: T) => Trigger, [timer, context]: [T, X]): Promise<void> => {
    if (typeof context !== 'object' || context === null) {
      throw new TypeError(
        `context is ${describe(context)}: call the wrapped handler with the arguments of the platform`,
      );
    }
    const trigger = read(timer);
    const order = (trigger.tickMs === undefined ? byClock : orderFor)(
      [timer, context],
      whoRuns(context),
      trigger,
      timesFor,
    );
    const task = (execution: Execution) => handler.call(self, timerOf(timer, execution), context, execution);
    return reply(await run(task, order, policy)) as undefined;
  };
  async function timerTrigger(this: unknown, ...args: [T, X]): Promise<void> {
    return runFor(this, (timer) => ({ ...readTimer(timer, settings.clock.now()), ...readRetry(args[1]) }), args);
  }
  async function now(this: unknown, ...args: [T, X]): Promise<void> {
    // `job.now()` makes the wrapped handler its `this`, which means nothing to the handler.
    return runFor(this === timerTrigger ? undefined : this, () => ({ isManual: true }), args);
  }
  return Object.assign(timerTrigger, { now });
}

/**
 * Reads the occurrence that is being run. Only a start of the app with `runOnStartup`, and a call by hand, come before
 * their occurrence: they are runs by hand.
 */
function readTimer(timer: Timer, nowMs: number): Trigger {
  const next = timer?.scheduleStatus?.next;
  const read = readInstant(String(next).startsWith(NEVER) ? undefined : next);
  return read.tickMs !== undefined && read.tickMs > nowMs + EARLY_MS ? { isManual: true } : read;
}

/** Counts the deliveries of an occurrence, if the function has a retry policy. */
function readRetry(context: InvocationContext): Trigger {
  const { retryCount } = context.retryContext ?? {};
  return typeof retryCount === 'number' ? { attempt: retryCount + 1 } : {};
}

const whoRuns = ({ functionName, invocationId }: InvocationContext): string =>
  `function ${functionName}, invocation ${invocationId}`;

/** Returns the timer that the handler gets. During catch-up that is a copy whose occurrence is the older tick. */
function timerOf<T extends Timer>(timer: T, { isCatchUp, tick }: Execution): T {
  if (!isCatchUp || timer?.scheduleStatus?.next === undefined) return timer;
  return { ...timer, scheduleStatus: { ...timer.scheduleStatus, next: tick?.toISOString() } };
}
