import { systemClock } from '../../core/values/clock.js';
import type { IORedisClient, NodeRedisClient } from '../../stores/redis/redis.js';
import { redisAdminStore, redisStore } from '../../stores/redis/redis.js';
import { failed } from '../exit-code.js';
import { isMissing } from './needed-package.js';
import type { OpenStore } from './open-store.js';

export interface RedisAddress {
  readonly url: string;
  readonly keyPrefix?: string;
}

/** A connection of either package, and the commands that are no scripts. */
export interface RedisConnection {
  readonly client: IORedisClient | NodeRedisClient;
  command(name: string, ...args: string[]): Promise<unknown>;
  close(): void;
}

export async function openRedis({ url, keyPrefix }: RedisAddress): Promise<OpenStore & RedisConnection> {
  const connection = await connect(url);
  const options = { client: connection.client, ...(keyPrefix !== undefined && { keyPrefix }) };
  return { kind: 'redis', ...connection, store: redisStore(options), admin: redisAdminStore(options) };
}

/** By the package that is installed, ioredis first. */
async function connect(url: string): Promise<RedisConnection> {
  try {
    return await connectIORedis(url);
  } catch (error) {
    if (!isMissing(error, ['ioredis'])) throw error;
  }
  try {
    return await connectNodeRedis(url);
  } catch (error) {
    if (!isMissing(error, ['redis'])) throw error;
    throw failed(
      '--redis-url needs ioredis or redis, and neither is installed beside single-execution: npm install ioredis',
    );
  }
}

async function connectIORedis(url: string): Promise<RedisConnection> {
  const { Redis } = await import('ioredis');
  const client = new Redis(url, { maxRetriesPerRequest: 0, socketTimeout: 2_000 });
  await loggedIn(client, () => client.disconnect());
  return {
    client,
    command: (name, ...args) => client.call(name, ...args),
    close: () => client.disconnect(),
  };
}

async function connectNodeRedis(url: string): Promise<RedisConnection> {
  const { createClient } = await import('redis');
  const client = createClient({ url });
  const login = loggedIn(client, () => client.destroy());
  // Rejects when it is closed before it is connected.
  client.connect().catch(() => undefined);
  await login;
  return {
    client,
    command: (name, ...args) => client.sendCommand([name, ...args]),
    close: () => client.destroy(),
  };
}

interface Connecting {
  on(event: 'error', listener: (error: Error) => void): unknown;
  once(event: 'ready', listener: () => void): unknown;
}

/** How long a login is waited for; a connection that takes longer is waited for by the request that needs it. */
const LOGIN_MS = 1_000;
const REFUSED_LOGIN = /^(WRONGPASS|NOAUTH)\b/;

/** @throws CliError where Redis refuses the login, which a client would try again and again */
function loggedIn(client: Connecting, close: () => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = systemClock.setTimer(resolve, LOGIN_MS);
    const done = () => {
      timer.cancel();
      resolve();
    };
    client.once('ready', done);
    // A client tells of each connection that fails; the request that needed one says so too.
    client.on('error', ({ message }) => {
      if (REFUSED_LOGIN.test(message)) {
        close();
        reject(failed('Redis refuses the login: check the user and the password of --redis-url or REDIS_URL'));
      }
      done();
    });
  });
}
