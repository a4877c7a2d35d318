import { type Duration, parseDuration } from '../core/values/duration.js';
import type { Schedule } from '../core/values/tick.js';
import { cron } from './cron.js';
import type { Dialect } from './crontab.js';
import { eventBridge } from './eventbridge.js';
import { except } from './except.js';
import { rate } from './schedule.js';

/**
 * Reads a schedule back from its text, as `toString` of a schedule writes it and records store it: a crontab such as
 * `0 9 * * MON-FRI in Europe/Berlin`, an expression of EventBridge, a rate, or a duration; each may end with
 * ` except 2026-12-25,2027-01-01`.
 *
 * @throws TypeError, RangeError for any other text
 */
export function readSchedule(text: string): Schedule | Duration {
  const [, base, dates] = /^(.+) except ([\d,-]+)$/.exec(text) ?? [];
  if (base !== undefined && dates !== undefined) {
    const whole = readSchedule(base);
    return except(typeof whole === 'object' ? whole : rate(whole), { dates: dates.split(',') });
  }
  const [, distance, start] = /^rate\((.+?)\)(?: from (\S+))?$/.exec(text) ?? [];
  if (distance !== undefined) return rate(distance, start === undefined ? {} : { start: new Date(start) });
  const [, inZone = text, dialect] = /^(.+) as ([a-z-]+)$/.exec(text) ?? [];
  const [, expression = inZone, timeZone] = /^(.+) in (\S+)$/.exec(inZone) ?? [];
  const zone = timeZone === undefined ? {} : { timeZone };
  if (/^[a-z]+\(/i.test(expression)) return eventBridge(expression, zone);
  if (/\s|^@/.test(expression)) {
    return cron(expression, { ...zone, ...(dialect !== undefined && { dialect: dialect as Dialect }) });
  }
  parseDuration(text, 'schedule');
  return text;
}
