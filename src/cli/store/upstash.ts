import type { Clock } from '../../index.js';
import { upstashAdminStore, upstashStore } from '../../stores/redis/upstash.js';
import { wrongUse } from '../exit-code.js';
import { lookAtUpstash } from '../findings/look-at-redis.js';
import type { NamedStore, OpenedStore, StoreKind } from './kind.js';
import { answeredInTime, needing, systemWords } from './reach.js';

export const upstash: StoreKind = {
  name: 'upstash',
  title: 'Upstash Redis',
  option: 'upstash',
  options: {
    upstash: {
      help: 'Upstash Redis, with UPSTASH_REDIS_REST_URL and UPSTASH_REDIS_REST_TOKEN',
      secrets: ['UPSTASH_REDIS_REST_TOKEN'],
    },
  },
  examined: 'scripts and clock',
  open: openUpstash,
};

async function openUpstash({ env, prefix }: NamedStore, clock: Clock): Promise<OpenedStore> {
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
  // A proxy may send plain text, and the client would read its digits as base64.
  const plain = new Redis({ ...settings, responseEncoding: false });
  return {
    store: upstashStore(options),
    admin: upstashAdminStore(options),
    place,
    words: 'upstash',
    examine: (session) => lookAtUpstash(() => answeredInTime(plain.time(), clock), session),
    close: () => ended.abort(),
  };
}
