import { upstashAdminStore, upstashStore } from '../../stores/redis/upstash.js';
import type { Environment } from '../command.js';
import { wrongUse } from '../exit-code.js';
import type { OpenedStore } from './open-store.js';
import { needing, type StorePlace, systemWords } from './reach.js';

export interface UpstashAddress {
  readonly kind: 'upstash';
  readonly keyPrefix?: string;
}

export interface OpenUpstash extends OpenedStore {
  readonly kind: 'upstash';
  readonly place: StorePlace;
  /** For commands that are not scripts. */
  readonly redis: { time(): Promise<unknown> };
}

export async function openUpstash({ kind, ...prefix }: UpstashAddress, env: Environment): Promise<OpenUpstash> {
  const { UPSTASH_REDIS_REST_URL: url, UPSTASH_REDIS_REST_TOKEN: token } = env;
  if (!url || !token) {
    throw wrongUse('--upstash needs UPSTASH_REDIS_REST_URL and UPSTASH_REDIS_REST_TOKEN in the environment: set both');
  }
  const { Redis } = await needing(['@upstash/redis'], () => import('@upstash/redis'));
  const ended = new AbortController();
  const settings = { url, token, retry: { retries: 0 }, enableTelemetry: false, signal: ended.signal };
  const redis = new Redis(settings);
  let problem: string | undefined;
  const noted = async <T>(answer: Promise<T>): Promise<T> => {
    try {
      const value = await answer;
      problem = undefined;
      return value;
    } catch (error) {
      problem = systemWords((error as Error).cause);
      throw error;
    }
  };
  const options = {
    redis: {
      eval: (script: string, keys: string[], args: string[]) => noted(redis.eval(script, keys, args)),
      evalsha: (hash: string, keys: string[], args: string[]) => noted(redis.evalsha(hash, keys, args)),
    },
    ...prefix,
  };
  const place = {
    words: () => `Upstash Redis at ${URL.canParse(url) ? new URL(url).host : 'UPSTASH_REDIS_REST_URL'}`,
    problem: () => problem,
    remedy: 'check UPSTASH_REDIS_REST_URL and the network',
  };
  return {
    kind,
    place,
    // A proxy may send plain text, and the client would read its digits as base64.
    redis: new Redis({ ...settings, responseEncoding: false }),
    store: upstashStore(options),
    admin: upstashAdminStore(options),
    close: () => ended.abort(),
  };
}
