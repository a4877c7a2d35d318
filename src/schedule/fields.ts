import type { Refuse } from './instants.js';

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
  if (by < 1) return refuse(`${field.name} has '${item}'; use a step of 1-${field.last}`);
  if (first <= last) return range(first, last, by);
  if (field === YEAR) {
    return refuse(`${field.name} has '${item}', which runs backwards; list its values, separated by commas`);
  }
  // A range past the end goes on at the first value. A crontab has two numbers for Sunday, 0 and 7.
  const size = field.names?.length ?? field.last - field.first + 1;
  return range(first, last + size, by).map((value) => (value > field.last ? value - size : value));
}

function numberOf(text: string, item: string, field: Field, refuse: Refuse): number {
  const named = field.names?.indexOf(text) ?? -1;
  if (named >= 0) return field.first + named;
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  return value >= field.first && value <= field.last ? value : refuseItem(item, field, refuse);
}

function refuseItem(item: string, field: Field, refuse: Refuse): never {
  return refuse(`${field.name} has '${item}'; use ${field.takes}, or a list, a range or a step of them, or *`);
}

function range(first: number, last: number, step: number): number[] {
  return Array.from({ length: Math.floor((last - first) / step) + 1 }, (_, i) => first + i * step);
}
