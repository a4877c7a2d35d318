/** The part of a platform's context through which a handler hands over work that outlives its return. */
interface BackgroundContext {
  waitUntil(promise: PromiseLike<unknown>): void;
}

/**
 * Calls a handler with a context that also counts what is handed to its `waitUntil`, where it has one, and waits for
 * all of that: work in the background is part of the run, and its failure the run's failure. The platform's own
 * `waitUntil` is still called.
 *
 * @returns what the handler returned
 * @throws the handler's own error first, else that of the first work that failed
 */
export async function withBackgroundWork<C, R>(context: C, call: (context: C) => R | PromiseLike<R>): Promise<R> {
  if (!hasBackground(context)) return call(context);
  const work: PromiseLike<unknown>[] = [];
  const counting = new Proxy(context, {
    get(target, key) {
      if (key === 'waitUntil') {
        return (promise: PromiseLike<unknown>) => {
          work.push(promise);
          target.waitUntil(promise);
        };
      }
      // Methods of a platform's own object work on that object alone.
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });

  const own = (async () => call(counting))();
  work.push(own);
  let ended: PromiseSettledResult<unknown>[] = [];
  while (ended.length < work.length) ended = await Promise.allSettled(work);
  const value = await own;
  const failed = ended.find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
  return value;
}

function hasBackground(context: unknown): context is BackgroundContext {
  return (
    typeof context === 'object' && context !== null && typeof (context as BackgroundContext).waitUntil === 'function'
  );
}
