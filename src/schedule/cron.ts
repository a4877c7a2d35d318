import { checkChoice } from '../core/values/checks.js';
import type { Schedule } from '../core/values/tick.js';
import { withClockChanges } from './clock-changes.js';
import { DIALECT_NAMES, type Dialect, readCrontab } from './crontab.js';
import { cronInstants, withDays } from './instants.js';
import { checkFires, instant, inZone, refuserOf, scheduleOf } from './schedule-of.js';
import { type ZoneOptions, zoneOf } from './time-zone.js';

/** Options of `cron`. */
export interface CronOptions extends ZoneOptions {
  /**
   * The scheduler that calls the job. Schedulers differ in which days an expression with two fields of days names, and
   * in what they do when clocks change.
   *
   * @default 'crontab'
   */
  readonly dialect?: Dialect;
}

/**
 * Makes the schedule, in UTC unless `timeZone` is set, of a crontab's five fields, such as `0 9 * * MON-FRI`, of six fields with seconds first, or of a
 * word such as `@daily`. If the day of the month and the day of the week are both given, a day that fits one of them is
 * enough, unless one of the fields begins with a star, as in a crontab. When the clock is put forward over a fixed
 * time, its tick moves to the instant of the change, and is optional.
 *
 * @example
 * ```ts
 * import { cron } from 'single-execution/schedule';
 *
 * const weekdays = cron('0 9 * * MON-FRI', { timeZone: 'Europe/Berlin' });
 * weekdays.next(new Date('2026-01-02T12:00:00Z')); // → 2026-01-05T08:00:00.000Z
 * ```
 *
 * @throws RangeError for an expression that cannot be read or that never fires, and for an unknown time zone; TypeError
 *   for an unknown option or dialect
 */
export function cron(expression: string, options: CronOptions = {}): Schedule {
  const refuse = refuserOf(expression);
  const zone = zoneOf(options, 'cron', ['dialect']);
  const dialect = checkChoice('dialect', options.dialect ?? 'crontab', DIALECT_NAMES) as Dialect;
  const { fields, changes } = readCrontab(expression, dialect, refuse);
  const sure = cronInstants(withDays(fields, refuse), zone);
  checkFires(sure, zone, refuse);
  const text = `${inZone(expression, zone)}${dialect === 'crontab' ? '' : ` as ${dialect}`}`;
  if (zone.name === 'UTC') return scheduleOf(text, () => sure);
  const instants = withClockChanges(sure, fields, zone, changes);
  return scheduleOf(text, () => instants, {
    zone,
    isOptional: (tick) => instants.isOptional(instant(tick, 'tick')),
  });
}
