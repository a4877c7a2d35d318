import { checkKnown, checkMethods, describe } from '../core/values/checks.js';
import { msOfDate } from '../core/values/date.js';
import { atOnce } from '../core/values/promised.js';
import { isTimed, type MadeSchedule, type Schedule, STORED, WHOLE } from '../core/values/tick.js';
import type { Instants } from './instants.js';
import { scheduleOf, type Ticks, ticksOf } from './schedule-of.js';
import type { TimeZone } from './time-zone.js';

const DAY_MS = 86_400_000;
/** The most ticks in a row that a function may leave out, so that a function that is always true ends. */
const MOST_IN_A_ROW = 100_000;

/** Which ticks `except` leaves out. Give at least one of the three; a list may be empty. */
export interface Exclusions {
  /** Local days of the schedule's time zone, such as `'2026-12-25'`. */
  readonly dates?: readonly string[];
  /** Spans of time: each begins with its first Date, and ends before its second. */
  readonly ranges?: readonly (readonly [from: Date, to: Date])[];
  /** Returns true for a tick to leave out. The same on every host, and at every time. */
  readonly when?: (tick: Date) => boolean;
}

/**
 * Makes the same schedule without some of its ticks, such as holidays. A tick that is left out is never missed, and
 * never caught up with. A call on such a day is off schedule: see the option `offSchedule`.
 *
 * @example
 * ```ts
 * import { cron, except } from 'single-execution/schedule';
 *
 * const weekdays = cron('0 9 * * MON-FRI', { timeZone: 'Europe/Berlin' });
 * const workdays = except(weekdays, { dates: ['2026-12-25', '2027-01-01'] });
 * workdays.next(new Date('2026-12-24T12:00:00Z')); // → 2026-12-28T08:00:00.000Z
 * ```
 *
 * @param schedule a schedule whose ticks have fixed instants; the days of your own object are days of UTC
 * @throws TypeError, RangeError for exclusions that are missing or invalid, and for a schedule without fixed instants
 */
export function except(schedule: Schedule, exclusions: Exclusions): Schedule {
  checkSchedule(schedule);
  const found = read(exclusions);
  // A schedule that could not be read has no ticks to leave out.
  if (schedule.everyMs === Number.POSITIVE_INFINITY) return schedule;
  if (!isTimed(schedule)) {
    throw new TypeError(`${schedule} has no fixed instants to leave out: pass a cron, or a rate with its start`);
  }
  // A list of holidays may be empty, and the text of the schedule must be one that can be read back.
  const words = wordsOf(found);
  if (words === '') return schedule;
  const ticks = ticksOf(schedule);
  const text = `${schedule} except ${words}`;
  const { isOptional } = schedule;
  return scheduleOf(text, (atMs) => leftBy(found, ticks, atMs, text), {
    zone: ticks.zone,
    isReadable: found.ranges.length === 0 && found.when === undefined && isReadable(schedule),
    [WHOLE]: (schedule as MadeSchedule)[WHOLE] ?? schedule,
    ...(isOptional && { isOptional: (tick) => isOptional.call(schedule, tick) }),
  });
}

const isReadable = (schedule: MadeSchedule): boolean => schedule[STORED] !== undefined;

/** Exclusions that were read. */
interface Read {
  /** Local days, ascending. */
  readonly dates: readonly string[];
  readonly ranges: readonly Range[];
  readonly when: Exclusions['when'];
}

interface Range {
  readonly fromMs: number;
  readonly toMs: number;
}

function checkSchedule(schedule: Schedule): void {
  const remedy = "pass a schedule, such as cron('0 9 * * MON-FRI')";
  checkMethods('schedule', schedule, ['previous', 'next', 'between'], remedy);
}

function read(exclusions: Exclusions): Read {
  checkKnown(exclusions, ['dates', 'ranges', 'when'], 'except');
  const { dates, ranges, when } = exclusions;
  if (dates === undefined && ranges === undefined && when === undefined) {
    throw new TypeError('except leaves out nothing: pass dates, ranges or when');
  }
  if (when !== undefined && typeof when !== 'function') {
    throw new TypeError(`when is ${describe(when)}: pass a function of the tick that returns true or false`);
  }
  return {
    dates: [...new Set(listOf('dates', dates, "['2026-12-25']").map(readDate))].sort(),
    ranges: listOf('ranges', ranges, '[[from, to]]').map(readRange),
    when,
  };
}

