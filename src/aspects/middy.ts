import { type Options as LambdaOptions, lambdaOrders } from '../adapters/lambda.js';
import type { Context } from '../adapters/lambda-context.js';
import type { Execution } from '../core/public/execution.js';
import { run } from '../core/run/engine.js';
import { readThrown } from '../core/values/thrown.js';
import { type OpenRun, openRun } from '../core/wrap/lock-handle.js';
import { closePowertools } from './powertools.js';

/**
 * Options of `singleExecution`: the options of `withSingleExecution` on Lambda without `catchUp`, because Middy calls
 * the handler only once.
 */
// biome-ignore lint/suspicious/noExplicitAny: an event that nobody declares can be anything
export type Options<E = any> = Omit<LambdaOptions<E>, 'catchUp'>;

/** A middleware of Middy 7. The handler finds its execution as `context.execution`. */
export interface Middleware<E> {
  /** Takes the lock, or answers early if the run is skipped. */
  before(request: Request<E>): Promise<void>;
  /** Releases the lock of a run that succeeded. */
  after(request: Request<E>): Promise<void>;
  /** Releases the lock of a run that failed. Its tick stays open, unless `tickMark` is `'start'`. */
  onError(request: Request<E>): Promise<void>;
}

/**
 * Makes a middleware for Middy. The handler, and the middlewares after this middleware, run at most once per scheduled
 * time, and never two at once. Add it last: the `after` of a middleware that was added earlier runs when the lock is
 * free and the tick is done. A skipped run is answered early: the handler and the middlewares' `after` are not called.
 *
 * @example
 * ```ts
 * import middy from '@middy/core';
 * import { dynamoDBStore } from 'single-execution/dynamodb';
 * import { singleExecution } from 'single-execution/middy';
 *
 * export const handler = middy(async () => 'sent').use(
 *   singleExecution({ name: 'send-digest', store: dynamoDBStore({ tableName: 'locks' }) }),
 * );
 * ```
 *
 * @throws TypeError, RangeError for invalid options
 */
// biome-ignore lint/suspicious/noExplicitAny: an event that nobody declares can be anything
export function singleExecution<E = any>(options: Options<E>): Middleware<E> {
  if ('catchUp' in Object(options)) {
    throw new TypeError(
      "unknown option 'catchUp': Middy calls the handler once; wrap the handler itself, with withSingleExecution",
    );
  }
  // `lambdaOrders` checks that a handler is a function. Middy has the handler here, so pass any function.
  const { policy, orderFor, reply } = lambdaOrders(singleExecution, options);
  const open = new WeakMap<object, OpenRun>();

  async function end(request: Request<E>, failure?: { readonly error: unknown }): Promise<void> {
    const taken = open.get(request);
    open.delete(request);
    await taken?.end(failure);
  }

  return {
    async before(request) {
      const started = await openRun((task) => run(task, orderFor(request.event, request.context), policy));
      if (started.status === 'skipped') {
        const response = await reply(started);
        await closePowertools(request);
        request.earlyResponse = response;
        return;
      }
      open.set(request, started);
      request.internal.execution = started.execution;
      request.context.execution = started.execution;
      onEarlyEnd(request, {
        end: (hasAnswered) => end(request, failureOf(request, hasAnswered)),
        // Do not release the lock. It ends with its lease.
        abandon: () => void open.delete(request),
      });
    },
    after: (request) => end(request),
    onError: (request) => end(request, request),
  };
}

/** Finds the failure of a run that ended early; undefined if its handler succeeded. */
function failureOf({ error }: Request<unknown>, hasAnswered: boolean): { readonly error: unknown } | undefined {
  if (error !== undefined) return { error };
  if (hasAnswered) return undefined;
  return { error: new Error('a middleware answered before the handler ran: add singleExecution after it') };
}

/** The part of Middy's request that this file uses. */
interface Request<E> {
  /** The event of the invocation. */
  readonly event: E;
  /** Lambda's context; the run adds its execution. */
  readonly context: Context & {
    /** The execution, while the lock is held. */
    execution: Execution;
  };
  /** The answer of the handler or of a middleware. */
  response: unknown;
  /** An answer that ends the request before the handler is called. */
  earlyResponse?: unknown;
  /** The error of the handler or of a middleware. */
  error: unknown;
  /** Values that middlewares keep for one another. */
  readonly internal: {
    /** The execution, while the lock is held. */
    execution: Execution;
  };
}

/** The two ways to end a run if Middy does not call this middleware's `after` or `onError`. */
interface Ends {
  /** Ends the run. `hasAnswered`: whether the handler has answered. */
  end(hasAnswered: boolean): Promise<void>;
  /** Gives up the run: its handler may still be running, and nothing will report its end. */
  abandon(): void;
}

/**
 * Calls `end` when Middy stops before it has called all middlewares. If a hook answers early, or an `onError` throws,
 * Middy calls no further hook: it only sets `response` or `error` and reads it back, so both properties are
 * intercepted. An early answer waits for `end`; an error cannot wait. At Middy's early timeout `abandon` is called,
 * even if another middleware handles that error.
 */
function onEarlyEnd(request: Request<unknown>, { end, abandon }: Ends): void {
  let hasAnswered = false;
  let hasFailed = false;
  let ending: Promise<void> | undefined;
  intercept(request, 'response', {
    onSet() {
      if ('earlyResponse' in request) {
        ending = end(hasAnswered).then(() => {
          ending = undefined;
        });
      }
      hasAnswered = true;
    },
    // After a failure Middy throws if `response` is undefined. A promise would count as a response.
    read: (response) => (ending && !(hasFailed && response === undefined) ? ending.then(() => response) : response),
  });
  intercept(request, 'error', {
    onSet(error, before) {
      if (!hasFailed && isEarlyTimeout(error)) abandon();
      if (hasFailed && isThrown(error, before)) void end(hasAnswered);
      hasFailed = true;
    },
    read: (error) => error,
  });
}

/**
 * Whether an error is Middy's early timeout: Middy throws it shortly before Lambda's timeout, and does not wait for the
 * handler.
 */
function isEarlyTimeout(error: unknown): boolean {
  const isMiddys = readThrown(readThrown(error, 'cause'), 'package') === '@middy/core';
  return isMiddys && readThrown(error, 'name') === 'TimeoutError';
}

/** Whether an `onError` threw the error, so that no further hook is called; false if it only replaced the error. */
function isThrown(error: unknown, before: unknown): boolean {
  // If an `onError` throws another object than the previous error, Middy stores the previous error in that object.
  return error === before || Object(error) !== error || readThrown(error, 'originalError') === before;
}

interface Interception {
  onSet(next: unknown, before: unknown): void;
  read(value: unknown): unknown;
}

/** Watches a property of a request, even if another `singleExecution` watches it too. */
function intercept(request: Request<unknown>, key: 'response' | 'error', { onSet, read }: Interception): void {
  let value = request[key];
  const outer = Object.getOwnPropertyDescriptor(request, key);
  Object.defineProperty(request, key, {
    configurable: true,
    enumerable: true,
    get: () => read(outer?.get ? outer.get() : value),
    set(next: unknown) {
      const before = value;
      value = next;
      outer?.set?.(next);
      onSet(next, before);
    },
  });
}
