/**
 * The fields of an EventBridge cron, lists, ranges, steps and names spelled out.
 * Days of the week are counted as EventBridge does: 1 is Sunday, 7 is Saturday.
 */
export interface EventBridgeCron {
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  /** `*`, days, `L` (the last), `15W` (the weekday nearest the 15th) and `LW` (the last weekday). */
  readonly dayOfMonth: readonly string[];
  readonly months: readonly number[];
  /** `*`, days, `6L` (the last Friday) and `3#2` (the second Tuesday). */
  readonly dayOfWeek: readonly string[];
  readonly years: readonly number[] | 'every';
}

/** Throws an error that names the schedule, the problem and the remedy. */
export type Refuse = (problem: string) => never;

interface Field {
  readonly name: string;
  readonly first: number;
  readonly last: number;
  readonly takes: string;
  readonly names?: readonly string[];
}

const MINUTES: Field = { name: 'minutes', first: 0, last: 59, takes: '0-59' };
const HOURS: Field = { name: 'hours', first: 0, last: 23, takes: '0-23' };
const DAY_OF_MONTH: Field = { name: 'day-of-month', first: 1, last: 31, takes: '1-31, L, LW or 15W' };
const MONTH: Field = {
  name: 'month',
  first: 1,
  last: 12,
  takes: '1-12 or JAN-DEC',
  names: ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'],
};
const DAY_OF_WEEK: Field = {
  name: 'day-of-week',
  first: 1,
  last: 7,
  takes: '1-7 (1 is Sunday) or SUN-SAT, L, 6L or 3#2',
  names: ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'],
};
const YEAR: Field = { name: 'year', first: 1970, last: 2199, takes: '1970-2199' };

const FIELDS = [MINUTES, HOURS, DAY_OF_MONTH, MONTH, DAY_OF_WEEK, YEAR].map(({ name }) => name).join(' ');
/** `*`, a value or a range, each with or without a step. */
const VALUES = /^(?:(\*)|([A-Z\d]+)(?:-([A-Z\d]+))?)(?:\/(\d+))?$/;

/**
 * Reads what stands between the brackets of `cron(...)`.
 *
 * @throws what `refuse` throws for text that EventBridge would not take
 */
export function readEventBridgeCron(text: string, refuse: Refuse): EventBridgeCron {
  const fields = text.toUpperCase().match(/\S+/g) ?? [];
  const [minutes = '', hours = '', dayOfMonth = '', month = '', dayOfWeek = '', year = ''] = fields;
  if (fields.length !== 6) {
    const count = `${fields.length} ${fields.length === 1 ? 'field' : 'fields'}`;
    return refuse(`has ${count}; EventBridge's cron has six: ${FIELDS}, such as cron(0 2 * * ? *)`);
  }
  if ((dayOfMonth === '?') === (dayOfWeek === '?')) {
    const days = `${DAY_OF_MONTH.name} is '${dayOfMonth}' and ${DAY_OF_WEEK.name} is '${dayOfWeek}'`;
    return refuse(`${days}; exactly one of them must be ?, such as cron(0 2 * * ? *) or cron(0 2 ? * MON-FRI *)`);
  }
  return {
    minutes: valuesOf(minutes, MINUTES, refuse),
    hours: valuesOf(hours, HOURS, refuse),
    dayOfMonth: dayOfMonth === '?' ? ['*'] : daysOfMonth(dayOfMonth, refuse),
    months: valuesOf(month, MONTH, refuse),
    dayOfWeek: dayOfWeek === '?' ? ['*'] : daysOfWeek(dayOfWeek, refuse),
    years: year === '*' ? 'every' : valuesOf(year, YEAR, refuse),
  };
}

function daysOfMonth(text: string, refuse: Refuse): string[] {
  return text.split(',').flatMap((item) => {
    if (item === 'L' || item === 'LW') return [item];
    if (item.endsWith('W')) return [`${numberOf(item.slice(0, -1), item, DAY_OF_MONTH, refuse)}W`];
    return itemValues(item, DAY_OF_MONTH, refuse).map(String);
  });
}

function daysOfWeek(text: string, refuse: Refuse): string[] {
  const items = text.split(',');
  if (items.length > 1 && text.includes('#')) {
    return refuse(`${DAY_OF_WEEK.name} has # in a list; give each its own schedule, such as cron(0 2 ? * 3#2 *)`);
  }
  return items.flatMap((item) => {
    // Alone it is the last day of the week; behind a day, the last such day of the month.
    if (item === 'L') return [String(DAY_OF_WEEK.last)];
    const [, day, mark] = /^([A-Z\d]+?)(L|#[1-5])$/.exec(item) ?? [];
    if (day !== undefined) return [`${numberOf(day, item, DAY_OF_WEEK, refuse)}${mark}`];
    return itemValues(item, DAY_OF_WEEK, refuse).map(String);
  });
}

function valuesOf(text: string, field: Field, refuse: Refuse): number[] {
  const values = text.split(',').flatMap((item) => itemValues(item, field, refuse));
  return [...new Set(values)].sort((a, b) => a - b);
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
