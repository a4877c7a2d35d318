import { operatorLog } from '../observers/operator-log.js';
import type { LockStore } from '../ports/lock-store.js';
import type { Observer } from '../public/events.js';
import { checkChoice, checkKnown, checkMethods, describe } from '../values/checks.js';
import { type Clock, checkClock, systemClock } from '../values/clock.js';
import { type Duration, parseDuration } from '../values/duration.js';
import { CLOCK_SKEW_MS } from '../values/lease.js';
import { type Interval, isTimed, type Schedule } from '../values/tick.js';
import { type CatchUp, type CatchUpOptions, checkCatchUp, readCatchUp } from './catch-up.js';
import { checkLease } from './lease.js';

/** Options of every wrapper and of `executeWithLock`. */
export interface LockOptions {
  /** The store that keeps the lock. */
  readonly store: LockStore;
  /**
   * How long the lock outlives a holder that dies: 1 s to 24 h. A number is milliseconds. Default: on Lambda the
   * remaining time + 2 s; elsewhere `maxDuration` + 2 s; with `keepAlive` 30 s, or `lockAtLeastFor` if that is longer.
   * Required if none of these is known.
   */
  readonly lockAtMostFor?: Duration;
  /**
   * Keep the lock at least this long after the start of a run that succeeds. This does not keep out a tick that was due
   * when that run began, nor one that is open. After a run without a tick, it keeps out no tick. A number is
   * milliseconds. @default 0
   */
  readonly lockAtLeastFor?: Duration;
  /** While the handler runs, renew the lease each time a third of it has passed, up to `maxHold`. @default false */
  readonly keepAlive?: boolean;
  /**
   * How long after the start of a run its renewals and extensions end. A number is milliseconds. @default the platform's
   * deadline, else '24h'
   */
  readonly maxHold?: Duration;
  /**
   * How long before the platform's deadline the signal aborts. A number is milliseconds. @default '1s', at most a tenth
   * of the remaining time
   */
  readonly gracePeriod?: Duration;
  /**
   * How long to keep trying while the lock is held, instead of skipping; never past the deadline. A number is
   * milliseconds. @default 0
   */
  readonly wait?: Duration;
  /** Whether a tick is done when its run succeeds, or already when it starts (at most once). @default 'success' */
  readonly tickMark?: 'success' | 'start';
  /**
   * When ticks are due, or the time between two ticks (a number is milliseconds); needed for `execution.missedTicks`.
   */
  readonly schedule?: Schedule | Duration;
  /**
   * What to do with a call for a tick that is not one of `schedule`: run it, with one warning, or skip it with the reason
   * `off-schedule`.
   *
   * @default 'run'
   */
  readonly offSchedule?: 'run' | 'skip';
  /**
   * Run the handler also for ticks that were missed, failed or crashed. Needs a `schedule`.
   *
   * @default { mode: 'none' }
   */
  readonly catchUp?: CatchUpOptions;
  /**
   * Whether a failed run releases the lock at once, or holds it for `lockAtLeastFor`, which is then required.
   *
   * @default 'release'
   */
  readonly onError?: 'release' | 'hold';
  /**
   * What to do if the store cannot be reached: throw a `LockStoreError`, skip, or run without a lock. Such a run is
   * *unguarded*: others may run at the same time, and its `fencingToken` is 0.
   *
   * @default 'throw'
   */
  readonly onStoreError?: 'throw' | 'skip' | 'run';
  /**
   * An event reports a host's clock that is wrong by more than this. Exclusion depends on this time only if the store's
   * answers carry no server time. A number is milliseconds. @default '1s'
   */
  readonly maxClockSkew?: Duration;
  /**
   * Called with every event of every run. @default the log for operators, and on some platforms metrics: see
   * docs/reference.md
   */
  readonly observers?: readonly Observer[];
  /** The clocks and timers of each run. @default the clocks and timers of the platform */
  readonly clock?: Clock;
}

type DurationOption = 'lockAtMostFor' | 'lockAtLeastFor' | 'maxHold' | 'gracePeriod' | 'wait' | 'maxClockSkew';

/** The options that are durations, with their defaults. A policy has each option in milliseconds, as `…Ms`. */
const DURATIONS: Readonly<Record<DurationOption, number | undefined>> = {
  lockAtMostFor: undefined,
  lockAtLeastFor: 0,
  maxHold: undefined,
  gracePeriod: undefined,
  wait: 0,
  maxClockSkew: CLOCK_SKEW_MS,
};

/** The options that are a choice of words. The first word is the default. */
const CHOICES: { readonly [O in Choice]: readonly Read[O][] } = {
  tickMark: ['success', 'start'],
  onError: ['release', 'hold'],
  onStoreError: ['throw', 'skip', 'run'],
  offSchedule: ['run', 'skip'],
};

/** The readers of all other options. Each reader also gives the default of its option. */
const READERS: {
  readonly [O in Exclude<keyof Read, Choice>]: (value: unknown, byDefault: DefaultObservers) => Read[O];
} = {
  keepAlive(value = false) {
    if (typeof value !== 'boolean') throw new TypeError(`keepAlive is ${describe(value)}: pass true or false`);
    return value;
  },
  schedule: resolveSchedule,
  catchUp: readCatchUp,
  observers(value, byDefault) {
    const observers = value === undefined ? byDefault() : value;
    if (!Array.isArray(observers) || !observers.every((observer) => typeof observer === 'function')) {
      throw new TypeError(`observers is ${describe(observers)}: pass an array of functions`);
    }
    return [...observers];
  },
  clock(value = systemClock) {
    return checkClock(value);
  },
};

