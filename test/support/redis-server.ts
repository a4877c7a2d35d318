import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { Redis } from 'ioredis';
import { HOST, type KeptServer, startServer } from './kept-server.js';

const PROGRAM = 'redis-server';
const START_MS = 180_000;
const IN_MEMORY = ['--save', '', '--appendonly', 'no'];

export interface RedisServer extends KeptServer {
  readonly host: typeof HOST;
  readonly port: number;
  readonly url: string;
}

/**
 * Starts the real redis-server in memory on a free port. It ends with `stop()` or with this process.
 *
 * @param settings further arguments of the program
 */
export async function startRedisServer(settings: readonly string[] = []): Promise<RedisServer> {
  await requireRedisServer();
  const { port, stop } = await startServer({
    name: PROGRAM,
    ready: 'Ready to accept connections',
    startMs: START_MS,
    plan: (_, port) => ({
      command: [PROGRAM, ...IN_MEMORY, '--bind', HOST, '--protected-mode', 'no', '--port', port, ...settings],
    }),
  });
  return { host: HOST, port, url: `redis://${HOST}:${port}`, stop };
}

/** @throws Error if redis-server is not on the PATH */
export async function requireRedisServer(): Promise<void> {
  await promisify(execFile)(PROGRAM, ['--version']).catch((error: Error) => {
    throw new Error(
      `These tests need redis-server on the PATH (Debian: apt-get install redis-server); \`redis-server --version\` failed: ${error.message}`,
      { cause: error },
    );
  });
}

/** A connection to the Redis on this loopback port. If it breaks, it is not made again. */
export async function connectedTo(port: number): Promise<Redis> {
  const redis = new Redis({ host: HOST, port, lazyConnect: true, retryStrategy: () => null });
  redis.on('error', () => undefined);
  await redis.connect();
  return redis;
}
