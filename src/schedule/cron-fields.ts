/**
 * The fields of a cron expression, with lists, ranges, steps and names spelled out.
 * Days of the week are counted as EventBridge does: 1 is Sunday, 7 is Saturday.
 */
export interface CronFields {
  readonly seconds: readonly number[];
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  /** `*`, days, `L` (the last), `15W` (the weekday nearest the 15th) and `LW` (the last weekday). */
  readonly dayOfMonth: readonly string[];
  readonly months: readonly number[];
  /** `*`, days, `6L` (the last Friday) and `3#2` (the second Tuesday). */
  readonly dayOfWeek: readonly string[];
  readonly years: readonly number[] | 'every';
  /** Whether one of the two day fields is enough. If not, a day must be in both. */
  readonly eitherDay: boolean;
}

/** Throws an error that names the schedule, the problem and the remedy. */
export type Refuse = (problem: string) => never;

/** One field of an expression, and the values that it takes. */
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

/** `*`, a value or a range, each with or without a step. */
const VALUES = /^(?:(\*)|([A-Z\d]+)(?:-([A-Z\d]+))?)(?:\/(\d+))?$/;
/** A day of the week followed by a mark: `6L` or `3#2`. */
const MARKED_DAY = /^([A-Z\d]+?)(L|#[1-5])$/;

/** The values of a field, in ascending order. */
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

/** Days of the week, numbered by `numbered`: 1 for Sunday, whatever the field counts from. */
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
