import { createHash } from 'node:crypto';
import { redisAdminStore, redisStore } from 'single-execution/redis';
import type { Host } from './host.js';
import { type Applied, type Item, LOCK, type LockServer } from './lock-server.js';
import { evalLua, type RedisData } from './lua-redis.js';
import type { Network } from './network.js';
import type { Timeline } from './timeline.js';

const KEY = `lock:${LOCK}`;

/** A Redis that runs the library's own scripts. It knows a script once it was sent whole. */
export function redisServer(time: Timeline, net: Network, onApplied: (applied: Applied) => void): LockServer {
  const data: RedisData = { hashes: new Map(), nowMs: time.now };
  const scripts = new Map<string, string>();

  const learn = (script: string): string => {
    scripts.set(createHash('sha1').update(script).digest('hex'), script);
    return script;
  };

  const item = (): Item | undefined => {
    const hash = data.hashes.get(KEY);
    return hash && Object.fromEntries(hash);
  };

  const serve = (host: Host, script: string | undefined, [key = '', ...args]: readonly string[], isCopy: boolean) => {
    if (script === undefined) return { error: new Error('NOSCRIPT No matching script. Please use EVAL.') };
    const before = item();
    const answer = evalLua(data, script, [key], args);
    if (key === KEY) onApplied({ host, before, after: item() ?? {}, by: args[0], isCopy });
    return { answer };
  };

  const clientOf = (host: Host) => {
    const send = async (scriptOf: () => string | undefined, keyAndArgs: readonly string[]) => {
      const reply = await net.exchange<{ answer: string } | { error: Error }>(host, {
        serve: (isCopy) => serve(host, scriptOf(), keyAndArgs, isCopy),
        refusal: () => new Error('LOADING Redis is loading the dataset in memory'),
        breakdown: () => Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }),
      });
      if ('error' in reply) throw reply.error;
      return reply.answer;
    };
    return {
      eval: (script: string, _keys: number, ...rest: string[]) => send(() => learn(script), rest),
      evalsha: (hash: string, _keys: number, ...rest: string[]) => send(() => scripts.get(hash), rest),
    };
  };

  return {
    storeOf: (host) => redisStore({ client: clientOf(host) }),
    adminOf: (host) => redisAdminStore({ client: clientOf(host) }),
    item,
  };
}
