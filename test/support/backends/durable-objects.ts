import { fileURLToPath } from 'node:url';
import { durableObjectStore, type LockNamespace } from 'single-execution/durable-objects';
import { redisHarness } from '../contract-harness.js';
import { type Backend, type Engine, locksOf, opened, type Sends } from './backend.js';
import { HTTP_FAULTS, httpNetwork } from './http-network.js';

/** The Worker that stands between the tests and the objects. */
export const WORKER = fileURLToPath(new URL('../objects.worker.ts', import.meta.url));

export interface ObjectsEngine extends Engine {
  /** The processes of workerd. */
  readonly pids: readonly number[];
  /** Puts a name into the index, and makes its object without a record. */
  list(key: string): Promise<void>;
}

/** The prefix of a store that is given none. */
const DEFAULT_PREFIX = '';

export const durableObjects: Backend<ObjectsEngine> = {
  lacks: {
    tool: 'only a Worker reaches a Durable Object: the Worker serves healthRoute',
    sql: 'a Durable Object is no SQL database to its callers',
  },
  lateMs: 0,
  isQuick: false,
  requests: { run: 2, skip: 1, first: 4 },
  faults: Object.keys(HTTP_FAULTS),
  ending: { retried: ['reset before', 'reset after'], reported: [] },
  start: () => startObjects(),
  async open({ url, place }, sends) {
    const namespace = namespaceAt(url, sends);
    return opened((keyPrefix) => locksOf(durableObjectStore(namespace, { keyPrefix: place + keyPrefix })));
  },
};

/** How to start workerd: see `startWorker`. The data are in a new folder by default. */
interface Disk {
  readonly folder?: string;
  readonly port?: number;
}

/** Starts the real workerd. */
export async function startObjects(disk: Disk = {}): Promise<ObjectsEngine> {
  // Loaded when it is needed: it has native parts, which programs of the tests cannot contain.
  const { bundleWorker, startWorker } = await import('../../edge/workerd.js');
  const objects = { LOCKS: 'TestedObject' };
  const { url, pids, stop } = await startWorker(await bundleWorker(WORKER), {}, { objects, ...disk });
  const put = async (key: string, record: object | null) => {
    const send = (path: string, name: string, body: object | null) => {
      const post = () => fetch(addressOf(url, name, path), { method: 'POST', body: JSON.stringify(body) });
      // workerd may close an idle connection just when it is used again. To put the same twice is to put it once.
      return post().catch(post);
    };
    await send('/', 'index', { protocol: 1, add: key });
    await send('/put', `lock:${key}`, record);
  };
  return {
    pids,
    list: (key) => put(key, null),
    at: (place = DEFAULT_PREFIX) => ({ kind: 'durable-objects', url, place }),
    make: async () => {},
    put: ({ place }, key, fields) => put(place + key, Object.fromEntries(fields)),
    harness: ({ place }, { store, admin }, keyPrefix = '') => ({
      ...redisHarness({ store, admin, keyPrefix, hset: async () => undefined }),
      async patch(name, attributes) {
        const { call } = redisHarness({ store, admin, keyPrefix, hset: async () => undefined });
        await put(place + keyPrefix + name, { ...(await admin.get(name, call()))?.item, ...attributes });
      },
    }),
    args: () => [],
    env: {},
    network: (choose) => httpNetwork(url, choose, HTTP_FAULTS, (body) => body['verb'] === 'extend'),
    stop: async () => void (await stop()),
  };
}

const addressOf = (url: string, name: string, path = '/') => `${url}${path}?name=${encodeURIComponent(name)}`;

/**
 * The binding of a Worker in workerd, from outside: the Worker passes each request on to the object.
 *
 * @param pathOf chooses the path of a request: see `TestedObject`
 * @param binding the name of the binding
 */
export function namespaceAt(
  url: string,
  sends?: Sends,
  pathOf: (body: string) => string = () => '/',
  binding = 'LOCKS',
): LockNamespace {
  return {
    idFromName: (name) => ({ name }),
    get: (id) => ({
      async fetch(_, request) {
        sends?.();
        const { name } = id as { readonly name: string };
        const response = await fetch(`${addressOf(url, name, pathOf(request.body))}&binding=${binding}`, request);
        if (response.status !== 200) throw Object.assign(new Error(), await response.json());
        return response;
      },
    }),
  };
}
