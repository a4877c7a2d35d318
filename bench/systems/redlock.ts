import { Redis } from 'ioredis-5';
import Redlock from 'redlock';
import { host } from './host.js';
import { IOREDIS_OPTIONS } from './redis-client.js';

await host(({ url, leaseMs }) => {
  const client = new Redis(url, IOREDIS_OPTIONS);
  client.on('error', () => undefined);
  const redlock = new Redlock([client], { retryCount: 0 });
  redlock.on('clientError', () => undefined);
  return async (name, _tickMs, task) => {
    const lock = await redlock.lock(name, leaseMs).catch((error: unknown) => {
      if (error instanceof Redlock.LockError) return undefined;
      throw error;
    });
    if (!lock) return 'skipped';
    try {
      await task();
    } finally {
      await lock.unlock().catch(() => undefined);
    }
    return 'ran';
  };
});
