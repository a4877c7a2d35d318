import { Redis } from 'ioredis';
import { Pool } from 'pg';
import { createPostgresTable } from 'single-execution/postgres';
import { afterAll, beforeEach } from 'vitest';
import { startPostgresServer } from './postgres-server.js';
import { type ProxiedLocks, startProxiedLocks } from './proxied-locks.js';
import { startRedisServer } from './redis-server.js';
import { startUpstashBridge } from './upstash-bridge.js';

/*
 * Servers for one test file. They start when the file awaits them, and stop at its end.
 */

export async function ownRedis() {
  const server = await startRedisServer();
  const redis = new Redis(server.url);
  afterAll(async () => {
    redis.disconnect();
    await server.stop();
  });
  return { server, redis };
}

/** A Redis that is emptied before each test. */
export async function clearedRedis() {
  const own = await ownRedis();
  beforeEach(async () => {
    await own.redis.flushall();
  });
  return own;
}

/** A Redis that is emptied before each test, behind Upstash's REST. */
export async function clearedUpstash() {
  const { server, redis } = await clearedRedis();
  const bridge = await startUpstashBridge({ redisPort: server.port });
  afterAll(() => bridge.stop());
  return { redis, bridge };
}

/** A Postgres with the lock table. */
export async function ownPostgres() {
  const server = await startPostgresServer();
  const pool = new Pool({ connectionString: server.url });
  // Ignore this event: the statement that needed the lost connection rejects too.
  pool.on('error', () => undefined);
  await createPostgresTable(pool);
  afterAll(async () => {
    await pool.end();
    await server.stop();
  });
  return { server, pool };
}

/** A lock table behind a fault proxy. The proxy's list of requests is emptied before each test. */
export async function ownProxiedLocks(): Promise<ProxiedLocks> {
  const locks = await startProxiedLocks();
  beforeEach(() => locks.proxy.reset());
  afterAll(() => locks.stop());
  return locks;
}
