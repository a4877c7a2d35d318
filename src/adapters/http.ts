import { warn } from '../core/observers/operator-log.js';
import { type LockOptions, withStore } from '../core/options/policy.js';
import type { Execution } from '../core/public/execution.js';
import { isSkipped, type Outcome, type Skipped } from '../core/public/outcome.js';
import { run } from '../core/run/engine.js';
import { type Order, storeFailureOf, type Task } from '../core/run/invocation.js';
import { isSwitchedOff } from '../core/run/unguarded-run.js';
import { describe, namesOf } from '../core/values/checks.js';
import { unawaited } from '../core/values/promised.js';
import { withBackgroundWork } from '../core/wrap/background-work.js';
import type { FetchRequest, FetchResponse } from '../core/wrap/fetch-request.js';
import { refuse, secretCheck } from '../core/wrap/request-secret.js';
import { requiredTick, type TickEvery, type TickOption } from '../core/wrap/trigger.js';
import {
  type MaxDuration,
  type OwnOptions,
  resolveWrapper,
  timesByOptions,
  type WrapperOptions,
} from '../core/wrap/wrapper.js';
import { readRequest, refusedHeader, refusedTick, requestOf, whoCalls } from './http-request.js';

/** A route that gets its execution as third argument. Handlers with fewer parameters fit. */
export type Route<Q, X> = (request: Q, context: X, execution: Execution) => FetchResponse | PromiseLike<FetchResponse>;

/** Options of `withSingleExecution` for routes. One of `lockAtMostFor`, `maxDuration` and `keepAlive` is required. */
export interface Options<Q = FetchRequest, X = unknown>
  extends WrapperOptions<[request: Q, context: X]>,
    LockOptions,
    MaxDuration {
  /**
   * The source of the scheduled time: `'event'`, a header or the body of the request, which is refused if it has no
   * time; `'nearest'`, the tick of `schedule` that is due by the local clock; a function of the request; the local
   * clock, rounded down to an interval such as `{ every: '5m' }`; or `'none'`: then a second request may run again.
   */
  readonly tick: TickOption<[request: Q, context: X]> | TickEvery;
  /**
   * The answer to a skip: status 200 with the `Skipped` as JSON, a `LockHeldError` that the route throws, or a
   * function's response. @default 'return'
   */
  readonly onSkipped?: 'return' | 'throw' | ((skipped: Skipped) => FetchResponse | PromiseLike<FetchResponse>);
  /**
   * The secret that a caller must send as `Authorization: Bearer <secret>`; other requests get status 401. Give `false`
   * only if nobody but the scheduler can call the route. @default CRON_SECRET of the environment; without it, every
   * request is refused
   */
  readonly secret?: string | false;
}

const OWN_OPTIONS = namesOf<OwnOptions<Options>>({ secret: true, maxDuration: true });

/**
 * Wraps a route that a scheduler calls: it runs at most once per scheduled time, and never two at once. The caller gets
 * the handler's response or error unchanged; a response of status 500 or more counts as a failed run. The route itself
 * answers a skip with status 200, a failed store with 503, and a request without a scheduled time with 400, all as
 * JSON.
 *
 * @example
 * ```ts
 * import { Redis } from '@upstash/redis';
 * import { withSingleExecution } from 'single-execution/http';
 * import { upstashStore } from 'single-execution/upstash';
 *
 * export const GET = withSingleExecution(async () => Response.json({ sent: 12 }), {
 *   name: 'send-digest',
 *   store: upstashStore({ redis: Redis.fromEnv({ retry: { retries: 0 } }) }),
 *   tick: { every: '1h' },
 *   maxDuration: '60s',
 * });
 * ```
 *
 * @returns a route that takes a request and the platform's context, and resolves to a response
 * @throws TypeError, RangeError when wrapping, for invalid options
 */
