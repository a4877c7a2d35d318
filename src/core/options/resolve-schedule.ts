import { describe } from '../values/describe.js';
import { type Duration, parseDuration } from '../values/duration.js';
import { checkMethods } from '../values/option-checks.js';
import type { Schedule } from '../values/schedule.js';

const REMEDY = "give a duration such as '15m', or a schedule such as cron('0 9 * * *') of single-execution/schedule";

/**
 * A schedule whose ticks have their times, or how far apart they are in milliseconds.
 *
 * @throws TypeError, RangeError for a schedule that is neither
 */
export function resolveSchedule(value: Schedule | Duration | undefined): Schedule | number | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'string' || typeof value === 'number') {
    // Durations have no blanks; crontabs and EventBridge's expressions have.
    if (/\s|\(/.test(String(value))) throw new TypeError(`schedule is ${describe(value)}: ${REMEDY}`);
    const everyMs = parseDuration(value, 'schedule');
    if (everyMs === 0) throw new RangeError('schedule is 0: give the time between two ticks, or leave it out');
    return everyMs;
  }
  checkMethods('schedule', value, ['previous', 'next', 'between'], REMEDY);
  const { everyMs = 0 } = value;
  return everyMs > 0 ? everyMs : value;
}
