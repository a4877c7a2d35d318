import { logAndMetrics } from '../core/observers/default-observers.js';
import { LONGEST_LEASE_MS, leaseFor } from '../core/options/lease.js';
import { type Policy, withStore } from '../core/options/policy.js';
import type { Execution } from '../core/public/execution.js';
import type { Order } from '../core/run/invocation.js';
import { isSwitchedOff } from '../core/run/unguarded-run.js';
import { namesOf } from '../core/values/checks.js';
import { defined } from '../core/values/defined.js';
import { type OnUntold, readInstant, type Trigger, tickChooser, warnOfNoTick } from '../core/wrap/trigger.js';
import { type OwnOptions, type RunTimes, resolveWrapper, timesWithin, type Wrapper } from '../core/wrap/wrapper.js';
import type { Options } from './lambda.js';
import { type Context, remainingMs, whoRuns } from './lambda-context.js';

/** Turns an invocation of Lambda into an order, for the wrapper and for the middleware. */
export interface LambdaOrders<E> extends Pick<Wrapper<[E, Context]>, 'reply'> {
  readonly policy: Policy;
  /** @throws TypeError, RangeError for an invalid name, tick or context */
  orderFor(event: E, context: Context): Order;
}

const OWN_OPTIONS = namesOf<OwnOptions<Options>>({});

/** @throws TypeError, RangeError for an invalid handler or invalid options */
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

/** Makes the times of each run. Throws a TypeError if neither the options nor the context determine a lease. */
function timesOf(policy: Policy): (remaining: number | undefined) => RunTimes {
  const timesFor = timesWithin(policy, "the function's remaining");
  return (remaining) => {
    if (remaining !== undefined) return timesFor(remaining);
    // If locking is switched off, nothing is held and no lease is needed.
    const leaseMs = leaseFor(policy) ?? (isSwitchedOff(policy.store) ? LONGEST_LEASE_MS : undefined);
    if (leaseMs !== undefined) return { leaseMs };
    throw new TypeError(
      "lockAtMostFor is undefined, and context.getRemainingTimeInMillis() gives no time: give lockAtMostFor, such as '15m', or set keepAlive",
    );
  };
}

const SCHEDULE_SOURCES: readonly unknown[] = [undefined, 'aws.events', 'aws.scheduler'];

/**
 * Reads an EventBridge rule event (`time`), Scheduler's own event (`time`; its `detail` is a string), or a Scheduler
 * input made of context attributes (`scheduledTime` or `time`, `scheduleArn`, `attemptNumber`, all strings). The time
 * of an event from any other source is not a scheduled time. `id` and `execution-id` change per delivery and are not
 * read.
 */
export function readScheduleEvent(event: unknown): Trigger {
  if (typeof event !== 'object' || event === null) return {};
  const { scheduledTime, time, source, scheduleArn, attemptNumber, resources } = event as Record<string, unknown>;
  const arn = scheduleArn ?? (Array.isArray(resources) ? resources[0] : undefined);
  return {
    ...readInstant(scheduledTime ?? (SCHEDULE_SOURCES.includes(source) ? time : undefined)),
    ...defined({
      scheduleArn: typeof arn === 'string' ? arn : undefined,
      attempt: readCount(attemptNumber),
    }),
  };
}

/**
 * Refuses an event whose time is still the text of a context attribute: the template of its schedule is wrong, so every
 * event would be.
 *
 * @throws RangeError with the remedy
 */
function checkFilledIn({ unreadableTick }: Trigger, name: string): void {
  if (!unreadableTick?.startsWith("'<aws.scheduler.")) return;
  throw new RangeError(
    `lock "${name}": the scheduled time of the event is ${unreadableTick}, which EventBridge Scheduler has not filled in: write < and > into the input of the schedule as they are (Terraform's jsonencode escapes them), or give tick as a function, or 'none'`,
  );
}

/**
 * The event for the handler. An older tick has no event of its own: it gets a copy of this one with that tick as its
 * time. An event without a scheduled time is not changed.
 */
export function eventOf<E>(event: E, { isCatchUp, tick }: Execution): E {
  if (!isCatchUp || readScheduleEvent(event).tickMs === undefined) return event;
  const { scheduledTime } = event as Record<string, unknown>;
  // Without milliseconds, like EventBridge.
  return { ...event, [scheduledTime ? 'scheduledTime' : 'time']: tick?.toISOString().replace('.000Z', 'Z') };
}

function readCount(count: unknown): number | undefined {
  const number = typeof count === 'string' && /^\d+$/.test(count) ? Number(count) : count;
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= 0 ? number : undefined;
}
