import { logAndMetrics } from '../core/observers/default-observers.js';
import { leaseFor } from '../core/options/lease.js';
import { type LockOptions, type Policy, withStore } from '../core/options/policy.js';
import type { Execution } from '../core/public/execution.js';
import type { Skipped } from '../core/public/outcome.js';
import { run } from '../core/run/engine.js';
import type { Order } from '../core/run/invocation.js';
import { isSwitchedOff } from '../core/run/unguarded-run.js';
import { describe, namesOf } from '../core/values/checks.js';
import { defined } from '../core/values/defined.js';
import { LONGEST_LEASE_MS } from '../core/values/lease.js';
import { type OnUnscheduled, readInstant, type Trigger, warnOfNoTick } from '../core/wrap/trigger.js';
import {
  type OnSkipped,
  type OwnOptions,
  type RunTimes,
  resolveWrapper,
  type TimedTrigger,
  timesWithin,
  type Wrapper,
  type WrapperOptions,
} from '../core/wrap/wrapper.js';
import { type Context, remainingMs, whoRuns } from './lambda-context.js';

/**
 * A Lambda handler that gets its execution as third argument. It must return a promise: a handler that returns at once
 * looks like a callback handler. Handlers with fewer parameters fit.
 */
export type Handler<E, R> = (event: E, context: Context, execution: Execution) => PromiseLike<R>;

/** A handler that takes no execution. It may return its result at once. */
type PlainHandler<E, R> = (event: E, context: Context) => R | PromiseLike<R>;

/**
 * A handler whose declared type is the `Handler` of @types/aws-lambda, such as `ScheduledHandler`. That type has a
 * callback `C`, and a result `V` that may be a promise. A handler that uses its callback is refused when it runs.
 */
type DeclaredHandler<E, C, V> = ((event: E, context: Context, callback: C) => V) &
  ([C, Nothing] extends [(...args: never[]) => void, V] ? ([Promised<V>] extends [never] ? never : unknown) : never);

/** The promises among the result types of a function. */
type Promised<V> = Extract<V, PromiseLike<unknown>>;
/** `void`, written in a form that the linter allows in a union. */
type Nothing = ReturnType<() => void>;

/**
 * Options of `withSingleExecution` for AWS Lambda.
 * `lockAtMostFor` defaults to the remaining time + 2 s, with `keepAlive` to 30 s.
 */
// biome-ignore lint/suspicious/noExplicitAny: an event that nobody declares can be anything
export interface Options<E = any, S extends OnSkipped = OnSkipped>
  extends WrapperOptions<[event: E, context: Context], S>,
    TimedTrigger<[event: E, context: Context]>,
    LockOptions {}

/** The type of `onSkipped` if the option is left out. */
type Returned = (skipped: Skipped) => Skipped;

/** The result of a call; depends on `onSkipped`. */
type Reply<R, S> = S extends 'throw' ? R : S extends (skipped: Skipped) => infer F ? R | Awaited<F> : R | Skipped;

/** A wrapped handler. If it is assigned to a `ScheduledHandler`, `O` is void, and the type hides the reply `T`. */
type Wrapped<E, T, O> = (event: E, context: Context) => Promise<[Nothing, O] extends [O, Nothing] ? O : T>;

/**
 * Wraps a scheduled Lambda function: it runs at most once per scheduled time, and never two at once. A call that is
 * skipped resolves to a `Skipped`, unless `onSkipped` says otherwise, so that Lambda does not retry it. A call rejects
 * with the handler's own error, or with a `LockStoreError` if the store failed.
 *
 * @example
 * ```ts
 * import { withSingleExecution } from 'single-execution';
 * import { dynamoDBStore } from 'single-execution/dynamodb';
 *
 * export const handler = withSingleExecution(
 *   async (event: { time: string }, _context, execution) => {
 *     execution.signal.throwIfAborted();
 *     return `the digest of ${event.time}`;
 *   },
 *   { name: 'send-digest', store: dynamoDBStore({ tableName: 'locks' }) },
 * );
 * ```
 *
 * @returns a handler of two parameters, as Lambda on Node 24 requires
 * @throws TypeError, RangeError when wrapping, for invalid options
 */
