import type { Context } from '../adapters/lambda-context.js';
import { readThrown } from '../core/public/errors.js';
import type { Execution } from '../core/public/execution.js';

/** The part of Middy's request that is used here. */
export interface Request<E> {
  /** The event of the invocation. */
  readonly event: E;
  /** Lambda's context; the run adds its execution. */
  readonly context: Context & {
    /** The execution, while the lock is held. */
    execution: Execution;
  };
  /** What the handler or a middleware has answered. */
  response: unknown;
  /** What ends the request before the handler is called. */
  earlyResponse?: unknown;
  /** What the handler or a middleware has thrown. */
  error: unknown;
  /** Values that middlewares keep for one another. */
  readonly internal: {
    /** The execution, while the lock is held. */
    execution: Execution;
  };
}

/** What becomes of a run that Middy does not end by the middleware's own hooks. */
interface Ends {
  /** Told whether the handler has answered before. */
  end(hasAnswered: boolean): Promise<void>;
  /** The handler may be running still, and nobody will tell when it ends. */
  abandon(): void;
}

/**
 * Calls `end` when Middy stops before it has called all middlewares: where a hook answers early, or where `onError`
 * throws, it does not call those of the others, not even to clean up. All that it does then is to set `response` or
 * `error`, and to read it. An early answer waits for `end`; what is thrown cannot wait. `abandon` is called at Middy's
 * early time-out, whatever others make of its error.
 */
export function onEarlyEnd(request: Request<unknown>, { end, abandon }: Ends): void {
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
    // After a failure Middy throws unless there is a response, and a promise would be one.
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

/** What Middy throws shortly before Lambda's time-out, without waiting for the handler. */
function isEarlyTimeout(error: unknown): boolean {
  const isMiddys = readThrown(readThrown(error, 'cause'), 'package') === '@middy/core';
  return isMiddys && readThrown(error, 'name') === 'TimeoutError';
}

/** Whether an `onError` has thrown, and so was the last to be called, rather than put another error in the place. */
function isThrown(error: unknown, before: unknown): boolean {
  // Middy leaves the error before in the one that was thrown, if that is another object.
  return error === before || Object(error) !== error || readThrown(error, 'originalError') === before;
}

interface Interception {
  onSet(next: unknown, before: unknown): void;
  read(value: unknown): unknown;
}

/** Watches a property, also where another middleware of this kind does. */
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
