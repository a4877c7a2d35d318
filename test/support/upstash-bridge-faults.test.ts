import { randomUUID } from 'node:crypto';
import { Redis, type RedisConfigNodejs } from '@upstash/redis';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type RedisServer, startRedisServer } from './redis-server.js';
import { type BridgeRequest, startUpstashBridge, type UpstashBridge } from './upstash-bridge.js';

let server: RedisServer;
let bridge: UpstashBridge;
/** A counter that no other test has. */
let key: string;

beforeAll(async () => {
  server = await startRedisServer();
  bridge = await startUpstashBridge({ redisPort: server.port });
});
afterAll(async () => {
  await bridge.stop();
  await server.stop();
});
beforeEach(() => {
  key = randomUUID();
});

type Options = Omit<RedisConfigNodejs, 'url' | 'token'>;
const client = (options: Options = {}): Redis => new Redis({ url: bridge.url, token: bridge.token, ...options });
const once = { retry: { retries: 0 } };
const ofThisTest = ({ body }: BridgeRequest): boolean => JSON.stringify(body).includes(key);

describe.each([
  ['auto-pipelined', {}],
  ['alone', { enableAutoPipelining: false }],
])('a command sent %s', (_, pipelining) => {
  test.each([
    { fault: 'drop-request', applied: null, error: 'fetch failed' },
    { fault: 'drop-response', applied: 1, error: 'fetch failed' },
    { fault: 'http-500-after', applied: 1, error: 'ERR internal error' },
  ] as const)('meets $fault', async ({ fault, applied, error }) => {
    bridge.inject(fault, { when: ofThisTest });

    await expect(client({ ...once, ...pipelining }).incr(key)).rejects.toThrow(error);

    expect(await client().get(key)).toBe(applied);
  });

  test.each([
    { fault: 'hang', applied: null },
    { fault: 'hang-after', applied: 1 },
  ] as const)('gets no answer under $fault', async ({ fault, applied }) => {
    bridge.inject(fault, { when: ofThisTest });
    const patience = { signal: () => AbortSignal.timeout(300) };

    await expect(client({ ...once, ...pipelining, ...patience }).incr(key)).rejects.toThrow('aborted due to timeout');

    expect(await client().get(key)).toBe(applied);
  });

  test('is sent again by a client that retries, even under retry: false, and applied twice', async () => {
    bridge.inject('drop-response', { when: ofThisTest });

    expect(await client({ retry: false, ...pipelining }).incr(key)).toBe(2);

    expect(bridge.requests().filter(ofThisTest)).toHaveLength(2);
  });
});

test('a fault hits the requests that fit, as many as asked', async () => {
  const redis = client(once);
  bridge.inject('http-500-after', { when: ofThisTest, times: 2 });

  await redis.set(randomUUID(), 1);
  await expect(redis.incr(key)).rejects.toThrow('ERR internal error');
  await expect(redis.incr(key)).rejects.toThrow('ERR internal error');

  expect(await redis.incr(key)).toBe(3);
});

test('a Redis that is gone looks like a dead connection', async () => {
  const mortal = await startRedisServer();
  const before = await startUpstashBridge({ redisPort: mortal.port });
  await mortal.stop();

  await expect(new Redis({ url: before.url, token: before.token, ...once }).incr(key)).rejects.toThrow('fetch failed');
  await before.stop();
});

test('a stopped bridge leaves no request hanging', async () => {
  const another = await startUpstashBridge({ redisPort: server.port });
  another.inject('hang');
  const hanging = expect(new Redis({ url: another.url, token: another.token, ...once }).incr(key)).rejects.toThrow(
    'fetch failed',
  );
  await expect.poll(() => another.requests().length).toBe(1);

  await another.stop();

  await hanging;
});
