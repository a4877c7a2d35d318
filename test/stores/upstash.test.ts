import { inspect } from 'node:util';
import { Redis as UpstashRedis } from '@upstash/redis';
import { Redis } from 'ioredis';
import { upstashAdminStore, upstashStore } from 'single-execution/upstash';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { newAttemptId } from '../../src/core/attempt-id.js';
import { call, claim, done, grant } from '../support/one-run.js';
import { type RedisServer, startRedisServer } from '../support/redis-server.js';
import { type BridgeRequest, startUpstashBridge, type UpstashBridge } from '../support/upstash-bridge.js';

let server: RedisServer;
let bridge: UpstashBridge;
let redis: Redis;
beforeAll(async () => {
  server = await startRedisServer();
  bridge = await startUpstashBridge({ redisPort: server.port });
  redis = new Redis(server.url);
});
afterAll(async () => {
  redis.disconnect();
  await bridge.stop();
  await server.stop();
});
beforeEach(async () => {
  await redis.flushall();
  await redis.script('FLUSH');
});

/** The unmodified client. */
const upstash = (settings: object = {}) =>
  new UpstashRedis({ url: bridge.url, token: bridge.token, retry: { retries: 0 }, ...settings });
describe('F82 a client that repeats an EVAL on its own', () => {
  const isEval = ({ body }: BridgeRequest) => JSON.stringify(body).includes('"eval"');
  const evals = () => bridge.requests().filter(isEval).length;

  /** The result of a verb whose EVAL Redis ran twice. */
  async function ranTwice<T>(send: () => Promise<T>): Promise<T> {
    const before = evals();
    bridge.inject('drop-response', { when: isEval });
    const result = await send();
    expect(evals() - before).toBe(2);
    return result;
  }

  test.each<[string, object]>([
    ['by default', { retry: undefined }],
    ['under retry: false', { retry: false }],
  ])('%s has one effect', async (_, settings) => {
    const client = upstash(settings);
    const store = upstashStore({ redis: client });
    const admin = upstashAdminStore({ redis: client });

    const lease = await ranTwice(() => grant(store));
    expect(await redis.hget('lock:digest', 'fencingToken')).toBe(String(lease.fencingToken));

    expect(await ranTwice(() => store.extend(lease, { leaseMs: 90_000 }, call()))).toMatchObject({
      status: 'extended',
    });
    expect(await ranTwice(() => store.release(lease, done, call()))).toBe('released');
    expect(await redis.hmget('lock:digest', 'runSeq', 'r1')).toEqual(['1', null]);

    const { fencingToken, lockedAtMs } = await grant(store);
    const force = { name: 'digest', adminId: newAttemptId('f'), fencingToken, lockedAtMs, nowMs: lockedAtMs };
    expect(await ranTwice(() => admin.forceRelease(force, call()))).toBe('forced');
    expect(await redis.hget('lock:digest', 'fencingToken')).toBe(String(fencingToken + 1));
  });
});

const PIPELINING = [
  ['sends together what it can', {}],
  ['sends one by one', { enableAutoPipelining: false }],
] as const;

test('F83 F90 the client makes up an answer once its signal is aborted, and repeats the command in its errors', async () => {
  const alone = { enableAutoPipelining: false };
  const aborted = upstash({ ...alone, signal: AbortSignal.abort() });

  await expect(aborted.eval('return 1', [], [])).resolves.toBeNull();
  await expect(upstash(alone).eval('no Lua', ['lock:digest'], ['an id'])).rejects.toThrow(/command was.*an id/);
});

describe.each(PIPELINING)('F83 a client that %s and whose signal is aborted', (_, settings) => {
  const store = () => upstashStore({ redis: upstash({ ...settings, signal: AbortSignal.abort() }) });

  test('gets no lock', async () => {
    await expect(store().acquire(claim(), call(40))).rejects.toMatchObject({
      name: 'LockStoreError',
      code: 'UNAVAILABLE',
    });
    expect(await redis.exists('lock:digest')).toBe(0);
  });

  test('gets no extension and no release', async () => {
    const lease = await grant(upstashStore({ redis: upstash() }));

    await expect(store().extend(lease, { leaseMs: 90_000 }, call(40))).rejects.toThrow('no answer from Redis');
    await expect(store().release(lease, done, call(40))).rejects.toThrow('no answer from Redis');
    expect(await redis.hget('lock:digest', 'state')).toBe('held');
  });
});

describe.each(PIPELINING)('F90 of a client that %s', (_, settings) => {
  test.each([
    ['an error of the server', {}, 'INVALID_REQUEST'],
    ['a refusal of its credentials', { token: 'another-token' }, 'ACCESS_DENIED'],
  ])('%s is told without the command', async (__, wrong, code) => {
    if (code === 'INVALID_REQUEST') bridge.inject('http-500-after');
    const asked = claim();
    const store = upstashStore({ redis: upstash({ ...settings, ...wrong }) });
    const error = await store.acquire(asked, call()).catch((reason: unknown) => reason);

    expect(error).toMatchObject({ name: 'LockStoreError', code });
    const everything = inspect(error, { depth: Number.POSITIVE_INFINITY, showHidden: true, maxStringLength: null });
    for (const secret of [asked.attemptId, bridge.token, 'another-token', bridge.url, 'command was', 'redis.call']) {
      expect(everything).not.toContain(secret);
    }
  });
});
