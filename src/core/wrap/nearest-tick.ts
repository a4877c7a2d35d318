import type { Settings } from '../options/policy.js';
import { isLockingOff } from '../run/off-switch.js';
import { msOf } from '../values/date-of.js';
import { checkTick, FURTHEST_AHEAD_MS } from '../values/tick.js';

/**
 * The tick of the schedule that is nearest to this host's clock: the right one where the clock is wrong by less than
 * half the time between two ticks, and the call comes on time.
 *
 * @returns what throws a RangeError for a tick before 2015, and for a call that is over a day early
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
    if (Number.isNaN(tickMs)) return {};
    if (tickMs > nowMs + FURTHEST_AHEAD_MS && !isLockingOff()) {
      throw new RangeError(
        `tick is ${new Date(tickMs).toISOString()}, the nearest of ${schedule}, over 1d ahead of ${now.toISOString()}: call closer to a tick, or give the tick of this call`,
      );
    }
    return { tickMs: checkTick(tickMs, nowMs, Number.POSITIVE_INFINITY) };
  };
}
