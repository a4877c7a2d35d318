import { warn } from '../observers/operator-log.js';
import { leaseFor, requiredLeaseMs } from '../options/lease.js';
import { type DefaultObservers, type LockOptions, resolveSettings, type Settings } from '../options/policy.js';
import { LockHeldError } from '../public/errors.js';
import type { Outcome, Skipped } from '../public/outcome.js';
import type { Order } from '../run/invocation.js';
import { checkChoice, describe, namesOf } from '../values/checks.js';
import { type Duration, formatDuration, parseDuration } from '../values/duration.js';
import { guardMs } from '../values/lease.js';
import { checkLockName } from '../values/names.js';
import { atOnce } from '../values/promised.js';
import { type OnUnscheduled, type TickEvery, type TickOption, type Trigger, tickReader } from './trigger.js';

/**
 * What a skip does. `return`: the caller gets the `Skipped`; `throw`: a `LockHeldError` is thrown; a function: the
 * caller gets its value.
 */
export type OnSkipped = 'return' | 'throw' | ((skipped: Skipped) => unknown);

/** The options of every door; `A` are the handler's own parameters. */
export interface WrapperOptions<A extends readonly unknown[], S extends OnSkipped = OnSkipped>
  extends Omit<LockOptions, 'store'> {
  /**
   * Name of the lock: 1 to 128 UTF-8 bytes including the store's prefix, in Unicode form NFC, without control
   * characters.
   */
  readonly name: string | ((...args: A) => string);
  /**
   * The caller's result if the run is skipped: the `Skipped`, a `LockHeldError`, or a function's value.
   *
   * @default 'return'
   */
  readonly onSkipped?: S;
}

/** The option of platforms whose triggers carry their scheduled time. */
export interface TimedTrigger<A extends readonly unknown[]> {
  /**
   * The source of the scheduled time: the trigger (`'event'`), the tick of `schedule` that is due by this host's clock
   * (`'nearest'`), a function of the handler's own parameters, or no source (`'none'`). @default 'event'
   */
  readonly tick?: TickOption<A>;
}

const WRAPPER_OPTIONS = namesOf<Omit<WrapperOptions<[]>, keyof LockOptions> & { readonly tick: unknown }>({
  name: true,
  tick: true,
  onSkipped: true,
});

/** The options in `O` that only this adapter has. */
export type OwnOptions<O> = Omit<O, keyof LockOptions | keyof WrapperOptions<[]> | 'tick'>;

/** What an adapter says of itself. */
export interface Adapter<A extends readonly unknown[]> {
  /** Names of its own options, which the adapter checks itself. */
  readonly ownOptions: readonly string[];
  /** As in `resolvePolicy`. */
  readonly byDefault?: DefaultObservers;
  /** Reads the option `tick`. @default `'event'` if the option is left out */
  readonly readTick?: (tick: TickOption<A> | TickEvery | undefined, settings: Settings) => TickOption<A>;
  /** Called if `tick` is `'event'` and the trigger has no scheduled time. */
  readonly onUnscheduled?: OnUnscheduled;
}

/** The parts of a wrapper that every adapter needs, from options checked when wrapping. */
export interface Wrapper<A extends readonly unknown[]> {
  readonly settings: Settings;
  /** Returns the name of the lock of an invocation. */
  nameFor(args: A): string;
  /**
   * Makes the order of an invocation.
   *
   * @param read what the adapter has read from the trigger
   * @param times computes the times of the run. Called last, because a call without a lease is an error
   * @throws TypeError, RangeError for an invalid name or tick
   */
  orderFor(args: A, lockedBy: string, read: Trigger, times: () => RunTimes): Order;
  /** Returns what the caller gets: the handler's value, or the result of `onSkipped`. */
  reply(outcome: Outcome<unknown>): unknown;
}

/**
 * Checks a handler and its options when the handler is wrapped.
 *
 * @throws TypeError, RangeError for an invalid handler or invalid options
 */
