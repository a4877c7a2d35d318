import type { Options as LambdaOptions } from '../adapters/lambda.js';
import { lambdaOrders } from '../adapters/lambda-orders.js';
import { run } from '../core/run/engine.js';
import { type OpenRun, openRun } from '../core/wrap/open-run.js';
import { onEarlyEnd, type Request } from './middy-request.js';

/** As for `withSingleExecution`. Middy calls the handler once, so it cannot catch up with other ticks. */
// biome-ignore lint/suspicious/noExplicitAny: an event that nobody declares can be anything
export type Options<E = any> = Omit<LambdaOptions<E>, 'catchUp'>;

/** A middleware of Middy 7. The handler finds its execution as `context.execution`. */
export interface Middleware<E> {
  /** Takes the lock, or answers early where the run is skipped. */
  before(request: Request<E>): Promise<void>;
  /** Releases the lock of a run that has succeeded. */
  after(request: Request<E>): Promise<void>;
  /** Releases the lock of a run that has failed; its tick stays open. */
  onError(request: Request<E>): Promise<void>;
}

/**
 * A middleware for Middy: the handler, and the middlewares after this one, run at most once per scheduled time, and
 * never two at once. Add it last; the `after` of a middleware before it comes when the lock is free and the tick is done.
 * A run that is skipped is answered early: the handler and the middlewares' `after` are not called.
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
 * @throws TypeError, RangeError for options that cannot be
 */
// biome-ignore lint/suspicious/noExplicitAny: as above
export function singleExecution<E = any>(options: Options<E>): Middleware<E> {
  if ('catchUp' in Object(options)) {
    throw new TypeError(
      "unknown option 'catchUp': Middy calls the handler once; wrap the handler itself, with withSingleExecution",
    );
  }
  // Middy itself checks the handler.
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
        request.earlyResponse = await reply(started);
        return;
      }
      open.set(request, started);
      request.internal.execution = started.execution;
      request.context.execution = started.execution;
      onEarlyEnd(request, {
        end: (hasAnswered) => end(request, failureOf(request, hasAnswered)),
        // Its lock is left to the end of its lease.
        abandon: () => void open.delete(request),
      });
    },
    after: (request) => end(request),
    onError: (request) => end(request, request),
  };
}

/** Why a run that was answered early has failed; undefined where the handler has succeeded. */
function failureOf({ error }: Request<unknown>, hasAnswered: boolean): { readonly error: unknown } | undefined {
  if (error !== undefined) return { error };
  if (hasAnswered) return undefined;
  return { error: new Error('a middleware answered before the handler ran: add singleExecution after it') };
}
