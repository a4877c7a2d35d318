import { logAndMetrics } from '../core/observers/default-observers.js';
import { LONGEST_LEASE_MS, leaseFor } from '../core/options/lease.js';
import { type Policy, withStore } from '../core/options/policy.js';
import type { Execution } from '../core/public/execution.js';
import type { Order } from '../core/run/invocation.js';
import { isSwitchedOff } from '../core/run/unguarded-run.js';
import { defined } from '../core/values/defined.js';
import { namesOf } from '../core/values/option-checks.js';
import { type RunTimes, timesWithin } from '../core/wrap/run-times.js';
import { type OnUntold, readInstant, type Trigger, tickChooser, warnOfNoTick } from '../core/wrap/trigger.js';
import { type OwnOptions, resolveWrapper, type Wrapper } from '../core/wrap/wrapper.js';
import type { Options } from './lambda.js';
import { type Context, remainingMs, whoRuns } from './lambda-context.js';

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
    const leaseMs = leaseFor(policy) ?? (isSwitchedOff(policy.store) ? LONGEST_LEASE_MS : undefined);
    if (leaseMs !== undefined) return { leaseMs };
    throw new TypeError(
      "lockAtMostFor is undefined, and context.getRemainingTimeInMillis() does not tell either: give lockAtMostFor, such as '15m', or set keepAlive",
    );
  };
}

const SCHEDULE_SOURCES: readonly unknown[] = [undefined, 'aws.events', 'aws.scheduler'];

/**
 * Reads an EventBridge rule event (`time`), Scheduler's own event (`time`; its `detail` is a string), or a Scheduler
 * input made of context attributes (`scheduledTime` or `time`, `scheduleArn`, `attemptNumber`, all strings). The time
 * of an event from any other source is no scheduled time. `id` and `execution-id` change per delivery and are not read.
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
 * Refuses an event whose time is still the text of a context attribute: its template is wrong, and so would each event
 * of its schedule be.
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
 * The event as the handler is given it. A tick that is caught up with has no event of its own: it gets a copy of this
 * one, whose time is that tick. An event that tells no scheduled time stays as it is.
 */
export function eventOf<E>(event: E, { isCatchUp, tick }: Execution): E {
  if (!isCatchUp || readScheduleEvent(event).tickMs === undefined) return event;
  const { scheduledTime } = event as Record<string, unknown>;
  // Without milliseconds, as EventBridge writes it.
  return { ...event, [scheduledTime ? 'scheduledTime' : 'time']: tick?.toISOString().replace('.000Z', 'Z') };
}

function readCount(count: unknown): number | undefined {
  const number = typeof count === 'string' && /^\d+$/.test(count) ? Number(count) : count;
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= 0 ? number : undefined;
}
