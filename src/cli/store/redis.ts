import type { Clock } from '../../index.js';
import { type IORedisClient, type NodeRedisClient, redisAdminStore, redisStore } from '../../stores/redis/redis.js';
import { lookAtRedis } from '../doctor/look-at-redis.js';
import { failed } from '../exit-code.js';
import { checkUrl, type NamedStore, type OpenedStore, type StoreKind } from './kind.js';
import { noAnswer, PATIENCE_MS, type StorePlace, silenceWords, systemWords, withInstalled } from './reach.js';

export const redis: StoreKind = {
  name: 'redis',
  title: 'Redis',
  option: 'redis-url',
  options: { 'redis-url': { value: 'URL', help: 'the Redis of the locks, redis:// or rediss://; else REDIS_URL' } },
  variable: { name: 'REDIS_URL', fits: /./s },
  connects: true,
  examined: 'scripts, version, role, eviction, persistence, clock',
  check: (named) => checkUrl(named, /^rediss?:$/, 'redis://127.0.0.1:6379 or rediss://user:password@host'),
  open: openRedis,
};

/** A connected client of either package. */
interface RedisConnection {
  readonly client: IORedisClient | NodeRedisClient;
  /** Sends a command that is not a script. */
  command(name: string, ...args: string[]): Promise<unknown>;
  close(): void;
}

async function openRedis({ value: url, prefix }: NamedStore, clock: Clock): Promise<OpenedStore> {
  const place = placeOf(url, clock);
  const { client, command, close } = await withInstalled<RedisConnection>('redis-url', {
    ioredis: () => connectIORedis(url, place),
    redis: () => connectNodeRedis(url, place),
  });
  const options = { client, ...prefix };
  return {
    store: redisStore(options),
    admin: redisAdminStore(options),
    place,
    words: 'redis',
    examine: (session) => lookAtRedis(command, session),
    close,
  };
}

/** The place of a Redis, and the latest problem of the connection to it. */
interface RedisPlace extends StorePlace {
  readonly clock: Clock;
  note(problem: string | undefined): void;
}

function placeOf(url: string, clock: Clock): RedisPlace {
  const { hostname, port } = new URL(url);
  let problem: string | undefined;
  return {
    clock,
    words: () => `Redis at ${hostname || '127.0.0.1'}:${port || '6379'}`,
    problem: () => problem,
    note: (told) => {
      problem = told;
    },
    remedy: 'start Redis, or check --redis-url and the network',
  };
}

async function connectIORedis(url: string, place: RedisPlace): Promise<RedisConnection> {
  const { Redis } = await import('ioredis');
  const client = new Redis(url, { maxRetriesPerRequest: 0, socketTimeout: 2_000 });
  const close = () => client.disconnect();
  await untilReady(client, place, close);
  return { client, command: (name, ...args) => client.call(name, ...args), close };
}

async function connectNodeRedis(url: string, place: RedisPlace): Promise<RedisConnection> {
  const { createClient } = await import('redis');
  const client = createClient({ url });
  const close = () => client.destroy();
  const ready = untilReady(client, place, close);
  // Rejects if the client is closed before it is connected.
  client.connect().catch(() => undefined);
  await ready;
  return { client, command: (name, ...args) => client.sendCommand([name, ...args]), close };
}

interface Connecting {
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'ready', listener: () => void): unknown;
}

const REFUSED_LOGIN = /^(WRONGPASS|NOAUTH)\b/;

/**
 * Waits for a connection. Later errors of the connection are stored in `place`.
 *
 * @throws CliError if Redis refuses the login, which a client would try again and again, or does not answer in time
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
      if (REFUSED_LOGIN.test(error.message))
        giveUp('Redis refuses the login: check the user and the password of --redis-url or REDIS_URL');
    });
  });
}
