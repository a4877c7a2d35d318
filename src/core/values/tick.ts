import { msOfDate } from './date.js';
import { formatDuration } from './duration.js';
import { atOnce } from './promised.js';

/**
 * When ticks are due. `cron`, `eventBridge` and `rate` of `single-execution/schedule` make schedules; your own object
 * with these functions is a schedule too. A schedule is immutable, and the same on every host.
 */
export interface Schedule {
  /** Returns the newest tick at or before an instant; undefined if no tick is that early. */
  previous(at: Date): Date | undefined;
  /** Returns the first tick strictly after an instant; undefined if no tick follows. */
  next(at: Date): Date | undefined;
  /** Returns the ticks from `from` (inclusive) to `to` (exclusive), oldest first, at most `max`. */
  between(
    from: Date,
    to: Date,
    options?: {
      /** The most ticks to return. Without it, more than 100,000 ticks throw a RangeError. */
      readonly max?: number;
    },
  ): Date[];
  /** Returns the expression, its time zone if that is not UTC, and the scheduler if that is not cron itself. */
  toString(): string;
  /**
   * Whether a tick is optional: a call for it runs, but no call may come, and then the tick is not missed. Such ticks
   * exist where clocks change, because schedulers differ there. Without this function no tick is optional.
   */
  isOptional?(tick: Date): boolean;
  /** Milliseconds between two ticks, if the schedule does not know the instants at which ticks are due. */
  readonly everyMs?: number;
}

/** Called with the tick that is nearest to a call, and the time from the tick before the call and to the tick after it. */
export type OnNearest = (name: string, tickMs: number, gapsMs: readonly [sinceMs: number, untilMs: number]) => void;

/** The key of a function that watches the calls for a schedule. */
export const WATCH: unique symbol = Symbol.for('single-execution.watch.1');

/** The key of a schedule's text, if the command-line tool makes the same schedule from that text. */
export const STORED: unique symbol = Symbol.for('single-execution.stored-schedule.1');

/** The key of the schedule without the ticks that `except` leaves out. */
export const WHOLE: unique symbol = Symbol.for('single-execution.whole-schedule.1');

/** What the schedules that this library makes have in addition. */
export interface MadeSchedule extends Schedule {
  readonly [WATCH]?: (report: (message: string) => void) => OnNearest;
  readonly [STORED]?: string;
  readonly [WHOLE]?: Schedule;
}

/** A schedule given as a duration: the time between two ticks, without the instants at which they are due. */
export type Interval = Required<Pick<Schedule, 'everyMs'>>;

/** Matches a text that a record can contain as its schedule. */
const STORABLE = /^[ -~]{1,100}$/;

/** Returns the text of a schedule for the record; undefined if nobody could read that text back, or if it is too long. */
export function storedText(schedule: Schedule | Interval | undefined): string | undefined {
  if (schedule === undefined) return undefined;
  const text = (schedule as MadeSchedule)[STORED] ?? ('previous' in schedule ? '' : formatDuration(schedule.everyMs));
  return STORABLE.test(text) ? text : undefined;
}

/** Whether a schedule has fixed instants for its ticks, and not only an interval. */
export function isTimed(schedule: Schedule | Interval | undefined): schedule is Schedule {
  return schedule !== undefined && !(Number(schedule.everyMs) > 0);
}

/** How far a tick may be ahead of this host's clock: one day. A later tick is refused. */
const FURTHEST_AHEAD_MS = 86_400_000;
/** The earliest tick that is accepted. No scheduler can have sent an older tick. */
export const EARLIEST_MS: number = Date.UTC(2015, 0, 1);
/** The most ticks in one report, and the most ticks in one list of a record. */
export const MOST_LISTED = 100;
/** Ticks older than the newest 100 are not listed but counted, up to this number. */
const MOST_COUNTED = 10_000;

/**
 * Refuses a tick that no schedule can have sent: it comes from a wrong unit, a replay tool or a tampered event. If such
 * a tick were recorded as done, the job would never run again.
 *
 * @throws RangeError when the tick is not an instant, is before 2015, or is more than `aheadMs` ahead of `nowMs`
 */
export function checkTick(tickMs: number, nowMs: number, aheadMs: number = FURTHEST_AHEAD_MS): number {
  if (!Number.isFinite(tickMs)) {
    throw new RangeError(`tick is ${tickMs}: pass a Date, or epoch milliseconds, or leave it out`);
  }
  if (tickMs < EARLIEST_MS) {
    throw new RangeError(
      `tick is ${shown(tickMs)}, before 2015: check the caller's clock; a number must be epoch milliseconds, not seconds`,
    );
  }
  if (tickMs > nowMs + aheadMs) {
    throw new RangeError(
      `tick is ${shown(tickMs)}, over ${formatDuration(aheadMs)} ahead of ${shown(nowMs)}: check the clocks of the caller and of this host; a number must be epoch milliseconds`,
    );
  }
  return Math.trunc(tickMs);
}

