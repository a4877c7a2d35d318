import { upstashAdminStore, upstashStore } from '../../stores/redis/upstash.js';
import type { Environment } from '../command.js';
import { wrongUse } from '../exit-code.js';
import { needing } from './needed-package.js';
import type { OpenStore } from './open-store.js';

export async function openUpstash(
  { keyPrefix }: { readonly keyPrefix?: string },
  env: Environment,
): Promise<OpenStore & { readonly redis: { time(): Promise<unknown> } }> {
  const { UPSTASH_REDIS_REST_URL: url, UPSTASH_REDIS_REST_TOKEN: token } = env;
  if (!url || !token) {
    throw wrongUse('--upstash needs UPSTASH_REDIS_REST_URL and UPSTASH_REDIS_REST_TOKEN in the environment: set both');
  }
  const { Redis } = await needing(['@upstash/redis'], () => import('@upstash/redis'));
  const redis = new Redis({ url, token, retry: { retries: 0 }, enableTelemetry: false });
  const options = { redis, ...(keyPrefix !== undefined && { keyPrefix }) };
  return {
    kind: 'upstash',
    redis,
    store: upstashStore(options),
    admin: upstashAdminStore(options),
    close: () => undefined,
  };
}
