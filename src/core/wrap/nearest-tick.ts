import type { Settings } from '../options/policy.js';
import { msOf } from '../values/date-of.js';

/**
 * The tick of the schedule that is nearest to this host's clock: the right one where the clock is wrong by less than
 * half the time between two ticks, and the call comes on time.
 *
 * @throws TypeError for a schedule that does not tell when its ticks are due
 */
export function nearestTick({ schedule, clock }: Settings): () => { readonly tickMs?: number } {
  if (typeof schedule !== 'object') {
    throw new TypeError(
      "tick is 'nearest', but no schedule tells when ticks are due: give schedule, such as cron('0 9 * * *') or rate('15m', { start })",
    );
  }
  return () => {
    const nowMs = clock.now();
    const now = new Date(nowMs);
    const [before = Number.NaN, after = Number.NaN] = [schedule.previous(now), schedule.next(now)].map(
      msOf,
    ) as number[];
    const tickMs = nowMs - before <= after - nowMs || Number.isNaN(after) ? before : after;
    return Number.isNaN(tickMs) ? {} : { tickMs };
  };
}