/** A list of ticks: the newest 100, and a count of the older ones. */
export interface NewestTicks {
  /** In epoch milliseconds, ascending. */
  readonly ticksMs: readonly number[];
  /** How many older ticks there are; counted up to 10,000. */
  readonly others: number;
}

export const NO_TICKS: NewestTicks = { ticksMs: [], others: 0 };

/** Finds the ticks of a schedule strictly between `lastMs` and `tickMs`, without optional ones. */
export function missedTicks(lastMs: number, tickMs: number, schedule: Schedule | Interval): NewestTicks {
  if (!isTimed(schedule)) return missedByInterval(lastMs, tickMs, schedule.everyMs);
  const ticksMs: number[] = [];
  let beforeMs = tickMs;
  while (ticksMs.length < MOST_LISTED) {
    const ms = askSchedule(schedule, 'previous', beforeMs - 1);
    if (typeof ms !== 'number' || !(ms > lastMs && ms < beforeMs)) break;
    if (!isOptional(schedule, ms)) ticksMs.push(ms);
    beforeMs = ms;
  }
  const older = ticksMs.length < MOST_LISTED ? [] : ticksBetween(schedule, lastMs + 1, beforeMs, MOST_COUNTED);
  return { ticksMs: ticksMs.reverse(), others: older.length };
}

/**
 * Finds the first `max` ticks of a schedule from `fromMs` (inclusive) to `toMs` (exclusive), without optional ones.
 */
export function ticksBetween(schedule: Schedule, fromMs: number, toMs: number, max: number): number[] {
  if (fromMs >= toMs || max < 1) return [];
  // A caller's own schedule may return other values than Dates, or ticks outside of `from` and `to`.
  const between = atOnce(schedule.between(new Date(fromMs), new Date(toMs), { max }), 'schedule.between');
  const found = between.map(msOf) as number[];
  const ticks = found.filter((tick) => tick >= fromMs && tick < toMs);
  const sure = ticks.filter((tick) => !isOptional(schedule, tick));
  const lastMs = ticks.at(-1);
  // Optional ticks may have taken the place of later ones.
  if (sure.length === ticks.length || ticks.length < max || lastMs === undefined) return sure;
  return [...sure, ...ticksBetween(schedule, lastMs + 1, toMs, max - sure.length)];
}

/** Whether an instant is a tick of a schedule. A schedule without fixed instants has every instant. */
export function isTickOf(schedule: Schedule | Interval | undefined, tickMs: number): boolean {
  return !isTimed(schedule) || askSchedule(schedule, 'previous', tickMs) === tickMs;
}

/** Whether a tick without a run is not missed. */
function isOptional(schedule: Schedule, tickMs: number): boolean {
  return askSchedule(schedule, 'isOptional', tickMs) === true;
}

/**
 * Calls a function of a schedule, which may be the caller's own.
 *
 * @returns what it returns, with epoch milliseconds in place of a Date
 * @throws TypeError for a promise
 */
export function askSchedule(schedule: Schedule, question: 'previous' | 'next' | 'isOptional', ms: number): unknown {
  return msOf(atOnce(schedule[question]?.(new Date(ms)), `schedule.${question}`));
}

/**
 * Computes the ticks that an interval has between two instants. The gap is rounded to whole intervals, so that a late
 * tick or a day of 25 hours adds no tick.
 */
function missedByInterval(lastMs: number, tickMs: number, everyMs: number): NewestTicks {
  const count = Math.max(0, Math.round((tickMs - lastMs) / everyMs) - 1);
  const others = Math.max(0, count - MOST_LISTED);
  const ticksMs = Array.from({ length: count - others }, (_, index) => lastMs + (others + index + 1) * everyMs);
  return { ticksMs, others: Math.min(others, MOST_COUNTED) };
}

function shown(ms: number): string {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? String(ms) : `${ms} (${date.toISOString()})`;
}

/** Sorts ticks, and leaves out those that come twice. */
export function ascending(ticksMs: Iterable<number>): number[] {
  return [...new Set(ticksMs)].sort((a, b) => a - b);
}

/** Turns an instant into a Date, as callers see it. Inside the library, instants are epoch milliseconds. */
export function dateOf(ms: number): Date;
export function dateOf(ms: number | undefined): Date | undefined;
export function dateOf(ms: number | undefined): Date | undefined {
  return ms === undefined ? undefined : new Date(ms);
}

/** Returns the epoch milliseconds of a Date; NaN for an invalid Date. Returns any other value unchanged. */
export function msOf(value: unknown): unknown {
  return msOfDate(value) ?? value;
}
