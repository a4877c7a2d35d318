import { msOf } from './date-of.js';
import { formatDuration } from './duration.js';
import type { Schedule } from './schedule.js';

/** A tick further ahead of this host's clock is refused. */
const FURTHEST_AHEAD_MS = 86_400_000;
/** No tick that is older was ever sent. */
export const EARLIEST_MS: number = Date.UTC(2015, 0, 1);
/** So many ticks are told at a time, and so many can be listed as open. */
export const MOST_LISTED = 100;

/**
 * Refuses a tick that no schedule can have sent: a wrong unit, a replay tool or a tampered event. Recording such a
 * tick as done would keep the job from ever running again.
 *
 * @throws RangeError when it is no instant, before 2015, or more than `aheadMs` ahead of `nowMs`
 */
export function checkTick(tickMs: number, nowMs: number, aheadMs: number = FURTHEST_AHEAD_MS): number {
  if (!Number.isFinite(tickMs)) {
    throw new RangeError(`tick is ${tickMs}: give a Date, or epoch milliseconds, or leave it out`);
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

/** The ticks of a schedule strictly between `lastMs` and `tickMs`, oldest first; the newest 100 of them. */
export function missedTicks(lastMs: number, tickMs: number, schedule: Schedule | number): Date[] {
  if (typeof schedule === 'number') return missedByInterval(lastMs, tickMs, schedule);
  const ticks: Date[] = [];
  for (let beforeMs = tickMs; ticks.length < MOST_LISTED; ) {
    const ms = msOf(schedule.previous(new Date(beforeMs - 1)));
    if (typeof ms !== 'number' || !(ms > lastMs && ms < beforeMs)) break;
    ticks.push(new Date(ms));
    beforeMs = ms;
  }
  return ticks.reverse();
}

/** The gap is rounded to whole intervals, so that a late tick or a day of 25 hours adds no tick. */
function missedByInterval(lastMs: number, tickMs: number, everyMs: number): Date[] {
  const count = Math.round((tickMs - lastMs) / everyMs) - 1;
  const ticks: Date[] = [];
  for (let k = Math.max(1, count - MOST_LISTED + 1); k <= count; k++) ticks.push(new Date(lastMs + k * everyMs));
  return ticks;
}

function shown(ms: number): string {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? String(ms) : `${ms} (${date.toISOString()})`;
}
