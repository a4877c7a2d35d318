import { createHash } from 'node:crypto';
import { Redis, type RedisConfigNodejs } from '@upstash/redis';
import { describe, expect, test } from 'vitest';
import { clearedEngine } from './backends/stage.js';
import { startRedisServer } from './redis-server.js';
import { startUpstashBridge } from './upstash-bridge.js';

const { bridge } = await clearedEngine('upstash');
const key = 'a key';

type Options = Omit<RedisConfigNodejs, 'url' | 'token'>;
const client = (options: Options = {}): Redis => new Redis({ url: bridge.url, token: bridge.token, ...options });

const everyKind = `return {KEYS[1], ARGV[1], ARGV[2], 3, false, "OK", {"4", "é", "OK", {"5"}}, redis.status_reply("OK")}`;

describe.each([
  ['with defaults', {}],
  ['without auto-pipelining', { enableAutoPipelining: false }],
  ['without base64', { responseEncoding: false as const }],
])('the unmodified client %s', (how, options) => {
  test('runs a script with keys and arguments, and reads every kind of reply', async () => {
    const reply = [key, 7, 'x', 3, null, 'OK', [4, 'é', 'OK', [5]], 'OK'];

    expect(await client(options).eval(everyKind, [key], [7, 'x'])).toEqual(reply);
  });

  test('runs a script by its hash once Redis knows it', async () => {
    const script = `return {KEYS[1], '${how}'}`;
    const sha = createHash('sha1').update(script).digest('hex');

    await expect(client(options).evalsha(sha, [key], [])).rejects.toThrow('NOSCRIPT No matching script');
    await client(options).eval(script, [key], []);
    expect(await client(options).evalsha(sha, [key], [])).toEqual([key, how]);
  });
});

test('a wrong token is refused before Redis sees anything', async () => {
  const stranger = new Redis({ url: bridge.url, token: 'wrong' });

  await expect(stranger.set(key, 1)).rejects.toThrow('WRONGPASS invalid or missing auth token');
  expect(await client().exists(key)).toBe(0);
});

test.each([
  { fault: 'drop-request', applied: null, error: 'fetch failed' },
  { fault: 'drop-response', applied: 1, error: 'fetch failed' },
  { fault: 'http-500-after', applied: 1, error: 'ERR internal error' },
  { fault: 'hang', applied: null, error: 'aborted due to timeout' },
  { fault: 'hang-after', applied: 1, error: 'aborted due to timeout' },
] as const)('a command meets $fault', async ({ fault, applied, error }) => {
  bridge.inject(fault);
  const patience = fault.startsWith('hang') ? { signal: () => AbortSignal.timeout(300) } : {};

  await expect(client({ retry: { retries: 0 }, ...patience }).incr(key)).rejects.toThrow(error);

  expect(await client().get(key)).toBe(applied);
});

test('a Redis that is gone looks like a dead connection', async () => {
  const mortal = await startRedisServer();
  const before = await startUpstashBridge({ redisPort: mortal.port });
  await mortal.stop();

  await expect(new Redis({ url: before.url, token: before.token, retry: { retries: 0 } }).incr(key)).rejects.toThrow(
    'fetch failed',
  );
  await before.stop();
});
