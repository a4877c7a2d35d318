import type { Execution } from '../core/public/execution.js';
import { defined } from '../core/values/defined.js';
import { readInstant, type Trigger } from '../core/wrap/trigger.js';

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
export function checkFilledIn({ unreadableTick }: Trigger, name: string): void {
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
