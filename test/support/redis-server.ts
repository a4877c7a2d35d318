import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { Redis } from 'ioredis';
import { HOST, type RestartedServer, startServer } from './kept-server.js';

const PROGRAM = 'redis-server';
const START_MS = 180_000;

export interface RedisServer extends RestartedServer {
  readonly host: typeof HOST;
  readonly url: string;
}

/** What a server has besides the defaults. */
interface RedisSettings {
  /** Whether it keeps its data when it goes down; else they are in memory only. @default false */
  readonly appendOnly?: boolean;
  /** Further arguments of the program. */
  readonly settings?: readonly string[];
}

/** Starts the real redis-server on a free port. It ends with `stop()` or with this process. */
export async function startRedisServer({
  appendOnly = false,
  settings = [],
}: RedisSettings = {}): Promise<RedisServer> {
  await requireRedisServer();
  const onDisk = appendOnly ? 'yes' : 'no';
  const server = await startServer({
    name: PROGRAM,
    ready: 'Ready to accept connections',
    startMs: START_MS,
    plan: (_, port) => ({
      command: [
        ...[PROGRAM, '--save', '', '--appendonly', onDisk, '--bind', HOST, '--protected-mode', 'no', '--port', port],
        ...settings,
      ],
    }),
  });
  return { ...server, host: HOST, url: `redis://${HOST}:${server.port}` };
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
