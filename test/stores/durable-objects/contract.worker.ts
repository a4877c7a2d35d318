import { durableObjectStore, type LockNamespace } from 'single-execution/durable-objects';
import { lockStoreContract } from 'single-execution/testing';
import { redisHarness } from '../../support/contract-harness.js';
import { playCases } from '../play-cases.js';

export { TestedObject } from '../../support/objects.worker.js';

/** A Worker that plays the contract on the objects that are bound to it. */
// biome-ignore lint/style/noDefaultExport: the default export of its main module is the Worker.
export default {
  async fetch(_request: Request, { LOCKS }: { readonly LOCKS: LockNamespace }): Promise<Response> {
    const store = durableObjectStore(LOCKS);
    const harness = {
      ...redisHarness({ store, admin: store, keyPrefix: '', hset: async () => undefined }),
      async patch(name: string, attributes: object) {
        const body = JSON.stringify({ ...(await store.get(name, harness.call()))?.item, ...attributes });
        const stub = LOCKS.get(LOCKS.idFromName(`lock:${name}`));
        await stub.fetch('https://lock.object/put', { method: 'POST', body });
      },
    };
    return Response.json(await playCases(lockStoreContract, harness));
  },
};
