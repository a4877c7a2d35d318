import { operatorLog } from '../observers/operator-log.js';
import type { LockStore } from '../ports/lock-store.js';
import type { Observer } from '../public/events.js';
import { type Clock, systemClock } from '../values/clock.js';
import { describe } from '../values/describe.js';
import { type Duration, formatDuration, parseDuration } from '../values/duration.js';
import { checkChoice, checkKnown, checkMethods, namesOf } from '../values/option-checks.js';
import type { Schedule } from '../values/schedule.js';
import { type CatchUp, type CatchUpOptions, resolveCatchUp } from './catch-up.js';

export const SHORTEST_LEASE_MS = 1_000;
export const LONGEST_LEASE_MS = 86_400_000;

/** The lease that is renewed where none is given. */
const KEPT_LEASE_MS = 30_000;

/** Options that every wrapper, and `executeWithLock`, understands. */
export interface LockOptions {
  /** Where the lock is kept. */
  readonly store: LockStore;
  /**
   * How long the lock outlives a holder that dies: 1 s to 24 h. Required where the platform tells no remaining time and
   * `keepAlive` is off; with `keepAlive`, 30 s or `lockAtLeastFor`, whichever is longer, unless given.
   */
  readonly lockAtMostFor?: Duration;
  /** Hold at least this long after the start of a run that succeeds. @default 0 */
  readonly lockAtLeastFor?: Duration;
  /** Renew the lease every third of it while the handler runs, up to `maxHold`. @default false */
  readonly keepAlive?: boolean;
  /** End of all renewal and extension, from the start of the run. @default the platform's deadline, else '24h' */
  readonly maxHold?: Duration;
  /** How long before the platform's deadline the signal aborts. @default '1s', at most a tenth of the remaining time */
  readonly gracePeriod?: Duration;
  /** Keep trying for this long while the lock is held, instead of skipping; never past the deadline. @default 0 */
  readonly wait?: Duration;
  /** A tick is done when it succeeded, or (at most once) when it started. @default 'success' */
  readonly tickMark?: 'success' | 'start';
  /** When ticks should come, or how far apart; gives `execution.missedTicks`. */
  readonly schedule?: Schedule | Duration;
  /**
   * Ticks that never came, failed or crashed: run the handler for them too. Needs a `schedule`.
   *
   * @default { mode: 'none' }
   */
  readonly catchUp?: CatchUpOptions;
  /**
   * A failed run frees the lock at once, or holds it for `lockAtLeastFor`, which is then required. @default 'release'
   */
  readonly onError?: 'release' | 'hold';
  /**
   * What to do when the store cannot be reached: throw a `LockStoreError`, skip, or run without a lock.
   *
   * @default 'throw'
   */
  readonly onStoreError?: 'throw' | 'skip' | 'run';
  /** A local clock that is wrong by more than this is reported. Exclusion does not depend on it. @default '1s' */
  readonly maxClockSkew?: Duration;
  /** Called with every event of every run. @default see docs/reference.md */
  readonly observers?: readonly Observer[];
  /** @default the clocks and timers of the platform */
  readonly clock?: Clock;
}

/** {@link LockOptions}, valid and complete. Immutable. */
export interface Policy {
  readonly store: LockStore;
  readonly lockAtMostForMs: number | undefined;
  readonly lockAtLeastForMs: number;
  readonly keepAlive: boolean;
  readonly maxHoldMs: number | undefined;
  readonly gracePeriodMs: number | undefined;
  readonly waitMs: number;
  readonly tickMark: 'success' | 'start';
  /** A number for one that tells only how far apart its ticks are, in milliseconds. */
  readonly schedule: Schedule | number | undefined;
  readonly catchUp: CatchUp;
  readonly onError: 'release' | 'hold';
  readonly onStoreError: 'throw' | 'skip' | 'run';
  readonly maxClockSkewMs: number;
  readonly observers: readonly Observer[];
  readonly clock: Clock;
}

const LOCK_OPTIONS = namesOf<LockOptions>({
  store: true,
  lockAtMostFor: true,
  lockAtLeastFor: true,
  keepAlive: true,
  maxHold: true,
  gracePeriod: true,
  wait: true,
  tickMark: true,
  schedule: true,
  catchUp: true,
  onError: true,
  onStoreError: true,
  maxClockSkew: true,
  observers: true,
  clock: true,
});

/** Who observes where no observers are given. */
export type DefaultObservers = () => readonly Observer[];

/** A {@link Policy} without its store, which on Cloudflare is not known before the first event. */
export type Settings = Omit<Policy, 'store'>;

/**
 * Checks options and fills in what is missing.
 *
 * @param ownOptions names of the caller's further options, which it checks itself
 * @param byDefault who observes where no observers are given; metrics need a stdout and add weight, so not every
 * door has them
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

/** @throws TypeError unless the store is one */
export function withStore(settings: Settings, store: LockStore): Policy {
  // A store of one's own may lack the verb that nothing else needs.
  const verbs = ['acquire', 'extend', 'release', ...(settings.catchUp.mode === 'none' ? [] : ['mark'])];
  checkMethods('store', store, verbs, 'give a store, such as dynamoDBStore({ tableName })');
  return Object.freeze({ ...settings, store });
}

