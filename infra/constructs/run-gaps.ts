import type { ScheduleExpression, TimeWindow } from 'aws-cdk-lib/aws-scheduler';
import { type ScheduleGaps, scheduleGaps } from './schedule-gaps.js';

const HOUR_MS = 3_600_000;
const UTC = ['UTC', 'Etc/UTC', 'Etc/GMT'];

/**
 * Computes the shortest and the longest time between two runs of a schedule, from its expression and its time window. A
 * clock change can make the shortest time an hour shorter, and the longest an hour longer. A tick in the hour that
 * spring leaves out does not fire. The gaps do not allow for such a missing tick: an alarm that goes off then is right.
 *
 * @returns undefined for a schedule that fires once
 */
export function runGaps(schedule: ScheduleExpression, timeWindow?: TimeWindow): ScheduleGaps | undefined {
  const { expressionString } = schedule;
  const gaps = scheduleGaps(expressionString);
  if (!gaps) return undefined;
  const changeMs = expressionString.startsWith('cron') && !isUtc(schedule) ? HOUR_MS : 0;
  const windowMs = timeWindow?.maxWindow?.toMilliseconds() ?? 0;
  // A gap of an hour or less does not become shorter, because nothing fires in an hour that is left out. In one night
  // of the year a longer gap could then become the shortest gap; this function does not look for that gap.
  const nearestMs = gaps.shortestMs > HOUR_MS ? gaps.shortestMs - changeMs : gaps.shortestMs;
  return { shortestMs: Math.max(0, nearestMs - windowMs), longestMs: gaps.longestMs + changeMs + windowMs };
}

/** Whether a schedule is in UTC, the only time zone that rules of EventBridge know. */
export function isUtc({ timeZone }: ScheduleExpression): boolean {
  return !timeZone || UTC.includes(timeZone.timezoneName);
}
