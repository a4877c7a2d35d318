import { readEventBridge } from '../../src/schedule/eventbridge.js';
import { type CronFields, firingDays } from '../../src/schedule/instants.js';

/** The shortest and the longest time between two firings of a schedule, in milliseconds. */
export interface ScheduleGaps {
  /** The shortest time between two firings. */
  readonly shortestMs: number;
  /** The longest time between two firings. */
  readonly longestMs: number;
}

const FIRST_YEAR = 2024;
/** After 28 years each date falls on the same day of the week again, until 2100. */
const CYCLE_YEARS = 28;
const CYCLE_MS = Date.UTC(FIRST_YEAR + CYCLE_YEARS, 0) - Date.UTC(FIRST_YEAR, 0);

/**
 * Reads a schedule in the form that EventBridge Scheduler takes, and mostly EventBridge's rules too: `rate(5 minutes)`, `cron(0
 * 2 * * ? *)` or Scheduler's `at(2026-01-01T02:00:00)`. The gaps of a cron are exact over the years that it names, or
 * over the calendar's cycle for the year `*`.
 *
 * The gaps are in UTC, and do not depend on today's date. In a time zone with summer time a gap can be an hour shorter
 * or longer: keep a margin. In such a zone Scheduler also drops a firing in the hour that spring skips (a nightly
 * firing then comes after two days), and repeats no firing in the hour that autumn repeats.
 *
 * @returns undefined for a schedule that fires only once
 * @throws RangeError for an expression that cannot be read or that never fires, with the remedy
 */
export function scheduleGaps(expression: string): ScheduleGaps | undefined {
  const refuse = (problem: string) => {
    throw new RangeError(`schedule is '${expression}': ${problem}`);
  };
  const read = readEventBridge(expression, refuse, 'any');
  if (read.kind === 'cron') return cronGaps(read.cron);
  return read.kind === 'rate' ? { shortestMs: read.everyMs, longestMs: read.everyMs } : undefined;
}

/** Computes the gaps of a cron, which fires on each of its days at each of its times. */
function cronGaps(cron: CronFields): ScheduleGaps | undefined {
  const times = cron.hours.flatMap((hour) => cron.minutes.map((minute) => (hour * 60 + minute) * 60_000));
  const named = cron.years === 'every' ? [FIRST_YEAR, FIRST_YEAR + CYCLE_YEARS - 1] : cron.years;
  const lastDayMs = Date.UTC(Math.max(...named), 11, 31);
  const days = [...firingDays(cron, Date.UTC(Math.min(...named), 0), lastDayMs, 1)];
  const following = cron.years === 'every' ? days.slice(0, 1).map((firstDay) => firstDay + CYCLE_MS) : [];
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
