import type { Clock } from '../../index.js';
import { type IORedisClient, type NodeRedisClient, redisAdminStore, redisStore } from '../../stores/redis/redis.js';
import { failed, wrongUse } from '../exit-code.js';
import { lookAtRedis } from '../findings/look-at-redis.js';
import { checkEncoding, checkUrl, type NamedStore, type OpenedStore, type StoreKind } from './kind.js';
import {
  answeredInTime,
  answeringInTime,
  noAnswer,
  PATIENCE_MS,
  placeAt,
  type StorePlace,
  silenceWords,
  systemWords,
  withInstalled,
} from './reach.js';

export const redis: StoreKind = {
  name: 'redis',
  title: 'Redis',
  option: 'redis-url',
  options: {
    'redis-url': { value: 'URL', help: 'the Redis of the locks, redis:// or rediss://; by default REDIS_URL' },
  },
  variable: { name: 'REDIS_URL', fits: /./s },
  connects: true,
  examined: 'scripts, rights, version, role, eviction, persistence, clock',
  check(named) {
    checkUrl(named, /^rediss?:$/, 'redis://127.0.0.1:6379 or rediss://user:password@host');
    checkEncoding(named);
    checkDatabase(named.value);
  },
  open: openRedis,
};

/** Checks the path of a URL: ioredis connects with a wrong one, and node-redis says only `Invalid pathname`. @throws CliError */
function checkDatabase(url: string): void {
  if (/^\/?\d*$/.test(new URL(url).pathname)) return;
  throw wrongUse(
    '--redis-url has a path that is no number: a database of Redis has one, as in redis://127.0.0.1:6379/2; write %2F for a / of the password',
  );
}

/** A connected client of either package. */
interface RedisConnection {
  /** A client of the whole cluster, if the Redis is a node of one. */
  readonly client: IORedisClient | NodeRedisClient;
  /** Sends a command that is not a script, to the Redis of the URL. */
  command(name: string, ...args: string[]): Promise<unknown>;
  /** Runs a script over one key. */
  evaluate(script: string, key: string, args: string[]): Promise<unknown>;
  close(): void;
}

async function openRedis(named: NamedStore, clock: Clock): Promise<OpenedStore> {
  const { value: url, prefix } = named;
  const place = placeOf(named, clock);
  const { client, command, evaluate, close } = await withInstalled<RedisConnection>('redis-url', {
    ioredis: () => connectIORedis(url, place),
    redis: () => connectNodeRedis(url, place),
  });
  const options = { client, ...prefix };
  const { keyPrefix = 'lock:' } = prefix;
  const inTime = answeringInTime(clock);
  const examined = {
    keyPrefix,
    command: (...words: Parameters<typeof command>) => inTime(() => command(...words)),
    evaluate: (...call: Parameters<typeof evaluate>) => inTime(() => evaluate(...call)),
  };
  return {
    store: redisStore(options),
    admin: redisAdminStore(options),
    place,
    words: 'redis',
    examine: (session) => lookAtRedis(examined, session),
    close,
  };
}

/** The place of a Redis, and the latest problem of the connection to it. */
interface RedisPlace extends StorePlace {
  readonly clock: Clock;
  note(problem: string | undefined): void;
}

function placeOf(named: NamedStore, clock: Clock): RedisPlace {
  const { hostname, port } = new URL(named.value);
  let problem: string | undefined;
  return {
    clock,
    words: () => `Redis at ${hostname || '127.0.0.1'}:${port || '6379'}`,
    problem: () => problem,
    note: (reported) => {
      problem = reported;
    },
    remedy: placeAt(named).remedy,
  };
}

