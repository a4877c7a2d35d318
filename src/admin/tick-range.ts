import { resolveSchedule } from '../core/options/policy.js';
import { FOREVER_MS } from '../core/record/lock-record.js';
import { describe } from '../core/values/describe.js';
import type { Duration } from '../core/values/duration.js';
import { checkKnown, namesOf } from '../core/values/option-checks.js';
import type { Schedule } from '../core/values/schedule.js';
import { EARLIEST_MS, MOST_LISTED, msOf } from '../core/values/tick.js';

/** Ticks of a schedule, as an operator names them. */
export interface TickRange {
  /** The first instant. Epoch milliseconds when a number. */
  readonly from: Date | number;
  /** The first instant that is left out. */
  readonly to: Date | number;
  /** That of the job. A duration, and a `rate` without `start`, count from `from`. */
  readonly schedule: Schedule | Duration;
}

const OPTIONS = namesOf<TickRange>({ from: true, to: true, schedule: true });
/** So many that there are too many in any case, whichever of them are done. */
const MOST_READ = 2 * MOST_LISTED;

/**
 * The ticks in a range that are due, ascending.
 *
 * @throws TypeError, RangeError for a range that cannot be
 */
export function ticksInRange(range: TickRange, nowMs: number): number[] {
  checkKnown(range, OPTIONS, 'backfill');
  const [fromMs, toMs] = [instantOf('from', range.from), instantOf('to', range.to)];
  if (fromMs < EARLIEST_MS) {
    throw new RangeError(
      `from is ${shown(fromMs)}, before 2015: give a later one; a number must be epoch milliseconds`,
    );
  }
  if (fromMs >= toMs) throw new RangeError(`from is ${shown(fromMs)}, and to is ${shown(toMs)}: give a later to`);
  const schedule = resolveSchedule(range.schedule);
  if (schedule === undefined) {
    throw new TypeError("schedule is undefined: give that of the job, such as cron('0 9 * * *')");
  }
  const endMs = Math.min(toMs, Math.floor(nowMs) + 1);
  return ticksOf(schedule, fromMs, endMs).filter((tick) => tick >= fromMs && tick < endMs);
}

function ticksOf(schedule: Schedule | number, fromMs: number, endMs: number): number[] {
  if (typeof schedule !== 'number') {
    return schedule.between(new Date(fromMs), new Date(endMs), { max: MOST_READ }).map((tick) => tick.getTime());
  }
  return Array.from({ length: MOST_READ }, (_, n) => fromMs + n * schedule);
}

/** @throws TypeError, RangeError for what are no instants */
export function ticksGiven(ticks: readonly (Date | number)[]): number[] {
  if (Array.isArray(ticks)) return ticks.map((tick, place) => instantOf(`ticks[${place}]`, tick));
  throw new TypeError(`ticks is ${describe(ticks)}: give an array of Dates, as open tells them`);
}

function instantOf(option: string, value: unknown): number {
  const ms = msOf(value);
  if (typeof ms === 'number' && Number.isSafeInteger(ms) && Math.abs(ms) <= FOREVER_MS) return ms;
  throw new RangeError(`${option} is ${describe(value)}: give a Date, or epoch milliseconds`);
}

function shown(ms: number): string {
  return new Date(ms).toISOString();
}
