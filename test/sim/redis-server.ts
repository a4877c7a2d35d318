import { createHash } from 'node:crypto';
import { redisAdminStore, redisStore } from 'single-execution/redis';
import { type Breaks, breakableStore, heardOf, type Request, serveBroken } from './broken.js';
import type { Host } from './host.js';
import { type Applied, type Item, LOCK, type LockServer } from './lock-server.js';
import { evalLua, type RedisData } from './lua-redis.js';
import type { Network, Service } from './network.js';
import type { Timeline } from './timeline.js';

const KEY = `lock:${LOCK}`;

/** The host that sends a request, and the request if a bug needs it. */
interface From {
  readonly host: Host;
  readonly request: Request | undefined;
}

/** A Redis that runs the library's own scripts. It knows a script by its hash once the script was sent as text. */
export function redisServer(
  time: Timeline,
  net: Network,
  onApplied: (applied: Applied) => void,
  breaks: Breaks = {},
): LockServer {
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

  /** The record, with numbers instead of digits in texts. */
  const record = {
    get: () => {
      const found = item();
      const numbered = (value: unknown) => (/^\d+$/.test(String(value)) ? Number(value) : value);
      return found && Object.fromEntries(Object.entries(found).map(([field, value]) => [field, numbered(value)]));
    },
    set: (to: Item) =>
      data.hashes.set(KEY, new Map(Object.entries(to).map(([field, value]) => [field, String(value)]))),
  };
  const serve = (
    { host, request }: From,
    script: string | undefined,
    [key = '', ...args]: readonly string[],
    isCopy: boolean,
  ) => {
    if (script === undefined) return { error: new Error('NOSCRIPT No matching script. Please use EVAL.') };
    const before = item();
    const run = () => evalLua(data, script, [key], args);
    const answer = request && key === KEY ? serveBroken(breaks, request, record, run) : run();
    if (key === KEY) onApplied({ host, before, after: item() ?? {}, by: args[0], isCopy });
    return { answer };
  };

  const clientOf = (from: From) => {
    const { host, request } = from;
    const send = async (scriptOf: () => string | undefined, keyAndArgs: readonly string[]) => {
      const service: Service<{ answer: string } | { error: Error }> = {
        serve: (isCopy) => serve(from, scriptOf(), keyAndArgs, isCopy),
        refusal: () => new Error('LOADING Redis is loading the dataset in memory'),
        breakdown: () => Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }),
      };
      const reply = await heardOf(
        request,
        net.exchange(host, service),
        (told) => 'answer' in told && told.answer.startsWith('["refused"'),
      );
      if ('error' in reply) throw reply.error;
      return reply.answer;
    };
    return {
      eval: (script: string, _keys: number, ...rest: string[]) => send(() => learn(script), rest),
      evalsha: (hash: string, _keys: number, ...rest: string[]) => send(() => scripts.get(hash), rest),
    };
  };

  return {
    storeOf: (host) => breakableStore(breaks, host, (request) => redisStore({ client: clientOf({ host, request }) })),
    adminOf: (host) =>
      breakableStore(breaks, host, (request) => redisAdminStore({ client: clientOf({ host, request }) })),
    item,
  };
}