/** Like {@link resolvePolicy}, for all options but the store. */
export function resolveSettings(
  options: Omit<LockOptions, 'store'>,
  ownOptions: readonly string[],
  byDefault: DefaultObservers = () => [operatorLog],
): Settings {
  checkKnown(options, [...ownOptions, ...LOCK_OPTIONS]);
  const { tickMark = 'success', onError = 'release', onStoreError = 'throw', maxClockSkew = '1s' } = options;
  const { lockAtLeastFor = 0, keepAlive = false, wait = 0, observers = byDefault(), clock = systemClock } = options;

  checkMethods('clock', clock, ['now', 'monotonic', 'setTimer'], 'give an object with these three functions');
  if (typeof keepAlive !== 'boolean') throw new TypeError(`keepAlive is ${describe(keepAlive)}: give true or false`);
  checkChoice('tickMark', tickMark, ['success', 'start']);
  checkChoice('onError', onError, ['release', 'hold']);
  checkChoice('onStoreError', onStoreError, ['throw', 'skip', 'run']);
  if (!Array.isArray(observers) || !observers.every((observer) => typeof observer === 'function')) {
    throw new TypeError(`observers is ${describe(observers)}: give an array of functions`);
  }
  const lockAtMostForMs = optionalDuration(options.lockAtMostFor, 'lockAtMostFor');
  const lockAtLeastForMs = parseDuration(lockAtLeastFor, 'lockAtLeastFor');
  const schedule = resolveSchedule(options.schedule);
  const maxHoldMs = optionalDuration(options.maxHold, 'maxHold');
  checkLease(lockAtMostForMs, lockAtLeastForMs);
  if (onError === 'hold' && lockAtLeastForMs === 0) {
    throw new TypeError("onError is 'hold', but lockAtLeastFor is 0: say how long to hold, or leave onError out");
  }
  if (maxHoldMs === 0) throw new RangeError('maxHold is 0: say how long a run may hold its lock, or leave it out');

  return Object.freeze({
    lockAtMostForMs,
    lockAtLeastForMs,
    keepAlive,
    maxHoldMs,
    gracePeriodMs: optionalDuration(options.gracePeriod, 'gracePeriod'),
    waitMs: parseDuration(wait, 'wait'),
    tickMark,
    schedule,
    catchUp: resolveCatchUp({ tickMark, schedule }, options.catchUp),
    onError,
    onStoreError,
    maxClockSkewMs: parseDuration(maxClockSkew, 'maxClockSkew'),
    observers: [...observers],
    clock,
  });
}

/**
 * The lease where no platform tells a remaining time.
 *
 * @param others the options that give one as well, for people
 * @throws TypeError when it is not given
 */
export function requiredLeaseMs(settings: Settings, others = 'keepAlive'): number {
  const leaseMs = chosenLeaseMs(settings);
  if (leaseMs !== undefined) return leaseMs;
  throw new TypeError(
    `lockAtMostFor is undefined: say how long the lock outlives a holder that dies, such as 5m, or set ${others}`,
  );
}

/** The lease that the options choose: as given, or short where it is renewed. */
export function chosenLeaseMs({ lockAtMostForMs, lockAtLeastForMs, keepAlive }: Settings): number | undefined {
  return lockAtMostForMs ?? (keepAlive ? Math.max(KEPT_LEASE_MS, lockAtLeastForMs) : undefined);
}

function optionalDuration(value: Duration | undefined, option: string): number | undefined {
  return value === undefined ? undefined : parseDuration(value, option);
}

function checkLease(atMostMs: number | undefined, atLeastMs: number): void {
  if (atMostMs !== undefined && (atMostMs < SHORTEST_LEASE_MS || atMostMs > LONGEST_LEASE_MS)) {
    throw new RangeError(`lockAtMostFor is ${formatDuration(atMostMs)}: give 1s to 24h`);
  }
  const longest = atMostMs ?? LONGEST_LEASE_MS;
  if (atLeastMs > longest) {
    const limit = atMostMs === undefined ? 'the longest lease' : 'lockAtMostFor';
    throw new RangeError(
      `lockAtLeastFor is ${formatDuration(atLeastMs)}, longer than ${limit}, ${formatDuration(longest)}: shorten the one or lengthen the other`,
    );
  }
}

const REMEDY = "give a duration such as '15m', or a schedule such as cron('0 9 * * *') of single-execution/schedule";

/**
 * A schedule whose ticks have their times, or how far apart they are in milliseconds.
 *
 * @throws TypeError, RangeError for a schedule that is neither
 */
export function resolveSchedule(value: Schedule | Duration | undefined): Schedule | number | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'string' || typeof value === 'number') {
    // Durations have no blanks; crontabs and EventBridge's expressions have.
    if (/\s|\(/.test(String(value))) throw new TypeError(`schedule is ${describe(value)}: ${REMEDY}`);
    const everyMs = parseDuration(value, 'schedule');
    if (everyMs === 0) throw new RangeError('schedule is 0: give the time between two ticks, or leave it out');
    return everyMs;
  }
  checkMethods('schedule', value, ['previous', 'next', 'between'], REMEDY);
  const { everyMs = 0 } = value;
  return everyMs > 0 ? everyMs : value;
}
