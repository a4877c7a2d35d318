import { warn } from '../observers/operator-log.js';
import type { Settings } from '../options/policy.js';
import type { Order } from '../run/order.js';
import { msOf } from '../values/date-of.js';
import { describe } from '../values/describe.js';
import { checkChoice } from '../values/option-checks.js';
import { checkTick } from '../values/tick.js';
import { nearestTick } from './nearest-tick.js';
import { warnOfStrayTick } from './stray-tick.js';

/** What a trigger tells of its schedule. */
export type Trigger = Pick<Order, 'tickMs' | 'unreadableTick' | 'scheduleArn' | 'attempt'>;

/**
 * Where the scheduled time comes from: the trigger, the tick of `schedule` that is due by this host's clock,
 * nowhere, or a function of the handler's own parameters.
 */
export type TickOption<A extends readonly unknown[]> =
  | 'event'
  | 'nearest'
  | 'none'
  | ((...args: A) => Date | number | undefined);

/** Settles the tick of an invocation of a lock: as the adapter has read it, or as the option says. */
export type TriggerFor<A extends readonly unknown[]> = (read: Trigger, args: A, name: string) => Trigger;

/** Called when a trigger should carry a scheduled time, and carries none that can be read. */
export type OnUntold = (read: Trigger, name: string) => void;

const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})$/;

/** An ISO 8601 instant with its offset, as schedulers write it; any other value is unreadable. */
export function readInstant(time: unknown): Trigger {
  if (time === undefined || time === null) return {};
  const tickMs = typeof time === 'string' && INSTANT.test(time) ? Date.parse(time) : Number.NaN;
  return Number.isNaN(tickMs) ? { unreadableTick: describe(time) } : { tickMs };
}

/** @throws TypeError for an option that cannot be */
export function tickChooser<A extends readonly unknown[]>(
  tick: TickOption<A>,
  settings: Settings,
  onUntold: OnUntold = () => {},
): TriggerFor<A> {
  if (typeof tick === 'function') {
    return (read, args, name) => checked({ ...untimed(read), ...chosenTick(tick(...args)) }, name, settings);
  }
  checkChoice('tick', tick, ['event', 'nearest', 'none']);
  if (tick === 'none') {
    if (settings.catchUp.mode === 'none') return untimed;
    throw new TypeError("tick is 'none', but catchUp is for ticks: give another tick, or leave catchUp out");
  }
  if (tick === 'nearest') {
    const nearest = nearestTick(settings);
    return (read) => ({ ...untimed(read), ...nearest() });
  }
  return (read, _, name) => {
    if (read.tickMs === undefined) onUntold(read, name);
    return checked(read, name, settings);
  };
}

/** Warns once that a run has no tick. A time that is there and cannot be read has an event of its own. */
export function warnOfNoTick(): OnUntold {
  let isTold = false;
  return ({ unreadableTick }, name) => {
    if (isTold || unreadableTick !== undefined) return;
    isTold = true;
    warn(
      `lock "${name}": the trigger tells no scheduled time, so a second delivery runs again: give tick as a function, or 'none'`,
    );
  };
}

/** What a trigger tells besides its time. */
export function untimed({ tickMs: _, unreadableTick: __, ...facts }: Trigger): Trigger {
  return facts;
}

/** @throws RangeError for a tick that no schedule can have sent */
export function checked(trigger: Trigger, name: string, settings: Settings): Trigger {
  if (trigger.tickMs === undefined) return trigger;
  const tickMs = checkTick(trigger.tickMs, settings.clock.now());
  warnOfStrayTick(name, tickMs, settings.schedule, settings);
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
