import type { Context } from '../adapters/lambda-context.js';
import type { Execution } from '../core/public/execution.js';

/** The part of Middy's request that is used here. */
export interface Request<E> {
  readonly event: E;
  readonly context: Context & { execution: Execution };
  response: unknown;
  earlyResponse?: unknown;
  error: unknown;
  readonly internal: { execution: Execution };
}

/**
 * Calls `end` when Middy stops before it has called all middlewares: where a hook answers early, or where `onError`
 * throws, it does not call those of the others, not even to clean up. All that it does then is to set `response` or
 * `error`, and to read it. An early answer waits for `end`; what is thrown cannot wait.
 *
 * @param end told whether the handler has answered before
 */
export function onEarlyEnd(request: Request<unknown>, end: (hasAnswered: boolean) => Promise<void>): void {
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
    read: (response) => (ending && response !== undefined ? ending.then(() => response) : response),
  });
  intercept(request, 'error', {
    onSet() {
      if (hasFailed) void end(hasAnswered);
      hasFailed = true;
    },
    read: (error) => error,
  });
}

interface Interception {
  onSet(): void;
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
      value = next;
      outer?.set?.(next);
      onSet();
    },
  });
}
