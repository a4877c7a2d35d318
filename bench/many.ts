/**
 * Makes many calls at once in one process, fresh and then warm: `npx tsx bench/many.ts [calls…]`. Prints how many calls
 * failed, how many requests were sent for each request that was needed, and how long all calls took. The stores'
 * servers are in processes of their own.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { Pool } from 'pg';
import { createLockTable } from 'single-execution/dynamodb';
import { createPostgresTable } from 'single-execution/postgres';
import type { ManyOrder, ManySaid } from '../test/chaos/many-at-once.js';
import { bundledProgram } from '../test/support/bundled-program.js';
import { childPrograms } from '../test/support/child-program.js';
import { startDynamoDBLocal } from '../test/support/dynamodb-local-process.js';
import { startPostgresServer } from '../test/support/postgres-server.js';
import { startRedisServer } from '../test/support/redis-server.js';

const CALLS = process.argv.length > 2 ? process.argv.slice(2).map(Number) : [64, 1_000, 3_000];
const LOCKS = ['one', 'each', 'together'] as const;

const upstash = fork(fileURLToPath(new URL('./upstash-server.ts', import.meta.url)));
const local = await startDynamoDBLocal();
const redis = await startRedisServer();
const postgres = await startPostgresServer();
const program = await bundledProgram(new URL('../test/chaos/many-at-once.ts', import.meta.url));
const programs = childPrograms();
try {
  const [{ url, token }] = await once(upstash, 'message');
  const stores: readonly ManyOrder['store'][] = [
    { kind: 'memory' },
    { kind: 'dynamodb', endpoint: local.endpoint, tableName: await warmTable(local.endpoint) },
    { kind: 'redis', url: redis.url },
    { kind: 'upstash', url, token },
    { kind: 'postgres', url: await withTable(postgres.url) },
  ];
  for (const store of stores.filter(({ kind }) => (process.env['STORES'] ?? kind).includes(kind))) {
    for (const locks of LOCKS) for (const calls of CALLS) await many({ store, locks, calls, rounds: 3 });
  }
} finally {
  await programs.stop();
  await program.remove();
  upstash.disconnect();
  await Promise.all([local.stop(), redis.stop(), postgres.stop()]);
}

async function many(order: ManyOrder): Promise<void> {
  const child = programs.start(program.path, order);
  const end = await child.ended;
  if (end.code !== 0) throw new Error(`the process ended with ${end.code}: ${end.stderr}`);
  const { store, locks, calls } = order;
  const ofRun = store.kind === 'postgres' ? 4 : 2;
  const needed = locks === 'one' ? calls - 1 + ofRun : calls * ofRun;
  for (const [n, line] of child.said().entries()) {
    const { executed, skipped, errors, requests, seconds } = line as unknown as ManySaid;
    const failed = calls - executed - skipped;
    const state = n === 0 ? 'fresh' : 'warm';
    process.stdout.write(
      `${store.kind}, ${calls} calls, locks: ${locks}, ${state}: ${failed} failed ${JSON.stringify(errors)}, ${(requests / needed).toFixed(2)} requests for each needed, ${seconds.toFixed(2)} s\n`,
    );
  }
}

/**
 * Makes the lock table in a database.
 *
 * @returns the address of the database
 */
async function withTable(url: string): Promise<string> {
  const pool = new Pool({ connectionString: url });
  await createPostgresTable(pool);
  await pool.end();
  return url;
}

/** Makes a lock table. After that the server has answered a request, so it is warm. */
async function warmTable(endpoint: string): Promise<string> {
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const client = new DynamoDBClient({ endpoint, region: 'local', credentials });
  const tableName = 'many-locks';
  await createLockTable(client, { tableName });
  client.destroy();
  return tableName;
}
