import type { ScheduleExpression, TimeWindow } from 'aws-cdk-lib/aws-scheduler';
import { type ScheduleGaps, scheduleGaps } from './schedule-gaps.js';

const HOUR_MS = 3_600_000;
const UTC = ['UTC', 'Etc/UTC', 'Etc/GMT'];

/**
 * How near and how far apart two runs of a schedule can be: by its expression, by an hour less or more where clocks
 * are changed, and by its time window. A tick in the hour that spring leaves out does not count: it does not fire, and
 * the alarm that then goes off is right.
 *
 * @returns undefined for a schedule that fires once
 */
export function runGaps(schedule: ScheduleExpression, timeWindow?: TimeWindow): ScheduleGaps | undefined {
  const { expressionString } = schedule;
  const gaps = scheduleGaps(expressionString);
  if (!gaps) return undefined;
  const changeMs = expressionString.startsWith('cron') && !isUtc(schedule) ? HOUR_MS : 0;
  const windowMs = timeWindow?.maxWindow?.toMilliseconds() ?? 0;
  // Nothing fires in an hour that is left out, so a gap of an hour or less stays as it is. In one night of the year a
  // longer gap could then become the shortest; this function does not look for that.
  const nearestMs = gaps.shortestMs > HOUR_MS ? gaps.shortestMs - changeMs : gaps.shortestMs;
  return { shortestMs: Math.max(0, nearestMs - windowMs), longestMs: gaps.longestMs + changeMs + windowMs };
}

/** Whether a schedule is in universal time, the only one that rules of EventBridge know. */
export function isUtc({ timeZone }: ScheduleExpression): boolean {
  return !timeZone || UTC.includes(timeZone.timezoneName);
}
