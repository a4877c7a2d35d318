import { checkKnown, describe } from '../core/values/checks.js';
import { type Duration, formatDuration, parseDuration } from '../core/values/duration.js';
import type { Schedule } from '../core/values/tick.js';
import { readRate } from './eventbridge-expression.js';
import { rateInstants } from './instants.js';
import { instant, scheduleOf } from './schedule-of.js';
import { refuserOf } from './time-zone.js';

/** Options of `rate`. */
export interface RateOptions {
  /** The first tick, from which all others are counted. @default none: the ticks have no fixed instants */
  readonly start?: Date;
}

/**
 * The schedule of ticks at equal distances, such as `15 minutes`, `15m` or `PT15M`. Without `start` only the distance
 * is known, not when ticks are due: `next`, `previous` and `between` count from the given instant.
 *
 * @example
 * ```ts
 * import { rate } from 'single-execution/schedule';
 *
 * const quarters = rate('15m', { start: new Date('2026-01-01T00:00:00Z') });
 * quarters.next(new Date('2026-01-01T00:20:00Z')); // → 2026-01-01T00:30:00.000Z
 * ```
 *
 * @throws TypeError, RangeError for an invalid duration or start
 */
export function rate(duration: Duration, options: RateOptions = {}): Schedule {
  checkKnown(options, ['start'], 'rate');
  const everyMs = everyMsOf(duration);
  const text = `rate(${typeof duration === 'string' ? duration : formatDuration(duration)})`;
  if (options.start === undefined) return floatingRate(text, everyMs);
  const startMs = instant(options.start, 'start');
  return scheduleOf(`${text} from ${new Date(startMs).toISOString()}`, () => rateInstants(everyMs, startMs));
}

/** A rate whose first tick is not known: it counts from the instant of each query. */
export function floatingRate(text: string, everyMs: number): Schedule {
  return scheduleOf(text, (atMs) => rateInstants(everyMs, atMs), everyMs);
}

function everyMsOf(duration: Duration): number {
  if (typeof duration === 'string' && duration.includes(' ')) return readRate(duration, refuserOf(duration));
  const everyMs = parseDuration(duration, 'rate');
  if (everyMs === 0)
    throw new RangeError(`rate is ${describe(duration)}: give the time between two ticks, 1 ms or more`);
  return everyMs;
}
