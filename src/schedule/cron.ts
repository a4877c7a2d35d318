import type { Schedule } from '../core/values/tick.js';
import {
  type CronFields,
  DAY_NAMES,
  DAY_OF_MONTH,
  daysOfMonth,
  daysOfWeek,
  type Field,
  HOURS,
  MINUTES,
  MONTH,
  type Refuse,
  valuesOf,
} from './cron-fields.js';
import { withDays } from './eventbridge-expression.js';
import { cronInstants } from './instants.js';
import { refuserOf, type ZoneOptions, zonedSchedule, zoneOf } from './time-zone.js';

/**
 * The schedule of a crontab's five fields, such as `0 9 * * MON-FRI`, or of six with seconds first. If both the day of
 * the month and the day of the week are given, either is enough, as in a crontab.
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

const SECONDS: Field = { ...MINUTES, name: 'seconds' };
const DAY_OF_WEEK: Field = {
  name: 'day-of-week',
  first: 0,
  last: 7,
  takes: '0-7 (0 and 7 are Sunday) or SUN-SAT, 5L or 2#2',
  names: DAY_NAMES,
};

const FIELDS = [MINUTES, HOURS, DAY_OF_MONTH, MONTH, DAY_OF_WEEK].map(({ name }) => name).join(' ');

/**
 * Reads the five fields of a crontab, or six with seconds first, like croner, node-cron and NestJS.
 *
 * @throws what `refuse` throws for text that cannot be read
 */
function readCrontab(text: string, refuse: Refuse): CronFields {
  if (text.includes('?') || text.includes('(')) {
    return refuse(`is in EventBridge's dialect; give it to eventBridge(), such as eventBridge('cron(0 2 * * ? *)')`);
  }
  const fields = text.toUpperCase().match(/\S+/g) ?? [];
  if (fields.length !== 5 && fields.length !== 6) {
    const count = `${fields.length} ${fields.length === 1 ? 'field' : 'fields'}`;
    return refuse(`has ${count}; give five, ${FIELDS}, such as 0 9 * * MON-FRI, or six with seconds in front`);
  }
  const [minutes = '', hours = '', dayOfMonth = '', month = '', dayOfWeek = ''] = fields.slice(-5);
  const [seconds = ''] = fields.length === 6 ? fields : ['0'];
  return {
    seconds: valuesOf(seconds, SECONDS, refuse),
    minutes: valuesOf(minutes, MINUTES, refuse),
    hours: valuesOf(hours, HOURS, refuse),
    dayOfMonth: dayOfMonth === '*' ? ['*'] : daysOfMonth(dayOfMonth, refuse),
    months: valuesOf(month, MONTH, refuse),
    dayOfWeek: dayOfWeek === '*' ? ['*'] : daysOfWeek(dayOfWeek, DAY_OF_WEEK, (day) => (day % 7) + 1, refuse),
    years: 'every',
    eitherDay: dayOfMonth !== '*' && dayOfWeek !== '*',
  };
}
