import { once } from 'node:events';
import { Redis } from 'ioredis';
import { executeWithLock } from 'single-execution';
import { redisStore } from 'single-execution/redis';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { SENDS_ONCE } from '../../support/backends/redis.js';
import { ownEngine } from '../../support/backends/stage.js';
import { startTcpFaultProxy } from '../../support/tcp-fault-proxy.js';

/* The settings with which ioredis notices a connection on which nothing arrives: see docs/stores/redis.md, "Limits". */

let goesDead = false;
const { server } = await ownEngine('redis');
const proxy = await startTcpFaultProxy(server.port, () => {
  if (!goesDead) return undefined;
  goesDead = false;
  return { keepBackMs: 3_600_000 };
});
afterAll(() => proxy.stop());

test('F136 ioredis with a socketTimeout leaves a dead connection, and the run has its lock over a new one', async () => {
  const client = new Redis(proxy.port, { ...SENDS_ONCE, socketTimeout: 500 });
  client.on('error', () => undefined);
  onTestFinished(() => client.disconnect());
  await once(client, 'ready');
  goesDead = true;
  const options = { name: 'dead connection', store: redisStore({ client }), lockAtMostFor: '5m', observers: [] };
  expect(await executeWithLock(() => 'done', options)).toMatchObject({ status: 'executed', value: 'done' });
});
