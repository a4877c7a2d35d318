import type { OnNearest } from '../core/values/tick.js';

/*
 * Notices a schedule that does not fit its calls, because it has another time zone or expression than the scheduler.
 * Every call then lies away from the ticks, and always by as much. A call by hand, a late start and a burst of calls
 * for one tick do not repeat their distance tick after tick.
 */

const MINUTE_MS = 60_000;
/** Time zones differ by multiples of this. */
const QUARTER_MS = 15 * MINUTE_MS;

/** Makes a function that warns once if calls for several ticks in a row come at the same distance from a tick. */
export function watchCalls(text: string, report: (message: string) => void): OnNearest {
  let [lastMs, lastGapsMs, count, isReported] = [Number.NaN, [0, 0] as readonly number[], 0, false];
  return (name, tickMs, gapsMs) => {
    const isAway = Math.min(...gapsMs) > QUARTER_MS - MINUTE_MS;
    const kept = gapsMs.filter((ms, side) => isNear(ms, lastGapsMs[side]));
    if (!isAway) count = 0;
    else if (tickMs === lastMs || kept.length === 0) count = 1;
    else count += 1;
    [lastMs, lastGapsMs] = [tickMs, gapsMs];
    const offMs = Math.min(...kept);
    const isOfZone = isNear(offMs, Math.round(offMs / QUARTER_MS) * QUARTER_MS);
    // Calls that are late by up to an hour can repeat a short distance by chance.
    if (isReported || count < (isOfZone ? 2 : 3) + (Math.min(...gapsMs) > 59 * MINUTE_MS ? 0 : 2)) return;
    isReported = true;
    report(
      `lock "${name}": calls always come ${Math.round(offMs / MINUTE_MS)} minutes ${offMs === gapsMs[0] ? 'after' : 'before'} a tick of the schedule ${text}: set schedule to the expression and the time zone of the scheduler, such as { timeZone: 'Europe/London' }`,
    );
  };
}

function isNear(ms: number, otherMs = Number.NaN): boolean {
  return Math.abs(ms - otherMs) <= MINUTE_MS;
}