function listOf(option: string, value: unknown = [], such: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new TypeError(`${option} is ${describe(value)}: pass an array, such as ${such}`);
}

function readDate(date: unknown, index: number): string {
  const isShaped = typeof date === 'string' && /^\d{4}-\d\d-\d\d$/.test(date);
  const midnight = new Date(isShaped ? `${date}T00:00:00Z` : Number.NaN);
  // The round trip refuses 30 February, which Date reads as a day in March.
  if (!Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(date as string)) return date as string;
  throw new RangeError(`dates[${index}] is ${describe(date)}: pass a day such as '2026-12-25'`);
}

function readRange(range: unknown, index: number): Range {
  const [fromMs = Number.NaN, toMs = Number.NaN] =
    Array.isArray(range) && range.length === 2 ? range.map(msOfDate) : [];
  if (fromMs < toMs) return { fromMs, toMs };
  const what = Array.isArray(range) ? range.map(describe).join(' to ') : describe(range);
  throw new RangeError(`ranges[${index}] is ${what}: pass two Dates, such as [from, to], with from before to`);
}

function wordsOf({ dates, ranges, when }: Read): string {
  const words = [dates.join(',')].filter((text) => text !== '');
  if (ranges.length > 0) words.push(`${ranges.length} ${ranges.length === 1 ? 'range' : 'ranges'}`);
  if (when) words.push('a function');
  return words.join(', ');
}

/** Returns the ticks that are not left out. Skips an excluded day or range in one step, however many ticks it has. */
function leftBy(found: Read, { zone, instantsFor }: Ticks, atMs: number, text: string): Instants {
  function* walk(startMs: number, step: 1 | -1): Generator<number> {
    let inARow = 0;
    let walkMs: number | undefined = startMs;
    while (walkMs !== undefined) {
      const instants: Instants = instantsFor(atMs);
      const ticks: Iterable<number> = step > 0 ? instants.from(walkMs) : instants.backFrom(walkMs);
      walkMs = undefined;
      for (const ms of ticks) {
        walkMs = pastRange(found, ms, step) ?? pastDay(found, zone, { ms, step });
        if (walkMs !== undefined) break;
        if (!isLeftOut(found, ms, text)) {
          inARow = 0;
          yield ms;
        } else if (++inARow > MOST_IN_A_ROW) throw endless(text);
      }
    }
  }
  return { from: (fromMs) => walk(fromMs, 1), backFrom: (toMs) => walk(toMs, -1) };
}

/** Returns the first instant past the range that contains a tick, in the direction of the walk. */
function pastRange({ ranges }: Read, ms: number, step: 1 | -1): number | undefined {
  const range = ranges.find(({ fromMs, toMs }) => fromMs <= ms && ms < toMs);
  return range && (step > 0 ? range.toMs : range.fromMs - 1);
}

/**
 * Returns the first instant past the local day of a tick, if that day is left out. Stops where the clock changes,
 * because the clock can go back to the day before.
 */
function pastDay({ dates }: Read, zone: TimeZone, { ms, step }: { ms: number; step: 1 | -1 }): number | undefined {
  if (dates.length === 0) return undefined;
  const offsetMs = zone.offsetMs(ms);
  const startMs = Math.floor((ms + offsetMs) / DAY_MS) * DAY_MS;
  if (!dates.includes(new Date(startMs).toISOString().slice(0, 10))) return undefined;
  const [fromMs, toMs] = [startMs - offsetMs, startMs + DAY_MS - offsetMs];
  return step > 0 ? (zone.changes(ms, toMs)[0] ?? toMs) : (zone.changes(fromMs, ms).at(-1) ?? fromMs) - 1;
}

function isLeftOut({ when }: Read, ms: number, text: string): boolean {
  if (!when) return false;
  let answer: unknown;
  try {
    answer = when(new Date(ms));
  } catch (cause) {
    throw new Error(`${text}: when threw for the tick ${new Date(ms).toISOString()}`, { cause });
  }
  if (typeof atOnce(answer, 'when') === 'boolean') return answer === true;
  throw new TypeError(
    `when returned ${describe(answer)} for the tick ${new Date(ms).toISOString()}: return true or false`,
  );
}

function endless(text: string): RangeError {
  return new RangeError(
    `${text} leaves out more than ${MOST_IN_A_ROW.toLocaleString('en-US')} ticks in a row: when must return false for some`,
  );
}
