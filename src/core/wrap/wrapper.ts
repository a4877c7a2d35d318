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

/**
 * What a skip does. `return`: the caller gets the `Skipped`; `throw`: a `LockHeldError` is thrown; a function: the
 * caller gets its value.
 */
export type OnSkipped = 'return' | 'throw' | ((skipped: Skipped) => unknown);

/** Options of a wrapped handler; `A` are the handler's own parameters. */
export interface WrapperOptions<A extends readonly unknown[]> extends Omit<LockOptions, 'store'> {
  readonly name: string | ((...args: A) => string);
  readonly onSkipped?: OnSkipped;
}

const WRAPPER_OPTIONS = namesOf<Omit<WrapperOptions<[]>, keyof LockOptions> & { readonly tick: unknown }>({
  name: true,
  tick: true,
  onSkipped: true,
});

/** The options in `O` that only this adapter has. */
export type OwnOptions<O> = Omit<O, keyof LockOptions | keyof WrapperOptions<[]> | 'tick'>;

/** The parts of a wrapper that every adapter needs, from options checked when wrapping. */
export interface Wrapper<A extends readonly unknown[]> {
  readonly settings: Settings;
  /** Returns the name of the lock of an invocation. */
  nameFor(args: A): string;
  /** Returns what the caller gets: the handler's value, or the result of `onSkipped`. */
  reply(outcome: Outcome<unknown>): unknown;
}

/**
 * Checks a handler and its options when the handler is wrapped.
 *
 * @param ownOptions names of the adapter's own options, which the adapter checks itself, like `tick`
 * @param byDefault as in `resolvePolicy`
 * @throws TypeError, RangeError for an invalid handler or invalid options
 */
export function resolveWrapper<A extends readonly unknown[]>(
  handler: unknown,
  options: WrapperOptions<A>,
  ownOptions: readonly string[] = [],
  byDefault?: DefaultObservers,
): Wrapper<A> {
  if (typeof handler !== 'function') throw new TypeError(`handler is ${describe(handler)}: give the function to wrap`);
  const settings = resolveSettings(options, [...WRAPPER_OPTIONS, ...ownOptions], byDefault);
  const { name, onSkipped = 'return' } = options;
  if (typeof name !== 'function') checkLockName(name);
  if (typeof onSkipped !== 'function') checkChoice('onSkipped', onSkipped, ['return', 'throw']);
  return {
    settings,
    nameFor: (args) => (typeof name === 'function' ? checkLockName(atOnce(name(...args), 'name')) : name),
    reply(outcome) {
      if (outcome.status === 'executed') return outcome.value;
      if (onSkipped === 'throw') throw new LockHeldError(outcome);
      return onSkipped === 'return' ? outcome : onSkipped(outcome);
    },
  };
}

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
   * The lease covers this time plus 2 s, unless `lockAtMostFor` or `keepAlive` says otherwise. @default no end
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
    throw new TypeError('gracePeriod does nothing without maxDuration: give both, or leave gracePeriod out');
  }
  const leaseMs = requiredLeaseMs(settings, 'maxDuration or keepAlive');
  return () => ({ leaseMs });
}
