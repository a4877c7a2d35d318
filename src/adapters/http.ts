import { withBackgroundWork } from '../core/background-work.js';
import { describe } from '../core/describe.js';
import { run } from '../core/engine.js';
import { CorruptLockError, LockStoreError } from '../core/errors.js';
import type { Execution } from '../core/execution.js';
import { isSkipped, type Outcome, type Skipped } from '../core/outcome.js';
import { type LockOptions, withStore } from '../core/policy.js';
import { type MaxDuration, timesByOptions } from '../core/run-times.js';
import type { TickEvery, TickOption } from '../core/trigger.js';
import { resolveWrapper } from '../core/wrapper.js';
import { readSchedule, whoCalls } from './http-request.js';
import { secretCheck } from './http-secret.js';

/** A route that is given its execution as third argument. Handlers with fewer parameters fit. */
export type Route<Q, X> = (request: Q, context: X, execution: Execution) => Response | PromiseLike<Response>;

/** Options of `withSingleExecution` for routes. One of `lockAtMostFor`, `maxDuration` and `keepAlive` is required. */
export interface Options<Q = Request, X = unknown> extends LockOptions, MaxDuration {
  /** The lock. 1 to 128 UTF-8 bytes with the store's prefix, Unicode form NFC, no control characters. */
  readonly name: string | ((request: Q, context: X) => string);
  /**
   * Where the scheduled time comes from: the request, nowhere, a function of it, or the local clock where that is asked
   * for by its interval, such as `{ every: '5m' }`. @default 'event'
   */
  readonly tick?: TickOption<[request: Q, context: X]> | TickEvery;
  /**
   * What answers a skip: status 200 with the `Skipped` as JSON, a `LockHeldError` that is thrown, or a function's
   * response. @default 'return'
   */
  readonly onSkipped?: 'return' | 'throw' | ((skipped: Skipped) => Response | PromiseLike<Response>);
  /**
   * What a caller must show as `Authorization: Bearer <secret>`, else it is answered with status 401. `false` where
   * nobody but the scheduler can call. @default CRON_SECRET of the environment, where that is set
   */
  readonly secret?: string | false;
}

/**
 * Wraps a route that a scheduler calls: it runs once per tick, and never twice at a time. The handler's response or
 * error reaches the caller untouched; a response of status 500 or more has failed, as an error has. A skip is answered
 * with status 200, a store that failed with 503, both as JSON.
 *
 * @returns a route of a request and the platform's context
 * @throws TypeError, RangeError when wrapping, for options that cannot be
 */
export function withSingleExecution<Q extends Request = Request, X = unknown>(
  handler: Route<Q, X>,
  options: Options<NoInfer<Q>, NoInfer<X>>,
): (request: Q, ...context: unknown extends X ? [context?: X] : [context: X]) => Promise<Response> {
  const { settings, nameFor, triggerFor, reply } = resolveWrapper(handler, options, ['secret', 'maxDuration']);
  const policy = withStore(settings, options.store);
  const timesFor = timesByOptions(settings, options);
  const isAuthorized = secretCheck(options);

  const readsSchedule = (options.tick ?? 'event') === 'event';

  return async function route(this: unknown, request: Q, ...[context]: [context?: X]): Promise<Response> {
    if (typeof request?.headers?.get !== 'function') {
      throw new TypeError(`request is ${describe(request)}: the route takes a Request of the Fetch API`);
    }
    if (!isAuthorized(request)) return refuse(401, 'UNAUTHORIZED', { 'www-authenticate': 'Bearer' });
    const times = timesFor();
    const args: [Q, X] = [request, context as X];
    const order = {
      name: nameFor(args),
      lockedBy: whoCalls(request),
      ...times,
      ...triggerFor(readsSchedule ? await readSchedule(request) : {}, args),
    };
    let hasStarted = false;
    let answer = (_response: Response) => {};
    const answered = new Promise<Response>((resolve) => {
      answer = resolve;
    });
    const task = async (execution: Execution) => {
      hasStarted = true;
      const call = (counting: X) => handler.call(this, request, counting, execution);
      const response = await withBackgroundWork(args[1], call, answer);
      // Some platforms take a handler that returns nothing.
      if (response?.status >= 500) throw new FailedResponse(response);
      return response;
    };
    const whole = (async () => {
      let outcome: Outcome<Response>;
      try {
        outcome = await run(task, order, policy);
      } catch (error) {
        if (error instanceof FailedResponse) return error.response;
        const isOfStore = error instanceof LockStoreError || error instanceof CorruptLockError;
        if (hasStarted || !isOfStore) throw error;
        return refuse(503, error.code);
      }
      const replied = await reply(outcome);
      return isSkipped(replied) ? Response.json(replied) : (replied as Response);
    })();
    // Work in the background goes on after the response, and the lock is kept for it.
    const early = answered.then((response) => {
      (args[1] as { waitUntil(promise: Promise<unknown>): void }).waitUntil(whole.catch(() => undefined));
      return response;
    });
    return Promise.race([early, whole]);
  };
}

/** A run whose response says that it failed. */
class FailedResponse extends Error {
  override readonly name = 'FailedResponse';
  readonly response: Response;

  constructor(response: Response) {
    super(`the response has status ${response.status}`);
    this.response = response;
  }
}

/** The reason is in the events and in the log, not for whoever calls. */
function refuse(status: number, code: string, headers: Record<string, string> = {}): Response {
  return Response.json({ status: 'error', code }, { status, headers });
}
