import { Lock } from '@upstash/lock';
import { Redis } from '@upstash/redis';
import { host } from './host.js';

await host(({ url, token, leaseMs }) => {
  const redis = new Redis({ url, token });
  return async (name, _tickMs, task) => {
    const lock = new Lock({ id: name, redis: redis as never, lease: leaseMs, retry: { attempts: 1, delay: 0 } });
    if (!(await lock.acquire())) return 'skipped';
    try {
      await task();
    } finally {
      await lock.release();
    }
    return 'ran';
  };
});
