import { checkKnown, describe } from '../core/values/checks.js';
import { msOfDate } from '../core/values/date.js';
import { askSchedule, dateOf, type Schedule, STORED, WATCH, WHOLE } from '../core/values/tick.js';
import { type Instants, type Refuse, rateInstants } from './instants.js';
import { watchCalls } from './misfit.js';
import { type NamedZone, type TimeZone, UTC } from './time-zone.js';

/** The key of the ticks and the time zone of a schedule that this library makes. */
const TICKS: unique symbol = Symbol.for('single-execution.ticks.1');

/** The ticks of a schedule, and the time zone of its days. */
export interface Ticks {
  readonly zone: TimeZone;
  instantsFor(atMs: number): Instants;
}

/** Returns the ticks of a schedule. The days of a caller's own schedule are those of UTC. */
export function ticksOf(schedule: Schedule & { readonly [TICKS]?: Ticks }): Ticks {
  return schedule[TICKS] ?? { zone: UTC, instantsFor: () => ownInstants(schedule) };
}

/** Walks along the ticks of a caller's own schedule. */
function ownInstants(schedule: Schedule): Instants {
  function* walk(question: 'previous' | 'next', firstMs: number): Generator<number> {
    for (let lastMs = firstMs; ; ) {
      const ms = askSchedule(schedule, question, lastMs);
      if (typeof ms !== 'number' || !(question === 'next' ? ms > lastMs : ms <= lastMs)) return;
      yield ms;
      lastMs = question === 'next' ? ms : ms - 1;
    }
  }
  return { from: (atMs) => walk('next', atMs - 1), backFrom: (atMs) => walk('previous', atMs) };
}

/** The most ticks that `between` lists without a `max`. */
const MOST_LISTED = 100_000;

/** What a schedule has besides its text and its ticks. */
interface More extends Pick<Schedule, 'everyMs' | 'isOptional'> {
  /** The time zone of its days. @default UTC */
  readonly zone?: TimeZone;
  /** Whether `readSchedule` makes the same schedule from its text. @default true */
  readonly isReadable?: boolean;
  readonly [WHOLE]?: Schedule;
}

/**
 * Makes a schedule from its ticks.
 *
 * @param text describes the schedule to people
 * @param instantsFor returns the ticks, for the instant of a query
 * @param more the time between two ticks, for a schedule whose ticks have no fixed instants; which ticks are optional
 */
export function scheduleOf(
  text: string,
  instantsFor: (atMs: number) => Instants,
  { zone = UTC, isReadable = true, ...more }: More = {},
): Schedule {
  return Object.freeze({
    previous(at: Date) {
      const atMs = instant(at, 'at');
      return dateOf(firstOf(instantsFor(atMs).backFrom(atMs)));
    },
    next(at: Date) {
      const atMs = instant(at, 'at');
      return dateOf(firstOf(instantsFor(atMs).from(atMs + 1)));
    },
    between(from: Date, to: Date, options: { readonly max?: number } = {}) {
      const [fromMs, toMs] = [instant(from, 'from'), instant(to, 'to')];
      const max = maxOf(options);
      const found: Date[] = [];
      for (const ms of instantsFor(fromMs).from(fromMs)) {
        if (ms >= toMs || found.length === max) break;
        if (found.length === MOST_LISTED && max === undefined) throw tooMany(text);
        found.push(new Date(ms));
      }
      return found;
    },
    toString: () => text,
    [WATCH]: (report: (message: string) => void) => watchCalls(text, report),
    [TICKS]: { instantsFor, zone },
    ...(isReadable && { [STORED]: text }),
    ...more,
  });
}

/** Returns the first of these ticks; undefined if there is no tick. */
function firstOf(instants: Iterable<number>): number | undefined {
  for (const ms of instants) return ms;
  return undefined;
}

/**
 * Returns the epoch milliseconds of a Date.
 *
 * @throws TypeError, RangeError for another value or an invalid Date
 */
export function instant(value: Date, name: string): number {
  const ms = msOfDate(value);
  if (ms === undefined) throw new TypeError(`${name} is ${describe(value)}: pass a Date`);
  if (Number.isNaN(ms)) throw new RangeError(`${name} is an invalid Date: pass a valid one`);
  return ms;
}

function maxOf(options: { readonly max?: number }): number | undefined {
  checkKnown(options, ['max'], 'between');
  const { max } = options;
  if (max === undefined || (Number.isSafeInteger(max) && max > 0)) return max;
  throw new RangeError(`max is ${describe(max)}: pass a whole number from 1, or leave it out`);
}

function tooMany(text: string): RangeError {
  return new RangeError(
    `${text} has more than ${MOST_LISTED.toLocaleString('en-US')} ticks between from and to: set max, or pass a shorter time`,
  );
}

/** Makes a function that throws an error with the expression in its message. */
export function refuserOf(expression: string): Refuse {
  if (typeof expression !== 'string') throw new TypeError(`schedule is ${describe(expression)}: pass a string`);
  return (problem) => {
    throw new RangeError(`schedule is '${expression}': ${problem}`);
  };
}

/** @throws what `refuse` throws if the clock, when it goes forward, skips all times of a schedule */
export function checkFires(instants: Instants, { name }: NamedZone, refuse: Refuse): void {
  if (firstOf(instants.from(Number.NEGATIVE_INFINITY)) !== undefined) return;
  refuse(`never fires: in ${name} the clock goes forward over that time; use another time`);
}

/** Returns the text of an expression and its time zone. */
export function inZone(expression: string, { name }: NamedZone): string {
  return name === 'UTC' ? expression : `${expression} in ${name}`;
}

/** Makes the schedule of a rate whose first tick is not known. It counts from the instant of each query. */
export function floatingRate(text: string, everyMs: number): Schedule {
  return scheduleOf(text, (atMs) => rateInstants(everyMs, atMs), { everyMs });
}

const NEVER: Instants = { from: () => [], backFrom: () => [] };

/** Makes a schedule that has no ticks, for an expression that cannot be read. */
export function withoutTicks(text: string): Schedule {
  return scheduleOf(text, () => NEVER, { everyMs: Number.POSITIVE_INFINITY, isReadable: false });
}
