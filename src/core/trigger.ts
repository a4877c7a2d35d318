import { msOf } from './date-of.js';
import { describe } from './describe.js';
import { type Duration, formatDuration, parseDuration } from './duration.js';
import type { Order } from './order.js';
import { checkChoice, type Settings } from './policy.js';
import { checkTick } from './tick.js';

/** What a trigger tells of its schedule. */
export type Trigger = Pick<Order, 'tickMs' | 'unreadableTick' | 'scheduleArn' | 'attempt'>;

/** Where the scheduled time comes from: the trigger, nowhere, or a function of the handler's own parameters. */
export type TickOption<A extends readonly unknown[]> = 'event' | 'none' | ((...args: A) => Date | number | undefined);

/**
 * For triggers that tell no scheduled time: the local time, cut down to a multiple of the interval since 1970 UTC. A
 * clock that is late by up to `maxClockSkew` still finds the right one.
 */
export interface TickEvery {
  readonly every: Duration;
}

const SHORTEST_EVERY_MS = 1_000;
const LONGEST_EVERY_MS = 366 * 86_400_000;
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})$/;

/** An ISO 8601 instant with its offset, as schedulers write it; anything else that is there is unreadable. */
export function readInstant(time: unknown): Trigger {
  if (time === undefined || time === null) return {};
  const tickMs = typeof time === 'string' && INSTANT.test(time) ? Date.parse(time) : Number.NaN;
  return Number.isNaN(tickMs) ? { unreadableTick: describe(time) } : { tickMs };
}

/**
 * Makes the function that settles the tick of an invocation: as the adapter has read it, or as the option says.
 *
 * @throws TypeError, RangeError for an option that cannot be
 */
export function tickChooser<A extends readonly unknown[]>(
  tick: TickOption<A> | TickEvery,
  { clock, maxClockSkewMs }: Settings,
): (read: Trigger, args: A) => Trigger {
  if (typeof tick === 'object' && tick !== null) {
    const stray = Object.keys(tick).find((key) => key !== 'every');
    if (stray !== undefined) throw new TypeError(`unknown option 'tick.${stray}': the only one is every`);
    const everyMs = parseDuration(tick.every, 'tick.every');
    if (everyMs < SHORTEST_EVERY_MS || everyMs > LONGEST_EVERY_MS) {
      throw new RangeError(`tick.every is ${formatDuration(everyMs)}: give 1s to 366d`);
    }
    const leadMs = Math.min(maxClockSkewMs, everyMs / 2);
    return (read) => {
      const nowMs = clock.now();
      return checked({ ...untimed(read), tickMs: Math.floor((nowMs + leadMs) / everyMs) * everyMs }, nowMs);
    };
  }
  if (typeof tick === 'function') {
    return (read, args) => checked({ ...untimed(read), ...chosenTick(tick(...args)) }, clock.now());
  }
  checkChoice('tick', tick, ['event', 'none']);
  return tick === 'none' ? untimed : (read) => checked(read, clock.now());
}

function untimed({ tickMs: _, unreadableTick: __, ...facts }: Trigger): Trigger {
  return facts;
}

/** @throws RangeError for a tick that no schedule can have sent */
function checked(trigger: Trigger, nowMs: number): Trigger {
  return trigger.tickMs === undefined ? trigger : { ...trigger, tickMs: checkTick(trigger.tickMs, nowMs) };
}

function chosenTick(chosen: unknown): Trigger {
  if (chosen === undefined) return {};
  const ms = msOf(chosen);
  if (typeof ms !== 'number') {
    throw new TypeError(`tick returned ${describe(chosen)}: return a Date, epoch milliseconds, or undefined`);
  }
  return Number.isNaN(ms) ? { unreadableTick: describe(chosen) } : { tickMs: ms };
}
