import { type Options as JobOptions, type WithNow, withSingleExecution } from '../adapters/process.js';
import { describe } from '../core/values/checks.js';

export type { WithNow };

/**
 * Options of `SingleExecution`, as for `withSingleExecution` of `single-execution/process`; `A` are the method's
 * parameters.
 */
export type Options<A extends readonly unknown[] = []> = JobOptions<A>;

/** A method that returns a promise. */
type AsyncMethod<A extends readonly unknown[]> = (...args: A) => PromiseLike<unknown>;

/** A decorator of methods, for standard decorators and for TypeScript's `experimentalDecorators`. */
export interface SingleExecutionDecorator<A extends readonly unknown[]> {
  <F extends AsyncMethod<A>>(
    method: F,
    context: {
      /** The kind of the decorated member. */
      readonly kind: 'method';
    },
  ): F;
  <F extends AsyncMethod<A>>(target: object, key: string | symbol, descriptor: TypedPropertyDescriptor<F>): void;
}

type Method = (this: unknown, ...args: unknown[]) => unknown;

/**
 * Decorates an async method that every process of a fleet calls by its own schedule: it runs at most once per scheduled
 * time, and never two at once. The method keeps its `this` and its arguments; in it, `currentExecution()` returns the
 * execution. A decorator cannot change a method's type: if a run is skipped, the promise resolves to the result of
 * `onSkipped`. To run by hand, call the method's own method `now`:
 * `(jobs.sendDigest as WithNow<Jobs['sendDigest']>).now.call(jobs)`.
 *
 * @example
 * ```ts
 * import { SingleExecution } from 'single-execution/decorator';
 * import { memoryStore } from 'single-execution/memory';
 *
 * const store = memoryStore();
 *
 * export class Jobs {
 *   @SingleExecution({ name: 'send-digest', store, tick: { every: '1h' }, lockAtMostFor: '5m' })
 *   async sendDigest() {
 *     console.log('once in the whole fleet');
 *   }
 * }
 * ```
 *
 * @throws TypeError, RangeError when decorating, for invalid options, or if the decorated member is not a method
 */
// biome-ignore lint/suspicious/noExplicitAny: parameters that nobody declares can be anything
export function SingleExecution<A extends readonly unknown[] = any[]>(
  options: Options<A>,
): SingleExecutionDecorator<A> {
  function decorate(target: unknown, at: unknown, descriptor?: PropertyDescriptor): unknown {
    const isStandard = typeof at === 'object' && at !== null;
    const method = isStandard ? target : descriptor?.value;
    const kind = isStandard ? (at as { readonly kind?: unknown }).kind : 'method';
    if (kind !== 'method' || typeof method !== 'function') {
      throw new TypeError(`SingleExecution decorates ${describe(isStandard ? kind : method)}: put it on a method`);
    }
    const guarded = guard(method as Method, options as Options<unknown[]>);
    return isStandard ? guarded : { ...descriptor, value: guarded };
  }
  return decorate as SingleExecutionDecorator<A>;
}

function guard(method: Method, options: Options<unknown[]>): Method {
  const guarded: Method = withSingleExecution(function (this: unknown, ...all: unknown[]) {
    // The last argument is the execution.
    return method.apply(this, all.slice(0, -1));
  }, options);
  Object.defineProperty(guarded, 'name', { value: method.name, configurable: true });
  // Other decorators, such as NestJS's, set metadata on the method. A lookup on `guarded` finds it along the
  // prototypes.
  return Object.setPrototypeOf(guarded, method);
}