export function withSingleExecution<Q extends FetchRequest = FetchRequest, X = unknown>(
  handler: Route<Q, X>,
  options: Options<NoInfer<Q>, NoInfer<X>>,
): (request: Q, ...context: unknown extends X ? [context?: X] : [context: X]) => Promise<FetchResponse> {
  const { settings, nameFor, orderFor, reply } = resolveWrapper(handler, options, {
    ownOptions: OWN_OPTIONS,
    readTick: requiredTick,
  });
  const policy = withStore(settings, options.store);
  const timesFor = timesByOptions(settings, options);
  const refusalFor = secretCheck(options);
  const readsSchedule = options.tick === 'event';

  return async function route(this: unknown, request: Q, ...[context]: [context?: X]): Promise<Response> {
    if (typeof request?.headers?.get !== 'function') {
      throw new TypeError(
        `request is ${describe(request)}: the route takes a Request of the Fetch API; a job that a process schedules imports from 'single-execution/process'`,
      );
    }
    const refused = refusalFor(request);
    if (refused) return refused;
    const times = timesFor();
    const args: [Q, X] = [request, context as X];
    const nowMs = policy.clock.now();
    const read = await readRequest(request, readsSchedule, nowMs);
    const needsTick = readsSchedule && !read.isManual && !isSwitchedOff(policy.store);
    const refusal = refusedHeader(request) ?? (needsTick ? refusedTick(read, nowMs) : undefined);
    if (refusal) {
      warn(`lock "${nameFor(args)}": a request was refused with status 400: ${refusal.why}`);
      return refuse(400, refusal.code);
    }
    const order = orderFor(args, whoCalls(request), read, () => times);
    const call = (counting: X, execution: Execution) =>
      handler.call(this, requestOf(request, execution), counting, execution);
    return respond(args[1], call, (task) => answerWhole(run(task, order, policy), order, reply));
  };
}

/**
 * Answers a request when the handler has returned or when the whole run has ended, whichever comes first.
 *
 * @param answerRun runs a task, and answers when the whole run has ended
 */
function respond<X>(
  context: X,
  call: (context: X, execution: Execution) => Response | PromiseLike<Response>,
  answerRun: (task: Task<Response>) => Promise<Response>,
): Promise<Response> {
  let onReturned = (_response: Response) => {};
  const returned = new Promise<Response>((resolve) => {
    onReturned = resolve;
  });
  const whole = answerRun(async (execution) => {
    const counted = (counting: X) => call(counting, execution);
    const response = await withBackgroundWork(context, counted, execution.isCatchUp ? undefined : onReturned);
    // Some platforms allow a handler that returns nothing.
    if (response?.status >= 500) throw new FailedResponse(response);
    return response;
  });
  return Promise.race([answerEarly(returned, context, whole), whole]);
}

/** Answers as soon as the handler has returned. The handler's background work goes on, under the lock. */
async function answerEarly(returned: Promise<Response>, context: unknown, whole: Promise<Response>): Promise<Response> {
  const response = await returned;
  const { waitUntil } = context as { waitUntil(promise: Promise<unknown>): unknown };
  unawaited(
    waitUntil.call(
      context,
      whole.catch(() => undefined),
    ),
  );
  return response;
}

/** Answers when the whole run has ended. */
async function answerWhole(
  running: Promise<Outcome<Response>>,
  order: Order,
  reply: (outcome: Outcome<Response>) => unknown,
): Promise<Response> {
  let outcome: Outcome<Response>;
  try {
    outcome = await running;
  } catch (error) {
    if (error instanceof FailedResponse) return error.response;
    const failure = storeFailureOf(order);
    if (!failure) throw error;
    return refuse(503, failure.code);
  }
  const replied = await reply(outcome);
  return isSkipped(replied) ? Response.json(replied) : (replied as Response);
}

/** Thrown for a response of status 500 or more, so that its run counts as failed. */
class FailedResponse extends Error {
  override readonly name = 'FailedResponse';
  readonly response: Response;

  constructor(response: Response) {
    super(`the response has status ${response.status}`);
    this.response = response;
  }
}
