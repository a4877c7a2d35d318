import { createHash } from 'node:crypto';
import { redisAdminStore, redisStore } from 'single-execution/redis';
import type { Random } from '../support/play/random.js';
import { type Breaks, breakableStore, heardOf, type Request, serveBroken } from './broken.js';
import { type Connection, queueingConnection } from './client-queue.js';
import type { Host } from './host.js';
import { type Applied, type Asked, type Item, LOCK, type LockServer } from './lock-server.js';
import { evalLua, type RedisData } from './lua-redis.js';
import type { Network, Service } from './network.js';
import type { Timeline } from './timeline.js';

const KEY = `lock:${LOCK}`;

/** The word with which a script has answered. */
const wordOf = (answer: string): string => (JSON.parse(answer) as [string])[0];

/** The host that sends a request, and the request if a bug needs it. */
interface From {
  readonly host: Host;
  readonly request?: Request | undefined;
}

/**
 * A Redis that runs the library's own scripts. It knows a script by its hash once the script was sent as text. In half of
 * the worlds, clients keep requests while their connection is broken.
 */
export function redisServer(
  time: Timeline,
  net: Network,
  chance: Random,
  onApplied: (applied: Applied) => void,
  breaks: Breaks = {},
): LockServer {
  const keepsRequests = chance.chance(0.5);
  const data: RedisData = { hashes: new Map(), nowMs: time.now };
  const scripts = new Map<string, string>();

  const learn = (script: string): string => {
    const played = breaks.script?.(script) ?? script;
    scripts.set(createHash('sha1').update(script).digest('hex'), played);
    return played;
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
    { host, request, asked }: From & { readonly asked: Omit<Asked, 'word'> },
    script: string | undefined,
    [key = '', ...args]: readonly string[],
    isCopy: boolean,
  ) => {
    if (script === undefined) return { error: new Error('NOSCRIPT No matching script. Please use EVAL.') };
    const before = item();
    const run = () => evalLua(data, script, [key], args);
    const answer = request && key === KEY ? serveBroken(breaks, request, record, run) : run();
    if (key === KEY)
      onApplied({ host, before, after: item() ?? {}, by: args[0], isCopy, asked: { ...asked, word: wordOf(answer) } });
    return { answer };
  };

  const connections = new Map<Host, Connection>();
  const connectionOf = (host: Host): Connection => {
    const known = connections.get(host);
    if (known) return known;
    const made = keepsRequests
      ? queueingConnection(host, net, time, chance.fork(host.name))
      : { exchange: <T>(service: Service<T>) => net.exchange(host, service) };
    connections.set(host, made);
    return made;
  };

  const clientOf = (from: From) => {
    const { host, request } = from;
    let knowsTime = false;
    const send = async (scriptOf: () => string | undefined, keyAndArgs: readonly string[]) => {
      const asked = { atMs: time.now(), knowsTime };
      const service: Service<{ answer: string } | { error: Error }> = {
        serve: (isCopy) => serve({ ...from, asked }, scriptOf(), keyAndArgs, isCopy),
        refusal: () => new Error('LOADING Redis is loading the dataset in memory'),
        breakdown: () => Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }),
      };
      const reply = await heardOf(
        request,
        connectionOf(host).exchange(service),
        (told) => 'answer' in told && told.answer.startsWith('["refused"'),
      );
      if ('error' in reply) throw reply.error;
      // The library has read the answer by the next event.
      time.after(0, () => {
        knowsTime = true;
      });
      return reply.answer;
    };
    return {
      eval: (script: string, _keys: number, ...rest: string[]) => send(() => learn(script), rest),
      evalsha: (hash: string, _keys: number, ...rest: string[]) => send(() => scripts.get(hash), rest),
    };
  };

  /** The clients of hosts. If the server has a bug, each call has a client of its own, and knows no time. */
  const clients = new Map<Host, ReturnType<typeof clientOf>>();
  const sharedClient = (host: Host) => {
    const client = clients.get(host) ?? clientOf({ host });
    clients.set(host, client);
    return client;
  };

  return {
    storeOf: (host) =>
      breakableStore(breaks, host, (request) =>
        redisStore({ client: request ? clientOf({ host, request }) : sharedClient(host) }),
      ),
    adminOf: (host) =>
      breakableStore(breaks, host, (request) => redisAdminStore({ client: clientOf({ host, request }) })),
    item,
  };
}
