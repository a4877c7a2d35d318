import type { Settings } from '../options/policy.js';
import { isLockingOff } from '../run/off-switch.js';
import { msOf } from '../values/date-of.js';
import { checkTick } from '../values/tick.js';

/** How far ahead a tick may lie: as far as a host's clock is behind, or a timer early. A call by hand comes earlier. */
const EARLY_MS = 300_000;

/**
 * The tick of the schedule that is due by this host's clock: the newest one that has been, or the next one where that is
 * nearer and five minutes ahead at most. It is the right one where the clock is wrong by less than that and by less than
 * half the time between two ticks.
 *
 * @returns what throws a RangeError for a tick before 2015, and for a call before the first tick of all
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
    const isNextDue = after - nowMs <= EARLY_MS && !(nowMs - before <= after - nowMs);
    const tickMs = isNextDue || Number.isNaN(before) ? after : before;
    if (Number.isNaN(tickMs)) return {};
    if (tickMs > nowMs + EARLY_MS && !isLockingOff()) {
      throw new RangeError(
        `tick is ${new Date(tickMs).toISOString()}, the first of ${schedule}, over 5m ahead of ${now.toISOString()}: call closer to a tick, or give the tick of this call`,
      );
    }
    return { tickMs: checkTick(tickMs, nowMs, Number.POSITIVE_INFINITY) };
  };
}
