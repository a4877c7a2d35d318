import type { LockOptions } from '../core/options/policy.js';
import type { Execution } from '../core/public/execution.js';
import type { Skipped } from '../core/public/outcome.js';
import { run } from '../core/run/engine.js';
import type { TickOption } from '../core/wrap/trigger.js';
import type { OnSkipped } from '../core/wrap/wrapper.js';
import type { Context } from './lambda-context.js';
import { eventOf, lambdaOrders } from './lambda-orders.js';

/**
 * A Lambda handler that gets its execution as third argument. It must return a promise: a handler that returns at once
 * looks like a callback handler. Handlers with fewer parameters fit.
 */
export type Handler<E, R> = (event: E, context: Context, execution: Execution) => PromiseLike<R>;

/** A handler that takes no execution. It may return its result at once. */
type PlainHandler<E, R> = (event: E, context: Context) => R | PromiseLike<R>;

/**
 * A function declared as a `Handler` of @types/aws-lambda, such as `ScheduledHandler`: its type allows a callback `C`,
 * or a promise as its result `V`. A handler that takes a callback is refused when it runs.
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
export interface Options<E = any, S extends OnSkipped = OnSkipped> extends LockOptions {
  /** The lock. 1 to 128 UTF-8 bytes with the store's prefix, Unicode form NFC, no control characters. */
  readonly name: string | ((event: E, context: Context) => string);
  /**
   * The source of the scheduled time: the event (`'event'`), the tick of `schedule` that is due by this host's clock
   * (`'nearest'`), none (`'none'`), or a function of the event. @default 'event'
   */
  readonly tick?: TickOption<[event: E, context: Context]>;
  /**
   * The caller's result if the run is skipped: the `Skipped`, a `LockHeldError`, or a function's value.
   *
   * @default 'return'
   */
  readonly onSkipped?: S;
}

/** The default of `onSkipped`. */
type Returned = (skipped: Skipped) => Skipped;

/** The result of a call; depends on `onSkipped`. */
type Reply<R, S> = S extends 'throw' ? R : S extends (skipped: Skipped) => infer F ? R | Awaited<F> : R | Skipped;

/** A wrapped handler. If it is assigned to a `ScheduledHandler`, `O` is void, and the type hides the reply `T`. */
type Wrapped<E, T, O> = (event: E, context: Context) => Promise<[Nothing, O] extends [O, Nothing] ? O : T>;

/**
 * Wraps a scheduled Lambda function: it runs at most once per scheduled time, and never two at once.
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
 *   { name: 'send-digest', store: dynamoDBStore({ tableName: 'locks' }), lockAtLeastFor: '30s' },
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
// biome-ignore lint/suspicious/noExplicitAny: as above
export function withSingleExecution<E = any, R = unknown, S extends OnSkipped = Returned, O = never>(
  handler: PlainHandler<E, R>,
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

/** @throws TypeError for a callback handler: its run would seem to end before it has begun */
function promised<R>(result: R, { length }: { readonly length: number }): R {
  if (result === undefined && length >= 3) {
    throw new TypeError(
      'handler has three parameters and returned undefined, as a callback handler does: its third parameter is the execution, not a callback; make the handler async and return its result',
    );
  }
  return result;
}
