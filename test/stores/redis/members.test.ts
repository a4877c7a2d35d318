import { Redis as UpstashRedis } from '@upstash/redis';
import { Redis } from 'ioredis';
import { createClient } from 'redis';
import { redisAdminStore, redisStore } from 'single-execution/redis';
import { upstashAdminStore, upstashStore } from 'single-execution/upstash';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { storeCall } from '../../support/contract-harness.js';
import { type MemberScene, memberCases, patchedMemberCases } from '../../support/member-cases.js';
import { redisHarness } from '../../support/redis-harness.js';
import { type RedisServer, startRedisServer } from '../../support/redis-server.js';
import { shiftedClock } from '../../support/shifted-clock.js';
import { startUpstashBridge, type UpstashBridge } from '../../support/upstash-bridge.js';

let server: RedisServer;
beforeAll(async () => {
  server = await startRedisServer();
});
afterAll(() => server.stop());

interface Connected {
  readonly scene: MemberScene;
  close(): unknown;
}

/** The callers' clocks are ten minutes wrong: all time is the server's. */
const behind = shiftedClock(-600_000);
const time = () => Date.now();

async function overIORedis(): Promise<Connected> {
  const client = new Redis(server.url);
  const options = { client, keyPrefix: 'ioredis:' };
  const store = redisStore(options);
  const hset = (key: string, fields: Record<string, string>) => client.hset(key, fields);
  const admin = redisAdminStore(options);
  const harness = redisHarness({ store, admin, ...options, hset });
  return { scene: { ...harness, store, admin, time }, close: () => client.disconnect() };
}

async function overNodeRedis(): Promise<Connected> {
  const client = await createClient({ url: server.url }).connect();
  const options = { client, keyPrefix: 'node-redis:' };
  const store = redisStore(options);
  const hset = (key: string, fields: Record<string, string>) => client.hSet(key, fields);
  const admin = redisAdminStore(options);
  const harness = redisHarness({ store, admin, ...options, hset });
  return { scene: { ...harness, store, admin, time }, close: () => client.close() };
}

function upstash(bridge: UpstashBridge, settings: object = {}) {
  const redis = new UpstashRedis({ url: bridge.url, token: bridge.token, retry: { retries: 0 }, ...settings });
  return { redis, keyPrefix: 'upstash:' };
}

/** @param settings of the unmodified client of @upstash/redis */
const overUpstash = (settings: object) => async (): Promise<Connected> => {
  const bridge = await startUpstashBridge({ redisPort: server.port });
  const options = upstash(bridge, settings);
  const store = upstashStore(options);
  const hset = (key: string, fields: Record<string, string>) => options.redis.hset(key, fields);
  const admin = upstashAdminStore(options);
  const harness = redisHarness({ store, admin, ...options, hset });
  return { scene: { ...harness, store, admin, time }, close: () => bridge.stop() };
};

describe.each<[string, () => Promise<Connected>]>([
  ['redisStore over ioredis', overIORedis],
  ['redisStore over node-redis', overNodeRedis],
  ['upstashStore over @upstash/redis', overUpstash({})],
  ['upstashStore over @upstash/redis that leaves texts alone', overUpstash({ automaticDeserialization: false })],
])('%s keeps lists of members', (_, connect) => {
  let connected: Connected;
  beforeAll(async () => {
    connected = await connect();
  });
  afterAll(() => connected.close());

  for (const { name, check } of [...memberCases, ...patchedMemberCases]) test(name, () => check(connected.scene));
});

test('F1 a check-in at Redis whose answer is lost is sent again, and is one check-in', async () => {
  const redis = new Redis(server.url);
  const evalsha = vi.fn((hash: string, count: number, ...rest: string[]) => redis.evalsha(hash, count, ...rest));
  const evaluate = (script: string, count: number, ...rest: string[]) => redis.eval(script, count, ...rest);
  const store = redisStore({ client: { eval: evaluate, evalsha } });
  await store.checkIn({ group: 'sched', member: 'a', forget: [] }, storeCall(behind));
  evalsha.mockClear();
  evalsha.mockImplementationOnce(async (hash, count, ...rest) => {
    await redis.evalsha(hash, count, ...rest);
    throw Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
  });
  const list = await store.checkIn({ group: 'sched', member: 'b', forget: ['a'] }, storeCall(behind));

  expect(evalsha).toHaveBeenCalledTimes(2);
  expect(list.members).toEqual([{ name: 'b', checkedInMs: list.nowMs }]);
  redis.disconnect();
});

test('F1 a check-in at Upstash whose answer is lost is sent again, and is one check-in', async () => {
  const bridge = await startUpstashBridge({ redisPort: server.port });
  const store = upstashStore(upstash(bridge));
  await store.checkIn({ group: 'sched', member: 'a', forget: [] }, storeCall(behind));
  const before = bridge.requests().length;
  bridge.inject('drop-response');
  const list = await store.checkIn({ group: 'sched', member: 'b', forget: ['a'] }, storeCall(behind));

  expect(bridge.requests()).toHaveLength(before + 2);
  expect(list.members).toEqual([{ name: 'b', checkedInMs: list.nowMs }]);
  await bridge.stop();
});

test('one who only looks leaves nothing in Redis, nor does a list that all have left', async () => {
  const client = new Redis(server.url);
  const store = redisStore({ client, keyPrefix: 'looked-at:' });
  await store.checkIn({ group: 'sched', forget: [] }, storeCall(behind));
  expect(await client.keys('looked-at:*')).toEqual([]);
  await store.checkIn({ group: 'sched', member: 'a', forget: [] }, storeCall(behind));
  await store.checkIn({ group: 'sched', forget: ['a'] }, storeCall(behind));
  expect(await client.keys('looked-at:*')).toEqual([]);
  client.disconnect();
});
