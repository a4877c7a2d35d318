import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { Redis } from 'ioredis';
import { freePort, HOST, type KeptServer, startKept } from './kept-server.js';

const PROGRAM = 'redis-server';
const START_MS = 180_000;
/** Another process can take the free port before Redis does. */
const PORTS_TRIED = 3;

export interface RedisServer extends KeptServer {
  readonly host: typeof HOST;
  readonly port: number;
  readonly url: string;
}

/** Starts the real redis-server in memory on a free port; it ends with `stop()` or with this process. */
export async function startRedisServer(): Promise<RedisServer> {
  await requireRedisServer();
  const failures: unknown[] = [];
  while (failures.length < PORTS_TRIED) {
    try {
      return await startOn(await freePort());
    } catch (error) {
      failures.push(error);
    }
  }
  throw new AggregateError(failures, `redis-server did not start: ${failures.map(String).join('; ')}`);
}

async function startOn(port: number): Promise<RedisServer> {
  const kept = await startKept({
    keeper: new URL('./redis-server-keeper.mjs', import.meta.url),
    args: [PROGRAM, String(port)],
    startMs: START_MS,
    // Its own word: on a port taken by another server, that one would answer.
    isReady: (output) => output.includes('Ready to accept connections'),
  });
  return { host: HOST, port, url: `redis://${HOST}:${port}`, ...kept };
}

/** @throws Error where it is not on the PATH */
export async function requireRedisServer(): Promise<void> {
  await promisify(execFile)(PROGRAM, ['--version']).catch((error: Error) => {
    throw new Error(
      `These tests need redis-server on the PATH (Debian: apt-get install redis-server); \`redis-server --version\` failed: ${error.message}`,
      { cause: error },
    );
  });
}

/** A connection to the Redis on this port of the loopback. Once that is gone it is not made anew. */
export async function connectedTo(port: number): Promise<Redis> {
  const redis = new Redis({ host: HOST, port, lazyConnect: true, retryStrategy: () => null });
  redis.on('error', () => undefined);
  await redis.connect();
  return redis;
}
