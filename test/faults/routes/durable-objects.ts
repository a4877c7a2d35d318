import { durableObjects } from '../../support/backends/durable-objects.js';
import type { RequestBody } from '../../support/lock-verb.js';
import { httpWire } from '../wire/http-wire.js';
import { eachVerb, type Route } from './route.js';

interface Body extends RequestBody {
  readonly verb?: string;
  readonly asked?: Record<'attemptId' | 'adminId', string> & Record<'claim' | 'lease', { attemptId: string }>;
}

/** Objects in workerd, through a Worker. The name of the lock is in the index before a case begins. */
export async function objectsRoute(): Promise<Route> {
  const engine = await durableObjects.start();
  return {
    wire: () =>
      httpWire(engine.at().url, ({ body }) => {
        const { verb = 'prefix' in body ? 'list' : undefined, asked } = body as Body;
        if (verb === undefined) return undefined;
        const { attemptId } = asked?.claim ?? asked?.lease ?? { attemptId: asked?.attemptId ?? asked?.adminId };
        return { verb, attempt: attemptId };
      }),
    async connect(wire) {
      const { prefixed, close } = await durableObjects.open({ ...engine.at(), ...(wire && { url: wire.url }) });
      return {
        open(keyPrefix) {
          const { store, admin } = prefixed(keyPrefix);
          const listed = engine.list(`${keyPrefix}job`);
          return { store: after(listed, store), admin: after(listed, admin) };
        },
        close,
      };
    },
    verbsOf: eachVerb,
    stop: engine.stop,
  };
}

/** Lets the functions of an object wait for what comes before them. */
function after<S extends object>(before: Promise<void>, object: S): S {
  return new Proxy(object, {
    get(target, name) {
      const run: unknown = Reflect.get(target, name);
      if (typeof run !== 'function') return run;
      return async (...args: readonly unknown[]) => {
        await before;
        return run(...args);
      };
    },
  });
}
