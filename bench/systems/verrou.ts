import { Redis } from '../../test/others/redis.js';
import { redisStore, Verrou } from '../../test/others/verrou.js';
import { host } from './host.js';

await host(({ url, leaseMs }) => {
  const connection = new Redis(url);
  connection.on('error', () => undefined);
  const verrou = new Verrou({ default: 'redis', stores: { redis: { driver: redisStore({ connection }) } } });
  return async (name, _tickMs, task) => {
    const [executed] = await verrou.createLock(name, leaseMs).runImmediately(() => task());
    return executed ? 'ran' : 'skipped';
  };
});
