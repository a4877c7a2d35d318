import { type Policy, type Settings, withStore } from '../core/options/policy.js';
import type { LockStore } from '../core/ports/lock-store.js';
import { type Execution, findFrame } from '../core/public/execution.js';
import { run } from '../core/run/engine.js';
import type { Order } from '../core/run/invocation.js';
import { describe, namesOf } from '../core/values/checks.js';
import { atOnce } from '../core/values/promised.js';
import { withBackgroundWork } from '../core/wrap/background-work.js';
import { type Trigger, warnOfNoTick } from '../core/wrap/trigger.js';
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

/** The first argument of a scheduled handler; `ScheduledController` of @cloudflare/workers-types fits. */
export interface ScheduledController {
  /** The scheduled time of this event, in epoch milliseconds. */
  readonly scheduledTime: number;
  /** The cron expression of the trigger, such as `0 2 * * *`. */
  readonly cron: string;
  /** Keeps the platform from trying this event again if it fails. */
  noRetry(): void;
}

/** The context of an event; `ExecutionContext` of @cloudflare/workers-types fits. */
export interface ExecutionContext {
  /** Keeps the Worker alive until a promise has settled; the run waits for that promise too. */
  waitUntil(promise: Promise<unknown>): void;
  /** For routes; it has no effect in a scheduled handler. */
  passThroughOnException(): void;
}

/**
 * Options of `withSingleExecution` for Cloudflare Workers.
 * One of `lockAtMostFor`, `maxDuration` and `keepAlive` is required.
 */
export interface Options<Env = unknown, C = ScheduledController, X = ExecutionContext>
  extends WrapperOptions<[controller: C, env: Env, ctx: X]>,
    TimedTrigger<[controller: C, env: Env, ctx: X]>,
    MaxDuration {
  /**
   * The store, or a function that makes it from the bindings for each event. On Workers a connection cannot outlive its
   * event.
   */
  readonly store: LockStore | ((env: Env) => LockStore);
}

const OWN_OPTIONS = namesOf<OwnOptions<Options>>({ maxDuration: true });

/**
 * Wraps the `scheduled` handler of a Worker: it runs at most once per scheduled time, and never two at once. The
 * execution is its fourth argument; handlers with fewer parameters fit. Promises passed to `ctx.waitUntil` are part of
 * the run. The platform may try a failed run again, unless `noRetry` is called. A call that is skipped resolves to a
 * `Skipped`, unless `onSkipped` says otherwise. A call rejects with the handler's own error, or with a `LockStoreError`
 * if the store failed.
 *
 * @example
 * ```ts
 * import { withSingleExecution } from 'single-execution/cloudflare';
 * import { upstashStore } from 'single-execution/upstash';
 * import { Redis } from '@upstash/redis/cloudflare';
 *
 * type Env = { UPSTASH_REDIS_REST_URL: string; UPSTASH_REDIS_REST_TOKEN: string };
 *
 * export default {
 *   scheduled: withSingleExecution(async (controller) => console.log('the digest of', controller.scheduledTime), {
 *     name: 'send-digest',
 *     store: (env: Env) =>
 *       upstashStore({
 *         redis: new Redis({
 *           url: env.UPSTASH_REDIS_REST_URL,
 *           token: env.UPSTASH_REDIS_REST_TOKEN,
 *           retry: { retries: 0 },
 *         }),
 *       }),
 *     maxDuration: '15m',
 *   }),
 * };
 * ```
 *
 * @returns a scheduled handler; it resolves to the handler's value or to the result of `onSkipped`, which the platform
 * ignores. Its method `now` runs the job by hand, from a route, say
 * @throws TypeError, RangeError when wrapping, for invalid options
 */
export function withSingleExecution<
  Env = unknown,
  C extends ScheduledController = ScheduledController,
  X extends ExecutionContext = ExecutionContext,
