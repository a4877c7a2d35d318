import { Verrou } from '@verrou/core';
import { redisStore } from '@verrou/core/drivers/redis';
import { Redis } from 'ioredis-5';
import { host } from './host.js';
import { IOREDIS_OPTIONS } from './redis-client.js';

await host(({ url, leaseMs }) => {
  const connection = new Redis(url, IOREDIS_OPTIONS);
  connection.on('error', () => undefined);
  // To TypeScript it wants the repository's ioredis, whose major version it does not support.
  const driver = redisStore({ connection: connection as never });
  const verrou = new Verrou({ default: 'redis', stores: { redis: { driver } } });
  return async (name, _tickMs, task) => {
    const [executed] = await verrou.createLock(name, leaseMs).runImmediately(() => task());
    return executed ? 'ran' : 'skipped';
  };
});
