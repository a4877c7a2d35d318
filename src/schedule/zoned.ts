import { describe } from '../core/values/describe.js';
import { checkKnown } from '../core/values/option-checks.js';
import type { Schedule } from '../core/values/schedule.js';
import type { Refuse } from './cron-fields.js';
import type { Instants } from './instants.js';
import { firstOf, scheduleOf } from './schedule-of.js';
import { type TimeZone, timeZone } from './time-zone.js';

/** Options of `cron` and `eventBridge`. */
export interface ZoneOptions {
  /** The time zone in which the expression is meant, such as `Europe/Berlin`. @default 'UTC' */
  readonly timeZone?: string;
}

/** What makes the errors of an expression; each names it. */
export function refuserOf(expression: string): Refuse {
  if (typeof expression !== 'string') throw new TypeError(`schedule is ${describe(expression)}: give a text`);
  return (problem) => {
    throw new RangeError(`schedule is '${expression}': ${problem}`);
  };
}

/** @throws TypeError, RangeError for a time zone that cannot be, or is unknown */
export function zoneOf(options: ZoneOptions, owner: string): TimeZone & { readonly name: string } {
  checkKnown(options, ['timeZone'], owner);
  const { timeZone: name = 'UTC' } = options;
  if (typeof name !== 'string') {
    throw new TypeError(`timeZone is ${describe(name)}: give a name such as Europe/Berlin, or leave it out for UTC`);
  }
  return { ...timeZone(name), name };
}

/**
 * A schedule of times on the clock of a time zone.
 *
 * @throws what `refuse` throws when all its times are left out where the clock goes forward
 */
export function zonedSchedule(
  expression: string,
  instants: Instants,
  { name }: { readonly name: string },
  refuse: Refuse,
): Schedule {
  if (firstOf(instants.from(Number.NEGATIVE_INFINITY)) === undefined) {
    return refuse(`never fires: in ${name} the clock goes forward over that time; give another time`);
  }
  return scheduleOf(name === 'UTC' ? expression : `${expression} in ${name}`, () => instants);
}
