import { executeWithLock } from 'single-execution';
import {
  durableObjectStore,
  type LockNamespace,
  LockObject,
  type LockObjectState,
} from 'single-execution/durable-objects';

/*
 * A Worker whose objects can be of a later version, and that calls objects as a later version can. The test bundles it
 * twice: with the exchange of this library, and with the next one.
 */

interface Env {
  readonly LOCKS: LockNamespace;
  /** The version of the objects. @default this one */
  readonly VERSION?: 'later';
}

const withMore = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? { ...Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withMore(inner)])), added: 'later' }
    : value;

/** A later version whose exchange is the same: it stores more, and answers with more. */
class LaterObject extends LockObject {
  constructor({ storage, ...state }: LockObjectState) {
    super({ ...state, storage: { ...storage, put: (key, value) => storage.put(key, withMore(value)) } });
  }

  override async fetch(request: Request): Promise<Response> {
    const response = (await super.fetch(request)) as Response;
    return Response.json(withMore(await response.json()));
  }
}

export class VersionedObject {
  readonly #object: LockObject;
  readonly #state: LockObjectState;

  constructor(state: LockObjectState, { VERSION }: Env) {
    this.#state = {
      blockConcurrencyWhile: (callback) => state.blockConcurrencyWhile(callback),
      storage: {
        get: (key) => state.storage.get(key),
        put: (key, value) => state.storage.put(key, value),
        list: (options) => state.storage.list(options),
      },
    };
    this.#object = new (VERSION === 'later' ? LaterObject : LockObject)(this.#state);
  }

  async fetch(request: Request): Promise<unknown> {
    if (new URL(request.url).pathname === '/stored')
      return Response.json((await this.#state.storage.get('lock')) ?? null);
    return this.#object.fetch(request);
  }
}

/** The binding as a later version uses it: its requests have more fields. */
function later(namespace: LockNamespace): LockNamespace {
  return {
    idFromName: (name) => namespace.idFromName(name),
    get: (id) => ({
      fetch: (url, init) =>
        namespace.get(id).fetch(url, { ...init, body: JSON.stringify(withMore(JSON.parse(init.body))) }),
    }),
  };
}

// biome-ignore lint/style/noDefaultExport: the default export of its main module is the Worker.
export default {
  async fetch(request: Request, { LOCKS }: Env): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    const name = searchParams.get('name') ?? '';
    if (pathname !== '/run') {
      const stub = LOCKS.get(LOCKS.idFromName(searchParams.get('object') ?? `lock:${name}`));
      return (await stub.fetch(request.url, { method: 'POST', body: await request.text() })) as Response;
    }
    const outcome = executeWithLock(() => new Promise((resolve) => setTimeout(resolve, 100)), {
      name,
      store: durableObjectStore(searchParams.has('later') ? later(LOCKS) : LOCKS),
      lockAtMostFor: '1m',
      tick: new Date(searchParams.get('tick') ?? '2026-11-26T02:00:00Z'),
      onStoreError: 'run',
      observers: [],
    });
    return Response.json(
      await outcome.catch(({ code, retryable, message }) => ({ status: 'failed', code, retryable, message })),
    );
  },
};