>(
  handler: (controller: C, env: Env, ctx: X, execution: Execution) => unknown,
  options: Options<Env, C, X>,
): WithNow<(controller: C, env: Env, ctx: X) => Promise<void>> {
  const { settings, orderFor, reply } = resolveWrapper(handler, options, {
    ownOptions: OWN_OPTIONS,
    onUnscheduled: warnOfNoTick(),
  });
  const timesFor = timesByOptions(settings, options);
  const policyFor = policyChooser(options.store, settings);

  const runFor = async (self: unknown, read: typeof readScheduledTime, [controller, env, ctx]: [C, Env, X]) => {
    if (typeof controller !== 'object' || controller === null) {
      throw new TypeError(`controller is ${describe(controller)}: pass on what the platform calls scheduled with`);
    }
    const trigger = read(controller);
    const order = orderFor([controller, env, ctx], whoRuns(controller, trigger), trigger, timesFor);
    const task = (execution: Execution) =>
      withBackgroundWork(ctx, (counting) =>
        handler.call(self, controllerOf(controller, execution), env, counting, execution),
      );
    return reply(await run(task, order, policyFor(controller, env, order))) as undefined;
  };
  async function scheduled(this: unknown, ...args: [C, Env, X]): Promise<void> {
    return runFor(this, readScheduledTime, args);
  }
  async function now(this: unknown, ...args: [C, Env, X]): Promise<void> {
    // `scheduled.now()` makes the wrapped handler its `this`, which means nothing to the handler.
    return runFor(this === scheduled ? undefined : this, () => ({ isManual: true }), args);
  }
  return Object.assign(scheduled, { now });
}

function whoRuns({ cron }: { readonly cron: unknown }, { isManual }: Trigger): string {
  if (isManual) return 'worker, by hand';
  // wrangler's local trigger names no cron.
  if (cron === '') return 'worker';
  return `worker, cron ${typeof cron === 'string' ? cron : describe(cron)}`;
}

/** Maps each copy of a controller that a handler gets to the platform's own controller. */
const originals = new WeakMap<object, object>();

/**
 * Makes a function that chooses the policy of an event. If `store` is a function, it is called once for each event, so
 * that a nested call of the wrapped function gets the same store. A program can use one controller for many runs by
 * hand, in different events, so `store` is called for each of these runs.
 */
function policyChooser<Env>(
  store: Options<Env>['store'],
  settings: Settings,
): (event: object, env: Env, order: Pick<Order, 'name' | 'isManual'>) => Policy {
  if (typeof store !== 'function') {
    const policy = withStore(settings, store);
    return () => policy;
  }
  const byEvent = new WeakMap<object, Policy>();
  return (given, env, { name, isManual }) => {
    const event = originals.get(given) ?? given;
    const isNew = isManual && !findFrame(({ execution }) => execution.name === name);
    const policy = (isNew ? undefined : byEvent.get(event)) ?? withStore(settings, atOnce(store(env), 'store'));
    byEvent.set(event, policy);
    return policy;
  };
}

/**
 * Returns the controller that the handler gets. During catch-up that is a copy whose `scheduledTime` is the older tick;
 * all its other properties come from the platform's object.
 */
function controllerOf<C extends ScheduledController>(controller: C, { isCatchUp, tick }: Execution): C {
  if (!isCatchUp || typeof controller.scheduledTime !== 'number') return controller;
  // The proxy has a new object as its target, because a frozen controller would forbid another `scheduledTime`. A
  // platform's methods work only on the platform's own object.
  const copy = new Proxy<C>(Object.create(controller), {
    get(_, property) {
      if (property === 'scheduledTime') return tick?.getTime();
      const value: unknown = Reflect.get(controller, property, controller);
      return typeof value === 'function' ? value.bind(controller) : value;
    },
  });
  originals.set(copy, controller);
  return copy;
}

function readScheduledTime({ scheduledTime }: ScheduledController): Trigger {
  if (scheduledTime === undefined) return {};
  return Number.isFinite(scheduledTime) ? { tickMs: scheduledTime } : { unreadableTick: describe(scheduledTime) };
}
