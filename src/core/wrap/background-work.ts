import { unawaited } from '../values/promised.js';

/** A platform's context that accepts work which goes on after the handler has returned. */
interface BackgroundContext {
  waitUntil(promise: PromiseLike<unknown>): unknown;
}

/**
 * Calls a handler, and also waits for all promises that the handler passes to the `waitUntil` of its context, if the
 * context has that function: work in the background is part of the run, and its failure is the run's failure. The
 * platform's own `waitUntil` is still called.
 *
 * @param onReturned called with the handler's result if there is work to wait for
 * @returns the handler's result
 * @throws the handler's own error, else the error of the first work that failed
 */
export async function withBackgroundWork<C, R>(
  context: C,
  call: (context: C) => R | PromiseLike<R>,
  onReturned?: (value: R) => void,
): Promise<R> {
  if (!hasBackground(context)) return call(context);
  const work: Promise<unknown>[] = [];
  const counting = new Proxy<C & BackgroundContext>(Object.create(context), {
    get(_, key) {
      if (key === 'waitUntil') {
        return (promise: PromiseLike<unknown>) => {
          const counted = Promise.resolve(promise);
          // A failure is thrown below, once everything has settled.
          counted.catch(() => undefined);
          work.push(counted);
          unawaited(context.waitUntil(promise));
        };
      }
      // Methods of a platform's object work only on that object.
      const value: unknown = Reflect.get(context, key, context);
      return typeof value === 'function' ? value.bind(context) : value;
    },
    set: (_, key, value) => Reflect.set(context, key, value),
    ownKeys: () => Reflect.ownKeys(context),
    getOwnPropertyDescriptor(_, key) {
      const own = Reflect.getOwnPropertyDescriptor(context, key);
      return own && { ...own, configurable: true };
    },
  });

  const [own] = await Promise.allSettled([(async () => call(counting))()]);
  if (work.length > 0 && own.status === 'fulfilled') onReturned?.(own.value);
  let ended: PromiseSettledResult<unknown>[] = [];
  while (ended.length < work.length) ended = await Promise.allSettled(work);
  const failed = [own, ...ended].find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
  return (own as PromiseFulfilledResult<R>).value;
}

function hasBackground(context: unknown): context is BackgroundContext {
  return (
    typeof context === 'object' && context !== null && typeof (context as BackgroundContext).waitUntil === 'function'
  );
}
