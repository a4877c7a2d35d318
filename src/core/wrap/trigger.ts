import { warn } from '../observers/operator-log.js';
import type { Settings } from '../options/policy.js';
import type { Order } from '../run/invocation.js';
import { isLockingOff } from '../run/unguarded-run.js';
import { checkChoice, describe } from '../values/checks.js';
import { type Duration, formatDuration, parseDuration } from '../values/duration.js';
import { atOnce } from '../values/promised.js';
import {
  askSchedule,
  checkTick,
  isTickOf,
  isTimed,
  type MadeSchedule,
  msOf,
  type OnNearest,
  type Schedule,
  WATCH,
  WHOLE,
} from '../values/tick.js';

/** The facts about a call that its trigger contains. */
export type Trigger = Pick<Order, 'tickMs' | 'unreadableTick' | 'isManual' | 'scheduleArn' | 'attempt'>;

/** The sources of the scheduled time; see `tick` in the options of each door. */
export type TickOption<A extends readonly unknown[]> =
  | 'event'
  | 'nearest'
  | 'none'
  | ((...args: A) => Date | number | undefined);

/** Called if a trigger should carry a scheduled time, but has none that can be read. */
export type OnUnscheduled = (read: Trigger, name: string) => void;

const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})$/;

/**
 * Reads an ISO 8601 instant with its offset, as schedulers write it. An absent value means no tick. Any other value is
 * unreadable.
 */
export function readInstant(time: unknown): Trigger {
  if (time === undefined || time === null) return {};
  const tickMs = typeof time === 'string' && INSTANT.test(time) ? Date.parse(time) : Number.NaN;
  return Number.isNaN(tickMs) ? { unreadableTick: describe(time) } : { tickMs };
}

/**
 * Makes the function that determines the tick of each call: the time that the adapter has read, or the time that the
 * option `tick` gives.
 *
 * @returns a function that throws a RangeError for a tick that no schedule can have sent
 * @throws TypeError for an invalid option
 */
export function tickReader<A extends readonly unknown[]>(
  tick: TickOption<A>,
  settings: Settings,
  onUnscheduled?: OnUnscheduled,
): (read: Trigger, args: A, name: string) => Trigger {
  if (typeof tick !== 'function') checkChoice('tick', tick, ['event', 'nearest', 'none']);
  if (tick === 'none' && settings.catchUp.mode !== 'none') {
    throw new TypeError("tick is 'none', but catchUp is for ticks: set another tick, or leave catchUp out");
  }
  const schedule = tick === 'nearest' ? timed(settings.schedule) : undefined;
  const onNearest = schedule?.[WATCH]?.(warn);

  return (read, args, name) => {
    const { tickMs, unreadableTick, ...facts } = read;
    if (facts.isManual) return facts;
    switch (tick) {
      case 'none':
        return facts;
      case 'event':
        if (tickMs === undefined) onUnscheduled?.(read, name);
        return checked(read, name, settings);
      case 'nearest': {
        const due = nearestTick(settings.schedule, settings.clock.now());
        if (!due) return facts;
        onNearest?.(name, due.tickMs, due.gapsMs);
        // Only `except` leaves out a tick that is due.
        if (schedule?.[WHOLE]) warnOfStrayTick(name, due.tickMs, settings, settings);
        return { ...facts, tickMs: due.tickMs };
      }
      default:
        return checked({ ...facts, ...chosenTick(atOnce(tick(...args), 'tick')) }, name, settings);
    }
  };
}

const SET_TICK =
  "set tick to a function, or 'none'; a scheduler in a process, such as croner, needs single-execution/process";

/**
 * Makes a function that warns once that a run has no tick. It ignores a time that cannot be read: that has its own
 * event.
 */
export function warnOfNoTick(remedy: string = SET_TICK): OnUnscheduled {
  let isReported = false;
  return ({ unreadableTick }, name) => {
    if (isReported || unreadableTick !== undefined) return;
    isReported = true;
    warn(`lock "${name}": the trigger has no scheduled time, so a second delivery runs again: ${remedy}`);
  };
}

/** @throws RangeError for a tick that no schedule can have sent */
function checked(trigger: Trigger, name: string, settings: Settings): Trigger {
  if (trigger.tickMs === undefined) return trigger;
  const tickMs = checkTick(trigger.tickMs, settings.clock.now());
  warnOfStrayTick(name, tickMs, settings, settings);
  return { ...trigger, tickMs };
}

function chosenTick(chosen: unknown): Trigger {
  if (chosen === undefined) return {};
  const ms = msOf(chosen);
  if (typeof ms !== 'number') {
    throw new TypeError(`tick returned ${describe(chosen)}: return a Date, epoch milliseconds, or undefined`);
  }
  return Number.isNaN(ms) ? { unreadableTick: describe(chosen) } : { tickMs: ms };
}

/** The objects (settings or schedules) that have had their one warning of a stray tick: see `strayTick`. */
const warned = new WeakSet<object>();

/**
 * Says once that a tick is stray, which means that it is not in the schedule: most likely the schedule or its time zone
 * is wrong.
 *
 * @param once the object that gets one warning: the settings of a wrapper, or a schedule
 */
