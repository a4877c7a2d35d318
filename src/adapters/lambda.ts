import { logAndMetrics } from '../core/default-observers.js';
import { formatDuration } from '../core/duration.js';
import { run } from '../core/engine.js';
import type { Execution } from '../core/execution.js';
import { isSwitchedOff } from '../core/off-switch.js';
import { warn } from '../core/operator-log.js';
import type { Order } from '../core/order.js';
import type { Skipped } from '../core/outcome.js';
import { chosenLeaseMs, LONGEST_LEASE_MS, type LockOptions, type Policy, withStore } from '../core/policy.js';
import { type RunTimes, runTimes } from '../core/run-times.js';
import { type TickOption, tickChooser, warnOfNoTick } from '../core/trigger.js';
import { type OnSkipped, resolveWrapper } from '../core/wrapper.js';
import { type Context, remainingMs, whoRuns } from './lambda-context.js';
import { readScheduleEvent } from './lambda-event.js';

/**
 * A Lambda handler that is given its execution as third argument. It returns a promise: one that returns at once could
 * not be told from a callback handler. Handlers with fewer parameters fit.
 */
export type Handler<E, R> = (event: E, context: Context, execution: Execution) => PromiseLike<R>;

/** A handler that takes no execution. It may return its result at once. */
type PlainHandler<E, R> = (event: E, context: Context) => R | PromiseLike<R>;

/** Options of `withSingleExecution` for AWS Lambda. `lockAtMostFor` defaults to the remaining time + 2 s, with `keepAlive` to 30 s. */
// biome-ignore lint/suspicious/noExplicitAny: an event that nobody declares can be anything
export interface Options<E = any> extends LockOptions {
  /** The lock. 1 to 128 UTF-8 bytes with the store's prefix, Unicode form NFC, no control characters. */
  readonly name: string | ((event: E, context: Context) => string);
  /** Where the scheduled time comes from: the event, nowhere, or a function of it. @default 'event' */
  readonly tick?: TickOption<[event: E, context: Context]>;
  /** What the caller gets when a run is skipped: the `Skipped`, a `LockHeldError`, or a function's value. @default 'return' */
  readonly onSkipped?: OnSkipped;
}

interface FallingBack<F> {
  readonly onSkipped: (skipped: Skipped) => F | PromiseLike<F>;
}

interface Telling<S extends 'return' | 'throw'> {
  readonly onSkipped?: S;
}

/** What a wrapped handler resolves to, by its `onSkipped`. */
type Reply<R, S> = S extends 'throw' ? R : R | Skipped;

/**
 * Wraps a scheduled Lambda function: it runs once per tick, and never twice at a time.
 *
 * @returns a handler of two parameters, as Lambda on Node 24 wants it
 * @throws TypeError, RangeError when wrapping, for options that cannot be
 */
// biome-ignore lint/suspicious/noExplicitAny: an event that the handler does not declare can be anything
export function withSingleExecution<E = any, R = unknown, F = unknown>(
  handler: Handler<E, R>,
  options: Options<NoInfer<E>> & FallingBack<F>,
): (event: E, context: Context) => Promise<R | F>;
// biome-ignore lint/suspicious/noExplicitAny: as above
export function withSingleExecution<E = any, R = unknown, F = unknown>(
  handler: PlainHandler<E, R>,
  options: Options<NoInfer<E>> & FallingBack<F>,
): (event: E, context: Context) => Promise<R | F>;
// biome-ignore lint/suspicious/noExplicitAny: as above
export function withSingleExecution<E = any, R = unknown, S extends 'return' | 'throw' = 'return'>(
  handler: Handler<E, R>,
  options: Options<NoInfer<E>> & Telling<S>,
): (event: E, context: Context) => Promise<Reply<R, S>>;
// biome-ignore lint/suspicious/noExplicitAny: as above
export function withSingleExecution<E = any, R = unknown, S extends 'return' | 'throw' = 'return'>(
  handler: PlainHandler<E, R>,
  options: Options<NoInfer<E>> & Telling<S>,
): (event: E, context: Context) => Promise<Reply<R, S>>;
/** With options that only the run knows: the result is whatever `onSkipped` makes of it. */
// biome-ignore lint/suspicious/noExplicitAny: as above
export function withSingleExecution<E = any, R = unknown>(
  handler: PlainHandler<E, R>,
  options: Options<NoInfer<E>>,
): (event: E, context: Context) => Promise<unknown>;
// biome-ignore lint/suspicious/noExplicitAny: as above
export function withSingleExecution<E = any, R = unknown>(
  handler: Handler<E, R>,
  options: Options<NoInfer<E>>,
): (event: E, context: Context) => Promise<unknown>;
export function withSingleExecution<E, R>(
  handler: Handler<E, R> | PlainHandler<E, R>,
  options: Options<E>,
): (event: E, context: Context) => Promise<unknown> {
  const { settings, nameFor, reply } = resolveWrapper(handler, options, [], logAndMetrics);
  const { tick = 'event' } = options;
  const triggerFor = tickChooser(tick, settings, warnOfNoTick());
  const policy = withStore(settings, options.store);
  let hasWarned = false;

  return async function singleExecution(this: unknown, event: E, context: Context): Promise<unknown> {
    const remaining = remainingMs(context);
    if (!hasWarned) hasWarned = warnOfShortLease(policy, remaining);
    const name = nameFor([event, context]);
    const order: Order = {
      name,
      lockedBy: whoRuns(context),
      ...triggerFor(readScheduleEvent(event), [event, context], name),
      ...timesFor(policy, remaining),
    };
    return reply(await run<R>((execution) => call(handler, this, event, context, execution), order, policy));
  };
}

/** @throws TypeError for a callback handler: its run would seem over before it has begun */
function call<E, R>(
  handler: (event: E, context: Context, execution: Execution) => R | PromiseLike<R>,
  self: unknown,
  event: E,
  context: Context,
  execution: Execution,
): R | PromiseLike<R> {
  const result = handler.call(self, event, context, execution);
  if (result === undefined && handler.length >= 3) {
    throw new TypeError(
      'handler has three parameters and returned undefined, as a callback handler does: its third parameter is the execution, not a callback; make the handler async and return its result',
    );
  }
  return result;
}

/** @throws TypeError where neither the options nor the context tell a lease */
function timesFor(policy: Policy, remaining: number | undefined): RunTimes {
  if (remaining !== undefined) return runTimes(policy, remaining);
  // Switched off, nothing is held, and no lease has to be found.
  const leaseMs = chosenLeaseMs(policy) ?? (isSwitchedOff(policy.store) ? LONGEST_LEASE_MS : undefined);
  if (leaseMs !== undefined) return { leaseMs };
  throw new TypeError(
    "lockAtMostFor is undefined, and context.getRemainingTimeInMillis() does not tell either: give lockAtMostFor, such as '15m', or set keepAlive",
  );
}

/** Says once that a run may outlive its lease. @returns whether it was said */
function warnOfShortLease({ lockAtMostForMs, keepAlive }: Policy, remaining: number | undefined): boolean {
  if (keepAlive || lockAtMostForMs === undefined || remaining === undefined || lockAtMostForMs >= remaining)
    return false;
  warn(
    `lockAtMostFor is ${formatDuration(lockAtMostForMs)}, shorter than the function's remaining ${formatDuration(remaining)}: a run that takes longer loses its lock; raise it, leave it out, or set keepAlive`,
  );
  return true;
}