export function withSingleExecution<E, C, V, S extends OnSkipped = Returned, O = never>(
  handler: DeclaredHandler<E, C, V>,
  options: Options<NoInfer<E>, S>,
): Wrapped<E, Reply<Awaited<Promised<V>>, S>, O>;
// biome-ignore lint/suspicious/noExplicitAny: an event that the handler does not declare can be anything
export function withSingleExecution<E = any, R = unknown, S extends OnSkipped = Returned, O = never>(
  handler: Handler<E, R>,
  options: Options<NoInfer<E>, S>,
): Wrapped<E, Reply<R, S>, O>;
// biome-ignore lint/suspicious/noExplicitAny: an event that the handler does not declare can be anything
export function withSingleExecution<E = any, R = unknown, S extends OnSkipped = Returned, O = never>(
  handler: PlainHandler<E, R>,
  options: Options<NoInfer<E>, S>,
): Wrapped<E, Reply<R, S>, O>;
// The second overload again: with more than three, TypeScript reports only why the last one refuses a call, so a wrong
// option is reported at that option.
// biome-ignore lint/suspicious/noExplicitAny: an event that the handler does not declare can be anything
export function withSingleExecution<E = any, R = unknown, S extends OnSkipped = Returned, O = never>(
  handler: Handler<E, R>,
  options: Options<NoInfer<E>, S>,
): Wrapped<E, Reply<R, S>, O>;
export function withSingleExecution<E, R>(
  handler: Handler<E, R> | PlainHandler<E, R>,
  options: Options<E>,
): (event: E, context: Context) => Promise<unknown> {
  const { policy, orderFor, reply } = lambdaOrders(handler, options);
  return async function singleExecution(this: unknown, event: E, context: Context): Promise<unknown> {
    const task = (execution: Execution) =>
      promised(handler.call(this, eventOf(event, execution), context, execution), handler);
    return reply(await run<R>(task, orderFor(event, context), policy));
  };
}

/**
 * Refuses a callback handler, which returns before its result is known.
 *
 * @returns the handler's result
 * @throws TypeError for a callback handler: its run would seem to end before it has begun
 */
function promised<R>(result: R, { length }: { readonly length: number }): R {
  if (result === undefined && length >= 3) {
    throw new TypeError(
      'handler has three parameters and returned undefined, as a callback handler does: its third parameter is the execution, not a callback; make the handler async and return its result',
    );
  }
  return result;
}

/** Makes orders for the engine from invocations of Lambda, for the wrapper and for the middleware. */
export interface LambdaOrders<E> extends Pick<Wrapper<[E, Context]>, 'reply'> {
  readonly policy: Policy;
  /**
   * Makes the order of one invocation.
   *
   * @throws TypeError, RangeError for an invalid name, tick or context
   */
  orderFor(event: E, context: Context): Order;
}

const OWN_OPTIONS = namesOf<OwnOptions<Options>>({});

/**
 * Checks the handler and the options, and makes the functions that turn invocations into orders.
 *
 * @throws TypeError, RangeError for an invalid handler or invalid options
 */
export function lambdaOrders<E>(handler: unknown, options: Options<E>): LambdaOrders<E> {
  const { settings, orderFor, reply } = resolveWrapper<[E, Context]>(handler, options, {
    ownOptions: OWN_OPTIONS,
    byDefault: logAndMetrics,
    onUnscheduled: onNoTick(),
  });
  const policy = withStore(settings, options.store);
  return {
    policy,
    reply,
    orderFor(event, context) {
      const times = () => timesOf(policy, remainingMs(context));
      return orderFor([event, context], whoRuns(context), readScheduleEvent(event), times);
    },
  };
}

function onNoTick(): OnUnscheduled {
  const warnOnce = warnOfNoTick();
  return (read, name) => {
    checkFilledIn(read, name);
    warnOnce(read, name);
  };
}

