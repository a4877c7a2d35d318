import { createHash, randomUUID } from 'node:crypto';
import { Redis, type RedisConfigNodejs } from '@upstash/redis';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type RedisServer, startRedisServer } from './redis-server.js';
import { startUpstashBridge, type UpstashBridge } from './upstash-bridge.js';

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
const raw = { ...once, enableAutoPipelining: false, automaticDeserialization: false };

/** What the client sent meanwhile. */
async function sentBy(work: () => Promise<unknown>): Promise<unknown[]> {
  const before = bridge.requests().length;
  await work();
  return bridge.requests().slice(before);
}

const everyKind = `return {KEYS[1], ARGV[1], ARGV[2], 3, false, "OK", {"4", "é", "OK", {"5"}}, redis.status_reply("OK")}`;

describe.each([
  ['with defaults', {}],
  ['with retry: false', { retry: false as const }],
  ['without auto-pipelining', { enableAutoPipelining: false }],
  ['without base64', { responseEncoding: false as const }],
])('the unmodified client %s', (_, options) => {
  test('sets and gets', async () => {
    expect(await client(options).get(key)).toBeNull();
    expect(await client(options).set(key, 'naïve ☃')).toBe('OK');
    expect(await client(options).get(key)).toBe('naïve ☃');
    expect(await client(options).set(key, 'OK', { nx: true })).toBeNull();
    expect(await client(options).set(key, 'OK')).toBe('OK');
    expect(await client(options).get(key)).toBe('OK');
  });

  test('reads a hash back', async () => {
    expect(await client(options).hgetall(key)).toBeNull();
    expect(await client(options).hset(key, { owner: 'me', count: 12 })).toBe(2);
    expect(await client(options).hgetall(key)).toEqual({ owner: 'me', count: 12 });
  });

  test('runs a script with keys and arguments', async () => {
    expect(await client(options).eval(everyKind, [key], [7, 'x'])).toEqual([
      key,
      7,
      'x',
      3,
      null,
      'OK',
      [4, 'é', 'OK', [5]],
      'OK',
    ]);
  });

  test('runs a script by its hash once Redis knows it', async () => {
    const script = `return {KEYS[1], '${key}'}`;
    const sha = createHash('sha1').update(script).digest('hex');

    await expect(client(options).evalsha(sha, [key], [])).rejects.toThrow('NOSCRIPT No matching script');
    await client(options).eval(script, [key], []);
    expect(await client(options).evalsha(sha, [key], [])).toEqual([key, key]);
    expect(await client(options).scriptExists(sha, 'f'.repeat(40))).toEqual([1, 0]);
    expect(await client(options).createScript(script).exec([key], [])).toEqual([key, key]);
  });

  test('answers pipelines and transactions command by command', async () => {
    const { length } = await client(options).pipeline().set(key, 1).incr(key).exec();
    expect(length).toBe(2);
    expect(await client(options).multi().incr(key).get(key).exec()).toEqual([3, 3]);
    await expect(client(options).multi().set(key, 'x').incr(key).exec()).rejects.toThrow(
      'Command 2 [ incr ] failed: ERR value is not an integer',
    );
  });
});

test('concurrent commands come in one pipeline, reads and writes apart', async () => {
  const redis = client();
  const sent = await sentBy(() => Promise.all([redis.set(key, 1), redis.get(key), redis.incr(key)]));

  expect(sent).toEqual([
    {
      path: '/pipeline',
      body: [
        ['set', key, 1],
        ['incr', key],
      ],
    },
    { path: '/pipeline', body: [['get', key]] },
  ]);
  expect(await redis.get(key)).toBe(2);
});

test('a failure in a pipeline is told to its own command only', async () => {
  const redis = client();

  const [set, incr] = await Promise.allSettled([redis.set(key, 'x'), redis.incr(key)]);

  expect(set).toEqual({ status: 'fulfilled', value: 'OK' });
  expect(incr).toMatchObject({
    reason: { message: expect.stringMatching(/^Command failed: ERR value is not an int/) },
  });
});

test('an error is answered with status 400 and its text, to which the client adds the command', async () => {
  const script = 'return redis.error_reply("REFUSED by the script")';

  await expect(client(raw).eval(script, [key], ['x'])).rejects.toThrow(
    `REFUSED by the script, command was: ${JSON.stringify(['eval', script, 1, key, 'x'])}`,
  );
});

test('without deserialization every string stays one', async () => {
  const values = ['7', '007', '12345678901234567890', '1e3', 'true', 'null', '{"a":1}'];
  const script = 'return {ARGV, ARGV[1], 7}';

  expect(await client(raw).eval(script, [], values)).toEqual([values, '7', 7]);
  expect(await client(once).eval(script, [], values)).toEqual([
    [7, '007', '12345678901234567890', '1e3', true, null, { a: 1 }],
    7,
    7,
  ]);
});

test.each([{}, { enableAutoPipelining: false }])(
  'a wrong token is refused before Redis sees anything',
  async (options) => {
    const stranger = new Redis({ url: bridge.url, token: 'wrong', ...options });

    await expect(stranger.set(key, 1)).rejects.toThrow('WRONGPASS invalid or missing auth token');
    expect(await client().exists(key)).toBe(0);
  },
);
