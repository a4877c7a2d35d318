import type { Schedule } from '../core/values/tick.js';
import {
  DAY_NAMES,
  DAY_OF_MONTH,
  daysOfMonth,
  daysOfWeek,
  type Field,
  HOURS,
  MINUTES,
  MONTH,
  valuesOf,
  YEAR,
} from './fields.js';
import { type CronFields, cronInstants, oneInstant, type Refuse, withDays } from './instants.js';
import { checkFires, floatingRate, inZone, refuserOf, scheduleOf } from './schedule-of.js';
import { type ZoneOptions, zoneOf } from './time-zone.js';

/** The environment variables that contain the schedule of a function. */
export const SCHEDULE_VARIABLE = 'SINGLE_EXECUTION_SCHEDULE';
export const TIME_ZONE_VARIABLE = 'SINGLE_EXECUTION_TIME_ZONE';

/**
 * Makes the schedule of an expression of EventBridge: `cron(0 9 ? * MON-FRI *)`, `rate(15 minutes)` or
 * `at(2026-01-01T02:00:00)`. EventBridge counts a rate from the creation of its schedule. The expression does not
 * contain that instant; pass it with `rate(…, { start })`.
 *
 * @example
 * ```ts
 * import { eventBridge } from 'single-execution/schedule';
 *
 * const nightly = eventBridge('cron(0 2 * * ? *)');
 * nightly.previous(new Date('2026-01-01T12:00:00Z')); // → 2026-01-01T02:00:00.000Z
 * ```
 *
 * @throws RangeError for an expression that EventBridge would not take or that never fires, and for an unknown time
 *   zone
 */
export function eventBridge(expression: string, options: ZoneOptions = {}): Schedule {
  const refuse = refuserOf(expression);
  const zone = zoneOf(options, 'eventBridge');
  const read = readEventBridge(expression, refuse, 'any');
  if (read.kind === 'rate') return floatingRate(expression, read.everyMs);
  const instants = read.kind === 'cron' ? cronInstants(read.cron, zone) : oneInstant(read.wallMs, zone);
  checkFires(instants, zone, refuse);
  return scheduleOf(inZone(expression, zone), () => instants, { zone });
}

/** A schedule in the notation of EventBridge's rules and of EventBridge Scheduler. */
export type EventBridgeExpression =
  | { readonly kind: 'rate'; readonly everyMs: number }
  /** `wallMs`: the local time in the schedule's time zone, written as if it were UTC. */
  | { readonly kind: 'at'; readonly wallMs: number }
  | { readonly kind: 'cron'; readonly cron: CronFields };

const UNIT_MS: Readonly<Record<string, number>> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };

/** Whether `1` must stand with a singular unit and more with a plural one, as rules want it. Scheduler takes any. */
type Units = 'exact' | 'any';

/**
 * Reads `rate(5 minutes)`, `cron(0 2 * * ? *)`, or Scheduler's `at(2026-01-01T02:00:00)`.
 *
 * @throws what `refuse` throws for an expression that EventBridge would not take, or whose days never come
 */
export function readEventBridge(expression: string, refuse: Refuse, units: Units = 'exact'): EventBridgeExpression {
  const [, kind, text = ''] = /^(rate|at|cron)\((.*)\)$/.exec(expression) ?? [];
  switch (kind) {
    case 'rate':
      return { kind, everyMs: readRate(text, refuse, units) };
    case 'at':
      return { kind, wallMs: readDateTime(text, refuse) };
    case 'cron':
      return { kind, cron: withDays(readEventBridgeCron(text, refuse), refuse) };
    default:
      return refuse('use one such as cron(0 2 * * ? *), rate(5 minutes) or at(2026-01-01T02:00:00)');
  }
}

/** Reads the milliseconds of `5 minutes`, `1 hour` or `2 days`, as EventBridge writes them. */
export function readRate(text: string, refuse: Refuse, units: Units = 'exact'): number {
  const [, digits, unit = '', plural] =
    /^([1-9]\d*) (minute|hour|day)(s?)$/.exec(text) ??
    refuse('use a whole number from 1, one blank and minutes, hours or days, such as rate(5 minutes)');
  const count = Number(digits);
  if (units === 'exact' && (count === 1) !== (plural === '')) {
    const right = count === 1 ? `rate(1 ${unit})` : `rate(${digits} ${unit}s)`;
    return refuse(`EventBridge takes a singular unit with 1 and a plural with more; use ${right}`);
  }
  const ms = count * (UNIT_MS[unit] as number);
  return Number.isSafeInteger(ms) ? ms : refuse('too long to count; use fewer');
}

function readDateTime(text: string, refuse: Refuse): number {
  const at = new Date(`${text}.000Z`);
  // The round trip refuses 30 February, which Date reads as a day in March.
  const isReal = !Number.isNaN(at.getTime()) && at.toISOString() === `${text}.000Z`;
  return isReal ? at.getTime() : refuse('use a date and time, such as at(2026-01-01T02:00:00)');
}

const DAY_OF_WEEK: Field = {
  name: 'day-of-week',
  first: 1,
  last: 7,
  takes: '1-7 (1 is Sunday) or SUN-SAT, L, 6L or 3#2',
  names: DAY_NAMES,
};

const FIELDS = [MINUTES, HOURS, DAY_OF_MONTH, MONTH, DAY_OF_WEEK, YEAR].map(({ name }) => name).join(' ');

/**
 * Reads the text between the brackets of EventBridge's `cron(...)`.
 *
 * @throws what `refuse` throws for text that EventBridge would not take
 */
function readEventBridgeCron(text: string, refuse: Refuse): CronFields {
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
    seconds: [0],
    minutes: valuesOf(minutes, MINUTES, refuse),
    hours: valuesOf(hours, HOURS, refuse),
    dayOfMonth: dayOfMonth === '?' ? ['*'] : daysOfMonth(dayOfMonth, refuse),
    months: valuesOf(month, MONTH, refuse),
    dayOfWeek: dayOfWeek === '?' ? ['*'] : weekdays(dayOfWeek, refuse),
    years: year === '*' ? 'every' : valuesOf(year, YEAR, refuse),
    eitherDay: false,
  };
}

function weekdays(text: string, refuse: Refuse): string[] {
  if (text.includes(',') && text.includes('#')) {
    return refuse(`${DAY_OF_WEEK.name} has # in a list; use one schedule for each, such as cron(0 2 ? * 3#2 *)`);
  }
  // `L` without a day is the last day of the week; `6L` is the last Friday of the month.
  const items = text.split(',').map((item) => (item === 'L' ? 'SAT' : item));
  return daysOfWeek(items.join(','), DAY_OF_WEEK, (day) => day, refuse);
}
