import { createHash, randomUUID } from 'node:crypto';
import { Redis, type RedisConfigNodejs } from '@upstash/redis';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type RedisServer, startRedisServer } from './redis-server.js';
import { type BridgeRequest, startUpstashBridge, type UpstashBridge } from './upstash-bridge.js';

let server: RedisServer;
let bridge: UpstashBridge;
/** A key that no other test has. */
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

const everyKind = `return {KEYS[1], ARGV[1], ARGV[2], 3, false, "OK", {"4", "é", "OK", {"5"}}, redis.status_reply("OK")}`;

describe.each([
  ['with defaults', {}],
  ['without auto-pipelining', { enableAutoPipelining: false }],
  ['without base64', { responseEncoding: false as const }],
])('the unmodified client %s', (_, options) => {
  test('runs a script with keys and arguments, and reads every kind of reply', async () => {
    const reply = [key, 7, 'x', 3, null, 'OK', [4, 'é', 'OK', [5]], 'OK'];

    expect(await client(options).eval(everyKind, [key], [7, 'x'])).toEqual(reply);
  });

  test('runs a script by its hash once Redis knows it', async () => {
    const script = `return {KEYS[1], '${key}'}`;
    const sha = createHash('sha1').update(script).digest('hex');

    await expect(client(options).evalsha(sha, [key], [])).rejects.toThrow('NOSCRIPT No matching script');
    await client(options).eval(script, [key], []);
    expect(await client(options).evalsha(sha, [key], [])).toEqual([key, key]);
  });
});

test('a wrong token is refused before Redis sees anything', async () => {
  const stranger = new Redis({ url: bridge.url, token: 'wrong' });

  await expect(stranger.set(key, 1)).rejects.toThrow('WRONGPASS invalid or missing auth token');
  expect(await client().exists(key)).toBe(0);
});

describe.each([
  ['auto-pipelined', {}],
  ['alone', { enableAutoPipelining: false }],
])('a command sent %s', (_, pipelining) => {
  test.each([
    { fault: 'drop-request', applied: null, error: 'fetch failed' },
    { fault: 'drop-response', applied: 1, error: 'fetch failed' },
    { fault: 'http-500-after', applied: 1, error: 'ERR internal error' },
    { fault: 'hang', applied: null, error: 'aborted due to timeout' },
    { fault: 'hang-after', applied: 1, error: 'aborted due to timeout' },
  ] as const)('meets $fault', async ({ fault, applied, error }) => {
    bridge.inject(fault, { when: ofThisTest });
    const patience = fault.startsWith('hang') ? { signal: () => AbortSignal.timeout(300) } : {};

    await expect(client({ ...once, ...pipelining, ...patience }).incr(key)).rejects.toThrow(error);

    expect(await client().get(key)).toBe(applied);
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
