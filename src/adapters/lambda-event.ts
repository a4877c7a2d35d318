import { defined } from '../core/defined.js';
import { describe } from '../core/describe.js';

/** What an event of EventBridge or EventBridge Scheduler tells of its schedule. */
export interface ScheduleFacts {
  readonly tickMs?: number;
  /** A time that cannot be read, as an error shows it. */
  readonly unreadableTick?: string;
  readonly scheduleArn?: string;
  /** Scheduler's count of deliveries. */
  readonly attempt?: number;
}

const SCHEDULE_SOURCES: readonly unknown[] = [undefined, 'aws.events', 'aws.scheduler'];
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})$/;

/**
 * Reads an EventBridge rule event (`time`), Scheduler's own event (`time`; its `detail` is a string), or a Scheduler
 * input made of context attributes (`scheduledTime` or `time`, `scheduleArn`, `attemptNumber`, all strings). The time
 * of an event from any other source is no scheduled time. `id` and `execution-id` change per delivery and are not read.
 */
export function readScheduleEvent(event: unknown): ScheduleFacts {
  if (typeof event !== 'object' || event === null) return {};
  const { scheduledTime, time, source, scheduleArn, attemptNumber, resources } = event as Record<string, unknown>;
  const arn = scheduleArn ?? (Array.isArray(resources) ? resources[0] : undefined);
  return {
    ...readTick(scheduledTime ?? (SCHEDULE_SOURCES.includes(source) ? time : undefined)),
    ...defined({
      scheduleArn: typeof arn === 'string' ? arn : undefined,
      attempt: readCount(attemptNumber),
    }),
  };
}

function readTick(time: unknown): Pick<ScheduleFacts, 'tickMs' | 'unreadableTick'> {
  if (time === undefined || time === null) return {};
  const tickMs = typeof time === 'string' && INSTANT.test(time) ? Date.parse(time) : Number.NaN;
  return Number.isNaN(tickMs) ? { unreadableTick: describe(time) } : { tickMs };
}

function readCount(count: unknown): number | undefined {
  const number = typeof count === 'string' && /^\d+$/.test(count) ? Number(count) : count;
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= 0 ? number : undefined;
}
