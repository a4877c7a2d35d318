import type { Settings } from '../options/policy.js';
import { type Duration, formatDuration, parseDuration } from '../values/duration.js';
import { checked, type OnUntold, type TickOption, type TriggerFor, tickChooser, untimed } from './trigger.js';

/**
 * For triggers that tell no scheduled time: the local time, cut down to a multiple of the interval since 1970 UTC; 1 s
 * to 366 d. A clock that is late by up to `maxClockSkew` still finds the right one. For a schedule that follows local
 * time give an hour at most: where the clocks go forward, a longer interval can hold two runs, and the second is
 * skipped.
 */
export interface TickEvery {
  /** The interval, such as `'5m'`: 1 s to 366 d. */
  readonly every: Duration;
}

const SHORTEST_EVERY_MS = 1_000;
const LONGEST_EVERY_MS = 366 * 86_400_000;

/**
 * Like `tickChooser`, for doors that most triggers reach without a scheduled time: the option must be given, and the
 * local clock may stand in.
 *
 * @throws TypeError, RangeError for an option that is missing or cannot be
 */
export function requiredTick<A extends readonly unknown[]>(
  tick: TickOption<A> | TickEvery,
  settings: Settings,
  onUntold?: OnUntold,
): TriggerFor<A> {
  if (tick === undefined) {
    throw new TypeError(
      "tick is undefined: say where the scheduled time comes from, 'event', 'nearest', { every: '5m' } or a function; or 'none', where a second call may run again",
    );
  }
  if (typeof tick !== 'object' || tick === null) return tickChooser(tick, settings, onUntold);
  const stray = Object.keys(tick).find((key) => key !== 'every');
  if (stray !== undefined) throw new TypeError(`unknown option 'tick.${stray}': the only one is every`);
  const everyMs = parseDuration(tick.every, 'tick.every');
  if (everyMs < SHORTEST_EVERY_MS || everyMs > LONGEST_EVERY_MS) {
    throw new RangeError(`tick.every is ${formatDuration(everyMs)}: give 1s to 366d`);
  }
  const { clock, maxClockSkewMs } = settings;
  const leadMs = Math.min(maxClockSkewMs, everyMs / 2);
  return (read, _, name) => {
    const tickMs = Math.floor((clock.now() + leadMs) / everyMs) * everyMs;
    return checked({ ...untimed(read), tickMs }, name, settings);
  };
}
