import type { Clock } from '../core/values/clock.js';
import { formatDuration } from '../core/values/duration.js';
import { dateOf, type MadeSchedule, type Schedule, WATCH } from '../core/values/tick.js';
import { nearestTick, readInstant, strayTick } from '../core/wrap/trigger.js';

export { readSchedule } from '../schedule/read-schedule.js';

const SECOND_MS = 1_000;
const [MINUTE_MS, HOUR_MS, DAY_MS] = [60_000, 3_600_000, 86_400_000];

/** Milliseconds as an operator reads them: at most two units, `2m10s`, `3d4h`; below a second in milliseconds. */
export function shortSpan(ms: number): string {
  const whole = Math.max(0, Math.round(ms));
  if (whole < SECOND_MS) return `${whole}ms`;
  const unit = whole < HOUR_MS ? SECOND_MS : whole < DAY_MS ? MINUTE_MS : HOUR_MS;
  return formatDuration(Math.floor(whole / unit) * unit);
}

/** A duration of a run: tenths of a second below a minute. */
export function runSpan(ms: number): string {
  return ms >= SECOND_MS && ms < MINUTE_MS ? `${(ms / SECOND_MS).toFixed(1)}s` : shortSpan(ms);
}

/** A tick as an operator reads and types it, in UTC; with milliseconds only if they are not 0. */
export function shortInstant(at: Date): string {
  return at.toISOString().replace('.000Z', 'Z');
}

/** What a run is for, as an operator reads it: its tick, or `now` for a run by hand. */
export function tickWords({ tick, isManual }: { readonly tick?: Date; readonly isManual?: true }): string | undefined {
  return tick ? shortInstant(tick) : isManual && 'now';
}

/** Any other instant, cut to the second. */
export function toTheSecond(at: Date): string {
  return at.toISOString().replace(/\.\d+Z$/, 'Z');
}

/** An instant as operators write it: ISO 8601 with its offset, or epoch milliseconds; undefined for any other text. */
export function instantIn(text: string): Date | undefined {
  return dateOf(/^\d{13}$/.test(text) ? Number(text) : readInstant(text).tickMs);
}

/** The next ticks of a schedule, at most `count`. */
export function comingTicks(schedule: Schedule, afterMs: number, count: number): Date[] {
  const ticks: Date[] = [];
  for (let at = schedule.next(new Date(afterMs)); at && ticks.length < count; at = schedule.next(at)) ticks.push(at);
  return ticks;
}

/**
 * The tick of a schedule that is due by this host's clock; undefined if it has none any more.
 *
 * @throws TypeError for a schedule without instants at which its ticks are due; RangeError for a tick before 2015, and
 *   before the first tick of all
 */
export function dueTick(schedule: Schedule | undefined, clock: Clock): Date | undefined {
  return dateOf(nearestTick(schedule, clock.now())?.tickMs);
}

/** Reports if the calls at these instants, oldest first, all come at the same distance from a tick of a schedule. */
export function reportMisfit(
  name: string,
  schedule: Schedule,
  calls: readonly Date[],
  report: (words: string) => void,
): void {
  const onNearest = (schedule as MadeSchedule)[WATCH]?.(report);
  for (const at of calls) {
    const due = nearestTick(schedule, at.getTime());
    if (due) onNearest?.(name, due.tickMs, due.gapsMs);
  }
}

/**
 * The words about a tick that is not in its schedule, without a remedy; undefined if it is. The library leaves out its
 * own warning then, whose remedies are options of code.
 */
export function strayWords(name: string, schedule: Schedule, tick: Date): string | undefined {
  return strayTick(name, tick.getTime(), { schedule }, schedule);
}
