import type { Settings } from '../options/policy.js';
import { msOf } from '../values/date-of.js';

/**
 * The tick of the schedule that is nearest to this host's clock: the right one where the clock is wrong by less than half
 * the time between two ticks, and the call comes on time.
 *
 * @throws TypeError for a schedule that does not tell when its ticks are due
 */
export function nearestTick({ schedule, clock }: Settings): () => { readonly tickMs?: number } {
  if (typeof schedule !== 'object') {
    const what = schedule === undefined ? 'schedule is undefined' : 'schedule tells only how far apart ticks are';
    throw new TypeError(
      `tick is 'nearest', but ${what}: give a schedule that tells when they are due, such as cron('0 9 * * *') or rate('15m', { start })`,
    );
  }
  return () => {
    const nowMs = clock.now();
    const now = new Date(nowMs);
    const [before, after] = [msOf(schedule.previous(now)), msOf(schedule.next(now))];
    if (typeof before !== 'number') return typeof after === 'number' ? { tickMs: after } : {};
    return { tickMs: typeof after === 'number' && after - nowMs < nowMs - before ? after : before };
  };
}