export function strayTick(
  name: string,
  tickMs: number,
  { schedule, offSchedule }: Partial<Pick<Settings, 'schedule' | 'offSchedule'>>,
  once: object,
): string | undefined {
  if (!isTimed(schedule) || offSchedule === 'skip' || warned.has(once) || isTickOf(schedule, tickMs)) return undefined;
  warned.add(once);
  return `lock "${name}": tick ${new Date(tickMs).toISOString()} is not in its schedule, ${wordsOf(schedule)}`;
}

/** Warns once of a stray tick: see `strayTick`. */
export function warnOfStrayTick(...asked: Parameters<typeof strayTick>): void {
  const stray = strayTick(...asked);
  if (stray) warn(`${stray}: correct the schedule or its time zone, set tick: 'nearest', or set offSchedule: 'skip'`);
}

const wordsOf = (schedule: Schedule): string => atOnce(schedule.toString(), 'schedule.toString');

/** How far ahead a tick may lie, because a host's clock may be behind, or a timer early: 5 minutes. */
const EARLY_MS = 300_000;
/** And only a part of the time between two ticks, one in so many: calls are late much more often than early. */
const EARLY_PARTS = 10;

/** A tick that was computed from the clock, and how far the call lies from the ticks before and after it. */
export interface NearestTick {
  readonly tickMs: number;
  readonly gapsMs: Parameters<OnNearest>[2];
}

/**
 * Computes the tick of the schedule that is due by this host's clock: the newest past tick, or the next tick if that is
 * ahead by at most five minutes and by at most a tenth of the time between the two. So the computed tick is right if
 * the call is late, or the clock ahead, by less than nine tenths of that time, and if the clock is behind by at most a
 * tenth of it and five minutes.
 *
 * @returns undefined for a schedule that has no tick
 * @throws TypeError for a schedule without instants at which its ticks are due; RangeError for a tick before 2015, and
 *   for a call before the first tick of all
 */
export function nearestTick(schedule: Settings['schedule'], nowMs: number): NearestTick | undefined {
  const its = timed(schedule);
  // A call on a day that `except` leaves out is for the tick of that day, and not for the tick before.
  const due = its[WHOLE] ?? its;
  const ask = (question: 'previous' | 'next') => (askSchedule(due, question, nowMs) as number) ?? Number.NaN;
  const before = ask('previous');
  const after = ask('next');
  const isNextDue = after - nowMs <= EARLY_MS && !((after - nowMs) * EARLY_PARTS > after - before);
  const tickMs = isNextDue || Number.isNaN(before) ? after : before;
  if (Number.isNaN(tickMs)) return undefined;
  if (tickMs > nowMs + EARLY_MS && !isLockingOff()) {
    throw new RangeError(
      `tick is ${new Date(tickMs).toISOString()}, the first of ${wordsOf(due)}, over 5m ahead of ${new Date(nowMs).toISOString()}: call closer to a tick, or pass the tick of this call`,
    );
  }
  return { tickMs: checkTick(tickMs, nowMs, Number.POSITIVE_INFINITY), gapsMs: [nowMs - before, after - nowMs] };
}

/** @throws TypeError for a schedule without instants at which its ticks are due */
function timed(schedule: Settings['schedule']): MadeSchedule {
  if (isTimed(schedule)) return schedule;
  throw new TypeError(
    "tick is 'nearest', but no schedule says when ticks are due: set schedule, such as cron('0 9 * * *') or rate('15m', { start })",
  );
}

/**
 * For triggers without a scheduled time: the local time, rounded down to a multiple of the interval since 1970 UTC. A
 * clock that is late by up to `maxClockSkew` still finds the right tick. For a schedule that follows local time, give
 * an hour at most: when the clocks go forward, a longer interval can contain two runs, and the second is skipped.
 */
export interface TickEvery {
  /** The interval, such as `'5m'`: 1 s to 366 d. A number is milliseconds. */
  readonly every: Duration;
}

const SHORTEST_EVERY_MS = 1_000;
const LONGEST_EVERY_MS = 366 * 86_400_000;

/**
 * Reads the option `tick` of doors whose triggers mostly carry no scheduled time. The option must be given. It may be a
 * {@link TickEvery}, which becomes a function of the local time.
 *
 * @throws TypeError, RangeError for an option that is missing, and for an invalid interval
 */
export function requiredTick<A extends readonly unknown[]>(
  tick: TickOption<A> | TickEvery | undefined,
  { clock, maxClockSkewMs }: Settings,
): TickOption<A> {
  if (tick === undefined) {
    throw new TypeError(
      "tick is undefined: pass 'event', 'nearest', { every: '5m' } or a function; or 'none', with which a second call may run again",
    );
  }
  if (typeof tick !== 'object' || tick === null) return tick;
  const stray = Object.keys(tick).find((key) => key !== 'every');
  if (stray !== undefined) throw new TypeError(`unknown option 'tick.${stray}': the only one is every`);
  const everyMs = parseDuration(tick.every, 'tick.every');
  if (everyMs < SHORTEST_EVERY_MS || everyMs > LONGEST_EVERY_MS) {
    throw new RangeError(`tick.every is ${formatDuration(everyMs)}: pass 1s to 366d`);
  }
  const leadMs = Math.min(maxClockSkewMs, everyMs / 2);
  return () => Math.floor((clock.now() + leadMs) / everyMs) * everyMs;
}
