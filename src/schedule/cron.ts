import type { Schedule } from '../core/values/tick.js';
import { type CronFields, cronInstants, type Refuse, withDays } from './instants.js';
import { refuserOf, zonedSchedule } from './schedule-of.js';
import { type ZoneOptions, zoneOf } from './time-zone.js';

/**
 * Makes the schedule of a crontab's five fields, such as `0 9 * * MON-FRI`, or of six fields with seconds first. If
 * both the day of the month and the day of the week are given, a day that fits one of them is enough, as in a crontab.
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

/** One field of an expression, and the values that it may have. */
export interface Field {
  readonly name: string;
  readonly first: number;
  readonly last: number;
  readonly takes: string;
  readonly names?: readonly string[];
}

export const MINUTES: Field = { name: 'minutes', first: 0, last: 59, takes: '0-59' };
export const HOURS: Field = { name: 'hours', first: 0, last: 23, takes: '0-23' };
export const DAY_OF_MONTH: Field = { name: 'day-of-month', first: 1, last: 31, takes: '1-31, L, LW or 15W' };
export const MONTH: Field = {
  name: 'month',
  first: 1,
  last: 12,
  takes: '1-12 or JAN-DEC',
  names: ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'],
};
export const YEAR: Field = { name: 'year', first: 1970, last: 2199, takes: '1970-2199' };
export const DAY_NAMES: readonly string[] = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];
const SECONDS: Field = { ...MINUTES, name: 'seconds' };
const DAY_OF_WEEK: Field = {
  name: 'day-of-week',
  first: 0,
  last: 7,
  takes: '0-7 (0 and 7 are Sunday) or SUN-SAT, 5L or 2#2',
  names: DAY_NAMES,
};

const FIELDS = [MINUTES, HOURS, DAY_OF_MONTH, MONTH, DAY_OF_WEEK].map(({ name }) => name).join(' ');

/** `*`, a value or a range, each with or without a step. */
const VALUES = /^(?:(\*)|([A-Z\d]+)(?:-([A-Z\d]+))?)(?:\/(\d+))?$/;
/** A day of the week followed by a mark: `6L` or `3#2`. */
const MARKED_DAY = /^([A-Z\d]+?)(L|#[1-5])$/;

/** Reads the values that the text of a field stands for, in ascending order. */
export function valuesOf(text: string, field: Field, refuse: Refuse): number[] {
  const values = text.split(',').flatMap((item) => itemValues(item, field, refuse));
  return [...new Set(values)].sort((a, b) => a - b);
}

export function daysOfMonth(text: string, refuse: Refuse): string[] {
  return text.split(',').flatMap((item) => {
    if (item === 'L' || item === 'LW') return [item];
    if (item.endsWith('W')) return [`${numberOf(item.slice(0, -1), item, DAY_OF_MONTH, refuse)}W`];
    return itemValues(item, DAY_OF_MONTH, refuse).map(String);
  });
}

/**
 * Reads the days of the week that the text of a field stands for. `numbered` turns the number of a day in this field
 * into EventBridge's number, in which 1 is Sunday.
 */
export function daysOfWeek(text: string, field: Field, numbered: (value: number) => number, refuse: Refuse): string[] {
  return text.split(',').flatMap((item) => {
    const [, day, mark] = MARKED_DAY.exec(item) ?? [];
    if (day !== undefined) return [`${numbered(numberOf(day, item, field, refuse))}${mark}`];
    return itemValues(item, field, refuse).map((value) => String(numbered(value)));
  });
}

function itemValues(item: string, field: Field, refuse: Refuse): number[] {
  const [, star, from = '', to, step] = VALUES.exec(item) ?? refuseItem(item, field, refuse);
  const first = star ? field.first : numberOf(from, item, field, refuse);
  const end = star || step !== undefined ? field.last : first;
  const last = to === undefined ? end : numberOf(to, item, field, refuse);
  const by = Number(step ?? 1);
  if (by < 1 || by > field.last) return refuse(`${field.name} has '${item}'; give a step of 1-${field.last}`);
  if (first <= last) return range(first, last, by);
  if (step !== undefined || field === YEAR) {
    return refuse(`${field.name} has '${item}', which runs backwards; list its values, separated by commas`);
  }
  return [...range(first, field.last, 1), ...range(field.first, last, 1)];
}

function numberOf(text: string, item: string, field: Field, refuse: Refuse): number {
  const named = field.names?.indexOf(text) ?? -1;
  if (named >= 0) return field.first + named;
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  return value >= field.first && value <= field.last ? value : refuseItem(item, field, refuse);
}

function refuseItem(item: string, field: Field, refuse: Refuse): never {
  return refuse(`${field.name} has '${item}'; give ${field.takes}, or a list, a range or a step of them, or *`);
}

function range(first: number, last: number, step: number): number[] {
  return Array.from({ length: Math.floor((last - first) / step) + 1 }, (_, i) => first + i * step);
}

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
