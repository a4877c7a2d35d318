import { calendarDays } from './calendar-days.js';
import { type EventBridgeCron, type Refuse, readEventBridgeCron } from './eventbridge-cron.js';

/** The shortest and the longest time between two firings of a schedule, in milliseconds. */
export interface ScheduleGaps {
  readonly shortestMs: number;
  readonly longestMs: number;
}

const UNIT_MS: Readonly<Record<string, number>> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };
const FIRST_YEAR = 2024;
/** Dates fall on the same days of the week again after 28 years, until 2100. */
const CYCLE_YEARS = 28;
const CYCLE_MS = Date.UTC(FIRST_YEAR + CYCLE_YEARS, 0) - Date.UTC(FIRST_YEAR, 0);

/**
 * Reads a schedule in the form that both EventBridge's rules and EventBridge Scheduler take: `rate(5 minutes)`,
 * `cron(0 2 * * ? *)` or Scheduler's `at(2026-01-01T02:00:00)`. The gaps of a cron are exact over the years it names,
 * or over the calendar's cycle for the year `*`.
 *
 * All in UTC, and independent of today's date. In a time zone with summer time a gap can be an hour shorter or longer:
 * keep a margin. There Scheduler also drops what falls into the hour that spring skips (a nightly firing then comes
 * after two days) and repeats nothing in the hour that autumn repeats.
 *
 * @returns undefined for a schedule that fires only once
 * @throws RangeError for an expression that cannot be read or that never fires, with the remedy
 */
export function scheduleGaps(expression: string): ScheduleGaps | undefined {
  const refuse: Refuse = (problem) => {
    throw new RangeError(`schedule is '${expression}': ${problem}`);
  };
  const [, kind, text = ''] = /^(rate|at|cron)\((.*)\)$/.exec(expression) ?? [];
  switch (kind) {
    case 'rate':
      return rateGaps(text, refuse);
    case 'at':
      return isDateTime(text) ? undefined : refuse('give a date and time, such as at(2026-01-01T02:00:00)');
    case 'cron':
      return cronGaps(readEventBridgeCron(text, refuse), refuse);
    default:
      return refuse('give one such as cron(0 2 * * ? *), rate(5 minutes) or at(2026-01-01T02:00:00)');
  }
}

function rateGaps(text: string, refuse: Refuse): ScheduleGaps {
  const [, digits, unit = '', plural] =
    /^([1-9]\d*) (minute|hour|day)(s?)$/.exec(text) ??
    refuse('give a whole number from 1, one blank and minutes, hours or days, such as rate(5 minutes)');
  const count = Number(digits);
  if ((count === 1) !== (plural === '')) {
    const right = count === 1 ? `rate(1 ${unit})` : `rate(${digits} ${unit}s)`;
    return refuse(`EventBridge takes a singular unit with 1 and a plural with more; give ${right}`);
  }
  const ms = count * (UNIT_MS[unit] ?? Number.NaN);
  return Number.isSafeInteger(ms) ? { shortestMs: ms, longestMs: ms } : refuse('too long to count; give fewer');
}

function isDateTime(text: string): boolean {
  const at = new Date(`${text}.000Z`);
  // The round trip refuses a 30th of February, which Date takes for the 1st of March.
  return !Number.isNaN(at.getTime()) && at.toISOString() === `${text}.000Z`;
}

/** The firings are every one of the days at every one of the times. */
function cronGaps(cron: EventBridgeCron, refuse: Refuse): ScheduleGaps | undefined {
  const times = cron.hours.flatMap((hour) => cron.minutes.map((minute) => (hour * 60 + minute) * 60_000));
  const named = cron.years === 'every' ? [FIRST_YEAR, FIRST_YEAR + CYCLE_YEARS - 1] : cron.years;
  const days = calendarDays(cron, Math.min(...named), Math.max(...named));
  const [firstDay] = days;
  if (firstDay === undefined) {
    return refuse('never fires: no such day is in its months and years; give days that they have');
  }
  const following = cron.years === 'every' ? [firstDay + CYCLE_MS] : [];
  const firstToLastMs = (times.at(-1) ?? 0) - (times[0] ?? 0);
  const gaps = [...differences(times), ...differences([...days, ...following]).map((ms) => ms - firstToLastMs)];
  if (gaps.length === 0) return undefined;
  return {
    shortestMs: gaps.reduce((a, b) => Math.min(a, b)),
    longestMs: gaps.reduce((a, b) => Math.max(a, b)),
  };
}

function differences(instants: readonly number[]): number[] {
  return instants.slice(1).map((instant, i) => instant - (instants[i] ?? instant));
}
