import { upstash } from '../../support/backends/upstash.js';
import type { Library } from '../clients.js';
import { upstashAttemptOf, upstashVerbOf } from '../upstash-verb.js';
import { httpWire } from '../wire/http-wire.js';
import { eachVerb, type Route } from './route.js';

export async function upstashRoute(library: Library): Promise<Route> {
  const engine = await upstash.start();
  const { url, token } = engine.bridge;
  return {
    wire: () => httpWire(url, ({ body }) => ({ verb: upstashVerbOf(body), attempt: upstashAttemptOf(body) })),
    async connect(wire) {
      const redis = new library.Redis({ url: wire?.url ?? url, token, retry: { retries: 0 } });
      return {
        open(keyPrefix) {
          const options = { redis, keyPrefix };
          return { store: library.upstashStore(options), admin: library.upstashAdminStore(options) };
        },
        close: () => undefined,
      };
    },
    verbsOf: eachVerb,
    stop: engine.stop,
  };
}
