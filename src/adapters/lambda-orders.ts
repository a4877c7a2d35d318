import { logAndMetrics } from '../core/observers/default-observers.js';
import { chosenLeaseMs, LONGEST_LEASE_MS, type Policy, withStore } from '../core/options/policy.js';
import type { Order } from '../core/run/invocation.js';
import { isSwitchedOff } from '../core/run/unguarded-run.js';
import { namesOf } from '../core/values/option-checks.js';
import { type RunTimes, timesWithin } from '../core/wrap/run-times.js';
import { type OnUntold, tickChooser, warnOfNoTick } from '../core/wrap/trigger.js';
import { type OwnOptions, resolveWrapper, type Wrapper } from '../core/wrap/wrapper.js';
import type { Options } from './lambda.js';
import { type Context, remainingMs, whoRuns } from './lambda-context.js';
import { checkFilledIn, readScheduleEvent } from './lambda-event.js';

/** What becomes of an invocation of Lambda, whoever calls the handler. */
export interface LambdaOrders<E> extends Pick<Wrapper<[E, Context]>, 'reply'> {
  readonly policy: Policy;
  /** @throws TypeError, RangeError for a name, a tick or a context that cannot be */
  orderFor(event: E, context: Context): Order;
}

const OWN_OPTIONS = namesOf<OwnOptions<Options>>({});

/** @throws TypeError, RangeError for a handler or options that cannot be */
export function lambdaOrders<E>(handler: unknown, options: Options<E>): LambdaOrders<E> {
  const { settings, nameFor, reply } = resolveWrapper(handler, options, OWN_OPTIONS, logAndMetrics);
  const { tick = 'event' } = options;
  const triggerFor = tickChooser(tick, settings, onNoTick());
  const policy = withStore(settings, options.store);
  const timesFor = timesOf(policy);
  return {
    policy,
    reply,
    orderFor(event, context) {
      const name = nameFor([event, context]);
      return {
        name,
        lockedBy: whoRuns(context),
        ...triggerFor(readScheduleEvent(event), [event, context], name),
        ...timesFor(remainingMs(context)),
      };
    },
  };
}

function onNoTick(): OnUntold {
  const warnOnce = warnOfNoTick();
  return (read, name) => {
    checkFilledIn(read, name);
    warnOnce(read, name);
  };
}

/** The times of each run. They throw a TypeError where neither the options nor the context tell a lease. */
function timesOf(policy: Policy): (remaining: number | undefined) => RunTimes {
  const timesFor = timesWithin(policy, "the function's remaining");
  return (remaining) => {
    if (remaining !== undefined) return timesFor(remaining);
    // With the off switch on nothing is held, so no lease is needed.
    const leaseMs = chosenLeaseMs(policy) ?? (isSwitchedOff(policy.store) ? LONGEST_LEASE_MS : undefined);
    if (leaseMs !== undefined) return { leaseMs };
    throw new TypeError(
      "lockAtMostFor is undefined, and context.getRemainingTimeInMillis() does not tell either: give lockAtMostFor, such as '15m', or set keepAlive",
    );
  };
}
