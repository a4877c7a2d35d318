import { Redis } from 'ioredis';
import { createClient } from 'redis';
import { executeWithLock } from 'single-execution';
import { type RedisStoreOptions, redisStore } from 'single-execution/redis';
import { expect, onTestFinished, test } from 'vitest';
import { SENDS_ONCE } from '../../support/backends/redis.js';
import { ownEngine } from '../../support/backends/stage.js';
import { packagesOf } from '../../support/package-sets.js';

/* Clients connect again and again if Redis refuses their login. A run fails at once with the answer of Redis. */

const OldestRedis = (await packagesOf('test/oldest-sdk'))('ioredis') as typeof Redis;

const { server, client: redis } = await ownEngine('redis');
await redis.config('SET', 'requirepass', 'right');

type Client = RedisStoreOptions['client'];

function ioredis(Its: typeof Redis, password?: string): Client {
  const client = new Its({ port: server.port, ...SENDS_ONCE, ...(password !== undefined && { password }) });
  client.on('error', () => undefined);
  onTestFinished(() => client.disconnect());
  return client;
}

function nodeRedis(password?: string): Client {
  const client = createClient({ url: server.url, ...(password !== undefined && { password }) });
  client.on('error', () => undefined);
  client.connect().catch(() => undefined);
  onTestFinished(() => client.destroy());
  return client;
}

const run = (client: Client) =>
  executeWithLock(() => 'done', { name: 'login', store: redisStore({ client }), lockAtMostFor: '5m', observers: [] });

test.each<[string, string, () => Client]>([
  ['ioredis without a password', 'NOAUTH', () => ioredis(Redis)],
  ['ioredis with a wrong one', 'WRONGPASS', () => ioredis(Redis, 'wrong')],
  ['ioredis 5.0 without a password', 'NOAUTH', () => ioredis(OldestRedis)],
  ['ioredis 5.0 with a wrong one', 'WRONGPASS', () => ioredis(OldestRedis, 'wrong')],
  ['node-redis without a password', 'NOAUTH', () => nodeRedis()],
  // node-redis sends commands even without a login, so the error is the answer to the command.
  ['node-redis with a wrong one', 'NOAUTH', () => nodeRedis('wrong')],
])('%s is told so at once: %s', async (_, word, make) => {
  // A run that does not learn of the refusal waits for 5 s.
  const started = performance.now();

  await expect(run(make())).rejects.toMatchObject({
    name: 'LockStoreError',
    code: 'ACCESS_DENIED',
    retryable: false,
    message: `acquire of lock "login" failed: Redis refused the login (${word}): pass the right username and password to the client; nothing was sent`,
  });
  expect(performance.now() - started).toBeLessThan(4_500);
});

test('the right password is let in, also by a client that is not connected yet', async () => {
  expect(await run(ioredis(Redis, 'right'))).toMatchObject({ status: 'executed', value: 'done' });
  expect(await run(nodeRedis('right'))).toMatchObject({ status: 'executed', value: 'done' });
});
