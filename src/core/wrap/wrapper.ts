import { type DefaultObservers, type LockOptions, resolveSettings, type Settings } from '../options/policy.js';
import { LockHeldError } from '../public/errors.js';
import type { Outcome, Skipped } from '../public/outcome.js';
import { checkChoice, describe, namesOf } from '../values/checks.js';
import { checkLockName } from '../values/names.js';

/** The result of a skip: the `Skipped` is returned, a `LockHeldError` is thrown, or a function's value is returned. */
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
  /** The lock of an invocation. */
  nameFor(args: A): string;
  /** The caller's result: the handler's value, or the result of `onSkipped`. */
  reply(outcome: Outcome<unknown>): unknown;
}

/**
 * @param ownOptions names of the adapter's own options, which it checks itself, like `tick`
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
    nameFor: (args) => (typeof name === 'function' ? checkLockName(name(...args)) : name),
    reply(outcome) {
      if (outcome.status === 'executed') return outcome.value;
      if (onSkipped === 'throw') throw new LockHeldError(outcome);
      return onSkipped === 'return' ? outcome : onSkipped(outcome);
    },
  };
}