/**
 * Computes the lease and the end of a run.
 *
 * @throws TypeError if neither the options nor the context determine a lease
 */
function timesOf(policy: Policy, remaining: number | undefined): RunTimes {
  if (remaining !== undefined) return timesWithin(policy, remaining, "the function's remaining");
  // If locking is switched off, nothing is held and no lease is needed.
  const leaseMs = leaseFor(policy) ?? (isSwitchedOff(policy.store) ? LONGEST_LEASE_MS : undefined);
  if (leaseMs !== undefined) return { leaseMs };
  throw new TypeError(
    "lockAtMostFor is undefined, and context.getRemainingTimeInMillis() gives no time: set lockAtMostFor, such as '15m', or set keepAlive; a job that a process schedules imports from 'single-execution/process'",
  );
}

const SCHEDULE_SOURCES: readonly unknown[] = [undefined, 'aws.events', 'aws.scheduler'];

/**
 * Reads the event of an EventBridge rule (`time`), Scheduler's own event (`time`; its `detail` is a string), or a
 * Scheduler input made of context attributes (`scheduledTime` or `time`, `scheduleArn`, `attemptNumber`, all strings).
 * The `time` of an event from any other source is not a scheduled time. `id` and `execution-id` change per delivery and
 * are not read. With `singleExecution: 'now'` the event asks for a run by hand.
 *
 * @throws TypeError for another value of `singleExecution`
 */
export function readScheduleEvent(event: unknown): Trigger {
  if (typeof event !== 'object' || event === null) return {};
  const { scheduledTime, time, source, scheduleArn, attemptNumber, resources, singleExecution } = event as Record<
    string,
    unknown
  >;
  if (singleExecution !== undefined && singleExecution !== 'now') {
    throw new TypeError(
      `singleExecution of the event is ${describe(singleExecution)}: send 'now' for a run by hand, or leave it out`,
    );
  }
  const arn = scheduleArn ?? (Array.isArray(resources) ? resources[0] : undefined);
  return {
    ...readInstant(scheduledTime ?? (SCHEDULE_SOURCES.includes(source) ? time : undefined)),
    ...(singleExecution && { isManual: true }),
    ...defined({
      scheduleArn: typeof arn === 'string' ? arn : undefined,
      attempt: readCount(attemptNumber),
    }),
  };
}

/** Matches a placeholder that nobody has filled in: a name of AWS, or the first characters of any other, also escaped. */
const PLACEHOLDER = /aws\.(?:scheduler|events)\.|^'\s*(?:<|&lt;|&#|\\+u003c|%(?:25)?3c|\$|\{)/i;

/**
 * Refuses an event whose time is still a placeholder, such as the context attribute `<aws.scheduler.scheduled-time>`.
 * The input of the schedule is wrong, so every later event would be wrong too.
 *
 * @throws RangeError with the remedy
 */
function checkFilledIn({ unreadableTick = '' }: Trigger, name: string): void {
  if (!PLACEHOLDER.test(unreadableTick)) return;
  throw new RangeError(
    `lock "${name}": the scheduled time of the event is ${unreadableTick}, which nobody has filled in: write <aws.scheduler.scheduled-time> into the input of the schedule, with < and > as they are (Terraform's jsonencode escapes them), or set tick to a function, or 'none'`,
  );
}

/**
 * Returns the event that the handler gets. An older tick has no event of its own: during catch-up the handler gets a
 * copy of the current event with the older tick as its time. An event without a scheduled time is not changed.
 */
function eventOf<E>(event: E, { isCatchUp, tick }: Execution): E {
  if (!isCatchUp || readScheduleEvent(event).tickMs === undefined) return event;
  const { scheduledTime } = event as Record<string, unknown>;
  // EventBridge writes times without milliseconds.
  return { ...event, [scheduledTime ? 'scheduledTime' : 'time']: tick?.toISOString().replace('.000Z', 'Z') };
}

function readCount(count: unknown): number | undefined {
  const number = typeof count === 'string' && /^\d+$/.test(count) ? Number(count) : count;
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= 0 ? number : undefined;
}
