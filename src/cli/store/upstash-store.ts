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
  const settings = { url, token, retry: { retries: 0 }, enableTelemetry: false };
  const redis = new Redis(settings);
  const options = { redis, ...(keyPrefix !== undefined && { keyPrefix }) };
  return {
    kind: 'upstash',
    // A proxy that sends plain text: the client would take its digits for base64.
    redis: new Redis({ ...settings, responseEncoding: false }),
    store: upstashStore(options),
    admin: upstashAdminStore(options),
    close: () => undefined,
  };
}
