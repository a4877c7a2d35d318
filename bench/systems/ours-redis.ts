import { Redis } from 'ioredis';
import { redisStore } from 'single-execution/redis';
import { host } from './host.js';
import { IOREDIS_OPTIONS } from './redis-client.js';
import { wrapped } from './wrapped.js';

await host(({ url, leaseMs }) => {
  const client = new Redis(url, IOREDIS_OPTIONS);
  client.on('error', () => undefined);
  return wrapped(redisStore({ client }), leaseMs);
});
