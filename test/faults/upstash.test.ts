import { upstash } from '../support/backends/upstash.js';
import { BRIDGE_TOKEN } from '../support/upstash-bridge.js';
import { onServer } from './columns.js';
import { eitherWay, HTTP, throttled } from './faults.js';
import { playTable } from './play-table.js';
import { upstashAttemptOf, upstashVerbOf } from './upstash-verb.js';
import type { Client, Way } from './way.js';
import { httpWire } from './wire/http-wire.js';

const OVER_CAPACITY = JSON.stringify({ error: 'ERR max requests limit exceeded. Limit: 10000, Usage: 10000.' });
const FAILED = JSON.stringify({ error: 'ERR internal error' });

const connect: Client['connect'] = ({ url }, { library }) => {
  const redis = new library.Redis({ url, token: BRIDGE_TOKEN, retry: { retries: 0 } });
  return {
    prefixed(keyPrefix) {
      const options = { redis, keyPrefix };
      return { store: library.upstashStore(options), admin: library.upstashAdminStore(options) };
    },
    close: () => undefined,
  };
};

export const way: Way = {
  title: 'Upstash',
  server: "redis-server behind Upstash's protocol",
  faults: [
    ...HTTP,
    throttled('status 429', { kind: 'answer', at: 'before', status: 429, text: OVER_CAPACITY }, { ever: true }),
    ...eitherWay('status 500 and ERR', { kind: 'answer', status: 500, text: FAILED }, { failure: 'F2' }),
  ],
  columnOf: onServer,
  clients: [
    { title: 'the newest client', age: 'newest', connect },
    { title: 'the oldest client', age: 'oldest', connect },
  ],
  async start() {
    const engine = await upstash.start();
    const address = engine.at();
    const wire = () =>
      httpWire(address.url, ({ body }) => ({ verb: upstashVerbOf(body), attempt: upstashAttemptOf(body) }));
    return { address, wire, stop: engine.stop };
  },
};

playTable('row 187 F1 F2 F3 F6 F17 F35 F53 F54 the fault table: Upstash', way, import.meta);
