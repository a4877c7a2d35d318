import { systemClock } from '../../core/values/clock.js';
import { type IORedisClient, type NodeRedisClient, redisAdminStore, redisStore } from '../../stores/redis/redis.js';
import { failed } from '../exit-code.js';
import { isMissing } from './needed-package.js';
import type { OpenStore } from './open-store.js';
import { noAnswer, PATIENCE_MS, type StorePlace, silenceWords, storesInReach, systemWords } from './reach.js';

export interface RedisAddress {
  readonly url: string;
  readonly keyPrefix?: string;
}

/** A connection of either package, with its commands that are not scripts. */
export interface RedisConnection {
  readonly client: IORedisClient | NodeRedisClient;
  command(name: string, ...args: string[]): Promise<unknown>;
  close(): void;
}

export async function openRedis({ url, keyPrefix }: RedisAddress): Promise<OpenStore & RedisConnection> {
  const place = placeOf(url);
  const connection = await connect(url, place);
  const options = { client: connection.client, ...(keyPrefix !== undefined && { keyPrefix }) };
  const stores = { store: redisStore(options), admin: redisAdminStore(options) };
  return { kind: 'redis', ...connection, ...storesInReach(place, stores) };
}

/** The place of a Redis, and the last words about the connection to it. */
interface RedisPlace extends StorePlace {
  note(problem: string | undefined): void;
}

function placeOf(url: string): RedisPlace {
  const { hostname, port } = new URL(url);
  let problem: string | undefined;
  return {
    words: () => `Redis at ${hostname || '127.0.0.1'}:${port || '6379'}`,
    problem: () => problem,
    note: (told) => {
      problem = told;
    },
    remedy: 'start Redis, or check --redis-url and the network',
  };
}

/** Connects with the installed package, ioredis first. */
async function connect(url: string, place: RedisPlace): Promise<RedisConnection> {
  try {
    return await connectIORedis(url, place);
  } catch (error) {
    if (!isMissing(error, ['ioredis'])) throw error;
  }
  try {
    return await connectNodeRedis(url, place);
  } catch (error) {
    if (!isMissing(error, ['redis'])) throw error;
    throw failed(
      '--redis-url needs ioredis or redis, and neither is installed beside single-execution: npm install ioredis',
    );
  }
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
    const timer = systemClock.setTimer(() => {
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
