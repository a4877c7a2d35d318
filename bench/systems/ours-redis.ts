import { Redis } from 'ioredis';
import { redisStore } from 'single-execution/redis';
import { host } from './host.js';
import { wrapped } from './wrapped.js';

await host(({ url, leaseMs }) => {
  const client = new Redis(url, { maxRetriesPerRequest: 0, socketTimeout: 2_000 });
  client.on('error', () => undefined);
  return wrapped(redisStore({ client }), leaseMs);
});