async function connectIORedis(url: string, place: RedisPlace): Promise<RedisConnection> {
  const { Cluster, Redis } = await import('ioredis');
  const limits = { maxRetriesPerRequest: 0, socketTimeout: 2_000 };
  const node = new Redis(url, limits);
  await untilReady(node, place, () => node.disconnect());
  const command = (name: string, ...args: string[]) => node.call(name, ...args);
  const isCluster = await isInCluster(command, place);
  const { host = '127.0.0.1', port = 6379, username, password, tls } = node.options;
  const redisOptions = { ...limits, ...(username && { username }), ...(password && { password }), ...(tls && { tls }) };
  const client = isCluster ? new Cluster([{ host, port }], { redisOptions, ...asIs(tls) }) : node;
  client.on('error', (error: Error) => place.note(systemWords(error)));
  return {
    client,
    command,
    evaluate: (script, key, args) => client.eval(script, 1, key, ...args),
    close() {
      node.disconnect();
      if (isCluster) client.disconnect();
    },
  };
}

/** With TLS, certificates hold the names of nodes, so the names are not replaced by addresses. */
const asIs = (tls: unknown) =>
  tls ? { dnsLookup: (name: string, callback: (error: null, address: string) => void) => callback(null, name) } : {};

async function connectNodeRedis(url: string, place: RedisPlace): Promise<RedisConnection> {
  const { createClient, createCluster } = await import('redis');
  const node = createClient({ url });
  const ready = untilReady(node, place, () => node.destroy());
  // Rejects if the client is closed before it is connected.
  node.connect().catch(() => undefined);
  await ready;
  const command = (name: string, ...args: string[]) => node.sendCommand([name, ...args]);
  const { protocol, username, password } = new URL(url);
  const defaults = {
    ...(username && { username: decodeURIComponent(username) }),
    ...(password && { password: decodeURIComponent(password) }),
    ...(protocol === 'rediss:' && { socket: { tls: true as const } }),
  };
  const cluster = (await isInCluster(command, place)) ? createCluster({ rootNodes: [{ url }], defaults }) : undefined;
  cluster?.on('error', (error: Error) => place.note(systemWords(error)));
  await cluster?.connect();
  const client = cluster ?? node;
  return {
    client,
    command,
    evaluate: (script, key, args) => client.eval(script, { keys: [key], arguments: args }),
    close() {
      node.destroy();
      cluster?.destroy();
    },
  };
}

/** Whether this Redis is a node of a cluster. A user that may not ask sees one node, and `ls` says so. */
async function isInCluster(command: RedisConnection['command'], { clock }: RedisPlace): Promise<boolean> {
  return answeredInTime(command('CLUSTER', 'NODES'), clock).then(
    (nodes) => String(nodes).includes('myself'),
    () => false,
  );
}

interface Connecting {
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'ready', listener: () => void): unknown;
}

/** Errors of a connection that no second try cures, and what to do. A client would try again and again. */
const FINAL: readonly (readonly [RegExp, string])[] = [
  [/\b(WRONGPASS|NOAUTH)\b/, 'Redis refuses the login: check the user and the password of --redis-url or REDIS_URL'],
  [/DB index is out of range/, 'Redis has no database of this number: correct the end of --redis-url or REDIS_URL'],
  [/Unknown RESP type|Protocol error, got/, 'what answers there is not Redis: correct the host and the port'],
  [
    /CERT|EPROTO|ERR_(SSL|TLS)/,
    'TLS failed: correct the host and the port, or set NODE_EXTRA_CA_CERTS to the certificates of your Redis',
  ],
];

/**
 * Waits for a connection. Later errors of the connection are stored in `place`.
 *
 * @throws CliError if the connection never will be made, or is not made in time
 */
function untilReady(client: Connecting, place: RedisPlace, close: () => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const giveUp = (why: string) => {
      timer.cancel();
      close();
      reject(failed(why));
    };
    const timer = place.clock.setTimer(() => {
      giveUp(noAnswer(place, place.problem?.() ?? silenceWords(PATIENCE_MS)));
    }, PATIENCE_MS);
    client.on('ready', () => {
      timer.cancel();
      place.note(undefined);
      resolve();
    });
    client.on('error', (error) => {
      place.note(systemWords(error));
      const words = `${(error as NodeJS.ErrnoException).code} ${error.message}`;
      const [, why] = FINAL.find(([pattern]) => pattern.test(words)) ?? [];
      if (why !== undefined) giveUp(why);
    });
  });
}
