import type { Schedule } from '../core/values/schedule.js';
import { readCrontab } from './crontab.js';
import { withDays } from './eventbridge-expression.js';
import { cronInstants } from './instants.js';
import { refuserOf, type ZoneOptions, zonedSchedule, zoneOf } from './zoned.js';

/**
 * The schedule of a crontab's five fields, such as `0 9 * * MON-FRI`, or of six with seconds in front. Where both the
 * day of the month and the day of the week are given, either is enough, as in a crontab.
 *
 * @example
 * ```ts
 * import { cron } from 'single-execution/schedule';
 *
 * const weekdays = cron('0 9 * * MON-FRI', { timeZone: 'Europe/Berlin' });
 * weekdays.next(new Date('2026-01-02T12:00:00Z')); // → 2026-01-05T08:00:00.000Z
 * ```
 *
 * @throws RangeError for an expression that cannot be read or that never fires, and for an unknown time zone
 */
export function cron(expression: string, options: ZoneOptions = {}): Schedule {
  const refuse = refuserOf(expression);
  const zone = zoneOf(options, 'cron');
  const fields = withDays(readCrontab(expression, refuse), refuse);
  return zonedSchedule(expression, cronInstants(fields, zone), zone, refuse);
}