type Choice = 'tickMark' | 'onError' | 'onStoreError' | 'offSchedule';
/** The options of a policy that are not durations, after they were read. */
interface Read extends Required<Omit<LockOptions, DurationOption | 'store' | 'schedule' | 'catchUp'>> {
  readonly schedule: Schedule | Interval | undefined;
  readonly catchUp: CatchUp;
}

/** {@link LockOptions}, valid and complete. Immutable. */
export interface Policy extends Settings {
  readonly store: LockStore;
}

/** A {@link Policy} without its store, which on Cloudflare is not known before the first event. */
export interface Settings extends Milliseconds, Read {}

/** The durations of a policy. One without a default is undefined unless it was set. */
interface Milliseconds {
  readonly lockAtMostForMs: number | undefined;
  readonly lockAtLeastForMs: number;
  readonly maxHoldMs: number | undefined;
  readonly gracePeriodMs: number | undefined;
  readonly waitMs: number;
  readonly maxClockSkewMs: number;
}

/** Makes the observers of a call whose options give none. */
export type DefaultObservers = () => readonly Observer[];

/**
 * Checks options and fills in what is missing.
 *
 * @param ownOptions names of the caller's additional options, which the caller checks itself
 * @param byDefault makes the observers if none are given; metrics need a stdout and make a bundle larger, so not every
 *   door writes them
 * @throws TypeError for an unknown option or a value of a wrong kind
 * @throws RangeError for a duration out of range
 */
export function resolvePolicy(
  options: LockOptions,
  ownOptions: readonly string[],
  byDefault?: DefaultObservers,
): Policy {
  return withStore(resolveSettings(options, ownOptions, byDefault), options.store);
}

/**
 * Completes settings with their store.
 *
 * @throws TypeError unless the store has the verbs of a store
 */
export function withStore(settings: Settings, store: LockStore): Policy {
  // Only catching up needs `mark`; a caller's own store may lack it.
  const verbs = ['acquire', 'extend', 'release', ...(settings.catchUp.mode === 'none' ? [] : ['mark'])];
  checkMethods('store', store, verbs, 'pass a store, such as dynamoDBStore({ tableName })');
  return Object.freeze({ ...settings, store });
}

/** Like {@link resolvePolicy}, for all options but the store. */
export function resolveSettings(
  options: Omit<LockOptions, 'store'>,
  ownOptions: readonly string[],
  byDefault: DefaultObservers = () => [operatorLog],
): Settings {
  checkKnown(options, [...ownOptions, 'store', ...Object.keys({ ...DURATIONS, ...CHOICES, ...READERS })]);
  const given = options as Readonly<Record<string, unknown>>;
  const read: Record<string, unknown> = {};
  for (const [option, byDefaultMs] of Object.entries(DURATIONS)) {
    const value = given[option];
    read[`${option}Ms`] = value === undefined ? byDefaultMs : parseDuration(value as Duration, option);
  }
  for (const [option, choices] of Object.entries(CHOICES)) {
    const value = given[option];
    read[option] = checkChoice(option, value === undefined ? choices[0] : value, choices);
  }
  for (const [option, reader] of Object.entries(READERS)) read[option] = reader(given[option], byDefault);
  const settings = Object.freeze(read) as unknown as Settings;
  checkTogether(settings);
  return settings;
}

/** @throws TypeError, RangeError if options contradict each other */
function checkTogether(settings: Settings): void {
  checkLease(settings);
  checkCatchUp(settings.catchUp, settings);
  if (settings.onError === 'hold' && settings.lockAtLeastForMs === 0) {
    throw new TypeError("onError is 'hold', but lockAtLeastFor is 0: say how long to hold, or leave onError out");
  }
  if (settings.offSchedule === 'skip' && !isTimed(settings.schedule)) {
    throw new TypeError(
      "offSchedule is 'skip', but no schedule says when ticks are due: set schedule, such as cron('0 9 * * *')",
    );
  }
  if (settings.maxHoldMs === 0) {
    throw new RangeError('maxHold is 0: say how long a run may hold its lock, or leave it out');
  }
}

const REMEDY = "pass a duration such as '15m', or a schedule such as cron('0 9 * * *') of single-execution/schedule";

/**
 * Reads the option `schedule`: returns a schedule unchanged, and a duration as an interval.
 *
 * @throws TypeError, RangeError if the value is neither
 */
export function resolveSchedule(value: unknown): Schedule | Interval | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'string' || typeof value === 'number') {
    // No duration contains a blank or a parenthesis; cron and EventBridge expressions do.
    if (/\s|\(/.test(String(value))) throw new TypeError(`schedule is ${describe(value)}: ${REMEDY}`);
    const everyMs = parseDuration(value, 'schedule');
    if (everyMs === 0) throw new RangeError('schedule is 0: pass the time between two ticks, or leave it out');
    return { everyMs };
  }
  checkMethods('schedule', value, ['previous', 'next', 'between'], REMEDY);
  return value as Schedule;
}
