import { Redis } from '@upstash/redis';
import { upstashStore } from 'single-execution/upstash';
import { host } from './host.js';
import { wrapped } from './wrapped.js';

await host(({ url, token, leaseMs }) => {
  const redis = new Redis({ url, token, retry: { retries: 0 }, signal: () => AbortSignal.timeout(2_000) });
  return wrapped(upstashStore({ redis }), leaseMs);
});
