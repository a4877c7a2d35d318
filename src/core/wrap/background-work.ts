/** The part of a platform's context through which a handler hands over work that outlives its return. */
interface BackgroundContext {
  waitUntil(promise: PromiseLike<unknown>): void;
}

/**
 * Calls a handler with a context that also counts what is handed to its `waitUntil`, where it has one, and waits for
 * all of that: work in the background is part of the run, and its failure the run's failure. The platform's own
 * `waitUntil` is still called.
 *
 * @param onReturned called with what the handler returned, when work is still to be waited for
 * @returns what the handler returned
 * @throws the handler's own error first, else that of the first work that failed
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
          // Thrown below, once everything has settled.
          counted.catch(() => undefined);
          work.push(counted);
          context.waitUntil(promise);
        };
      }
      // Methods of a platform's own object work on that object alone.
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
