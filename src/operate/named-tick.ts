import type { Clock } from '../core/values/clock.js';
import type { Schedule } from '../core/values/schedule.js';
import { dateOf } from '../core/values/tick.js';
import { nearestTick, readInstant } from '../core/wrap/trigger.js';

/** An instant as operators write it: ISO 8601 with its offset, or epoch milliseconds; undefined for any other text. */
export function instantIn(text: string): Date | undefined {
  return dateOf(/^\d{13}$/.test(text) ? Number(text) : readInstant(text).tickMs);
}

/**
 * The tick of a schedule that is due by this host's clock; undefined if it has none any more.
 *
 * @throws TypeError for a schedule without instants at which its ticks are due; RangeError for a tick before 2015, and
 *   before the first tick of all
 */
export function dueTick(schedule: Schedule | undefined, clock: Clock): Date | undefined {
  return dateOf(nearestTick({ schedule, clock })().tickMs);
}
