import { defined } from '../core/values/defined.js';
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
 * @param timeZone of a text that names none; undefined for UTC
 * @throws TypeError, RangeError for any other text
 */
export function readSchedule(text: string, timeZone?: string): Schedule | Duration {
  const [, base, dates] = /^(.+) except ([\d,-]+)$/.exec(text) ?? [];
  if (base !== undefined && dates !== undefined) {
    const whole = readSchedule(base, timeZone);
    return except(typeof whole === 'object' ? whole : rate(whole), { dates: dates.split(',') });
  }
  const [, distance, start] = /^rate\((.+?)\)(?: from (\S+))?$/.exec(text) ?? [];
  if (start !== undefined) return rate(String(distance), { start: new Date(start) });
  // EventBridge writes a rate with a blank, and is less strict about its unit.
  if (distance !== undefined && !distance.includes(' ')) return rate(distance);
  const [, inZone = text, dialect] = /^(.+) as ([a-z-]+)$/.exec(text) ?? [];
  const [, expression = inZone, ownZone] = /^(.+) in (\S+)$/.exec(inZone) ?? [];
  if (ownZone !== undefined && timeZone !== undefined) {
    throw new TypeError(`schedule is '${text}', which names its time zone: leave out ${timeZone}`);
  }
  const zone = defined({ timeZone: ownZone ?? timeZone });
  if (/^[a-z]+\(/i.test(expression)) return eventBridge(expression, zone);
  if (/\s|^@/.test(expression)) {
    return cron(expression, { ...zone, ...(dialect !== undefined && { dialect: dialect as Dialect }) });
  }
  parseDuration(text, 'schedule');
  return text;
}