export function resolveWrapper<A extends readonly unknown[]>(
  handler: unknown,
  options: WrapperOptions<A> & { readonly tick?: TickOption<A> | TickEvery },
  { ownOptions, byDefault, readTick = (tick = 'event') => tick as TickOption<A>, onUnscheduled }: Adapter<A>,
): Wrapper<A> {
  if (typeof handler !== 'function') throw new TypeError(`handler is ${describe(handler)}: pass the function to wrap`);
  const settings = resolveSettings(options, [...WRAPPER_OPTIONS, ...ownOptions], byDefault);
  const { name, onSkipped = 'return' } = options;
  if (typeof name !== 'function') checkLockName(name);
  if (typeof onSkipped !== 'function') checkChoice('onSkipped', onSkipped, ['return', 'throw']);
  const readTrigger = tickReader(readTick(options.tick, settings), settings, onUnscheduled);
  const nameFor = (args: A) => (typeof name === 'function' ? checkLockName(atOnce(name(...args), 'name')) : name);
  return {
    settings,
    nameFor,
    orderFor(args, lockedBy, read, times) {
      const its = nameFor(args);
      return { name: its, lockedBy, ...readTrigger(read, args, its), ...times() };
    },
    reply(outcome) {
      if (outcome.status === 'executed') return outcome.value;
      if (onSkipped === 'throw') throw new LockHeldError(outcome);
      return onSkipped === 'return' ? outcome : onSkipped(outcome);
    },
  };
}

/** A wrapped function, and the same function for runs by hand. */
export type WithNow<F> = F & {
  /**
   * Runs by hand, with the arguments of a call. It is not skipped because a tick is done, and it changes nothing for the
   * ticks of the schedule. A lock that is held, kept or paused skips it. For a method: `job.run.now.call(job)`.
   */
  readonly now: F;
};

/** The lease of a run, and the instants at which the platform ends the run and at which the run must be over. */
export type RunTimes = Pick<Order, 'leaseMs' | 'deadlineMono' | 'runUntilMono'>;

/** Settings that have had their one warning of a short lease. */
const warned = new WeakSet<Settings>();

/**
 * Computes the times of a run that its platform ends in `remainingMs`. The last part of a lease is a safety margin
 * (`guardMs`). If the margin of a default lease begins before the platform ends the run, the run must be over when the
 * margin begins, so that it is asked to end while it still holds the lock. Warns once if a run may outlive its lease.
 *
 * @param limit the source of the remaining time, for the warning
 */
export function timesWithin(settings: Settings, remainingMs: number, limit: string): RunTimes {
  const { lockAtMostForMs = Number.POSITIVE_INFINITY, keepAlive, clock } = settings;
  if (!keepAlive && lockAtMostForMs < remainingMs && !warned.has(settings)) {
    warned.add(settings);
    warn(
      `lockAtMostFor is ${formatDuration(lockAtMostForMs)}, shorter than ${limit} ${formatDuration(remainingMs)}: a run that takes longer loses its lock; raise it, leave it out, or set keepAlive`,
    );
  }
  const leaseMs = leaseFor(settings, remainingMs);
  const isChosen = leaseFor(settings) !== undefined;
  const usableMs = isChosen ? Number.POSITIVE_INFINITY : leaseMs - guardMs(leaseMs);
  const now = clock.monotonic();
  return { leaseMs, deadlineMono: now + remainingMs, runUntilMono: now + Math.min(remainingMs, usableMs) };
}

/** An option of platforms that do not report the remaining time of a run. */
export interface MaxDuration {
  /**
   * The time from the call of a run until the platform ends the run. The signal aborts `gracePeriod` before that end.
   * The lease covers this time plus 2 s, unless `lockAtMostFor` or `keepAlive` says otherwise. A number is milliseconds.
   * @default no end
   */
  readonly maxDuration?: Duration;
}

/**
 * Makes a function that returns the times of each run, for platforms that report no remaining time. Only the options
 * determine these times.
 *
 * @throws TypeError, RangeError when wrapping, if no option gives a lease, or if `gracePeriod` is given without
 *   `maxDuration`
 */
export function timesByOptions(settings: Settings, { maxDuration }: MaxDuration): () => RunTimes {
  if (maxDuration !== undefined) {
    const durationMs = parseDuration(maxDuration, 'maxDuration');
    if (durationMs === 0) throw new RangeError('maxDuration is 0: say how long the platform lets a run last');
    return () => timesWithin(settings, durationMs, 'maxDuration, which is');
  }
  if (settings.gracePeriodMs !== undefined) {
    throw new TypeError('gracePeriod does nothing without maxDuration: set both, or leave gracePeriod out');
  }
  const leaseMs = requiredLeaseMs(settings, 'maxDuration or keepAlive');
  return () => ({ leaseMs });
}
