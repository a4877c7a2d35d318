import { Redis as UpstashRedis } from '@upstash/redis';
import { Redis } from 'ioredis';
import { createClient } from 'redis';
import { redisAdminStore, redisStore } from 'single-execution/redis';
import { type ContractHarness, lockStoreContract } from 'single-execution/testing';
import { upstashAdminStore, upstashStore } from 'single-execution/upstash';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { inThisRun } from '../../support/in-this-run.js';
import { memberCases } from '../../support/member-cases.js';
import { ownRedis } from '../../support/own-servers.js';
import { redisCases } from '../../support/redis-cases.js';
import { redisHarness } from '../../support/redis-harness.js';
import { startRestServer } from '../../support/rest-server.js';

const { server } = await ownRedis();

interface Connected {
  readonly harness: ContractHarness;
  close(): unknown;
}

/** @param ownPrefix a prefix that the client itself puts before each key */
const overIORedis = (ownPrefix?: string) => async (): Promise<Connected> => {
  const client = new Redis(server.url, ownPrefix === undefined ? {} : { keyPrefix: ownPrefix });
  const options = { client, keyPrefix: 'ioredis:' };
  const hset = (key: string, fields: Record<string, string>) => client.hset(key, fields);
  const locks = { store: redisStore(options), admin: redisAdminStore(options), ...options, hset };
  return { harness: redisHarness(locks), close: () => client.disconnect() };
};

async function overNodeRedis(): Promise<Connected> {
  const client = await createClient({ url: server.url }).connect();
  const options = { client, keyPrefix: 'node-redis:' };
  const hset = (key: string, fields: Record<string, string>) => client.hSet(key, fields);
  const locks = { store: redisStore(options), admin: redisAdminStore(options), ...options, hset };
  return { harness: redisHarness(locks), close: () => client.close() };
}

/** @param settings of the unmodified @upstash/redis client that are not its defaults */
const overRest = (settings: object) => async (): Promise<Connected> => {
  const keyPrefix = `upstash ${JSON.stringify(settings)}:`;
  const rest = await startRestServer(server.url);
  const redis = new UpstashRedis({ url: rest.url, token: rest.token, ...settings });
  const options = { redis, keyPrefix };
  const hset = (key: string, fields: Record<string, string>) => redis.hset(key, fields);
  const locks = { store: upstashStore(options), admin: upstashAdminStore(options), ...options, hset };
  return { harness: redisHarness(locks), close: () => rest.stop() };
};

const CLIENTS = inThisRun<[string, () => Promise<Connected>]>(
  [
    ['redisStore over ioredis', overIORedis()],
    ['row 92: upstashStore over @upstash/redis as it comes', overRest({})],
  ],
  [
    ['redisStore over ioredis with a key prefix of its own', overIORedis('app*[1]:')],
    ['redisStore over node-redis', overNodeRedis],
    ['upstashStore over @upstash/redis that leaves texts alone', overRest({ automaticDeserialization: false })],
    ['upstashStore over @upstash/redis that sends one by one', overRest({ enableAutoPipelining: false })],
  ],
);

describe.concurrent.each(CLIENTS)('%s keeps the contract of all stores, and what Redis adds to it', (_, connect) => {
  let connected: Connected;

  beforeAll(async () => {
    connected = await connect();
  });
  afterAll(() => connected.close());

  for (const { name, check } of [...lockStoreContract, ...redisCases, ...memberCases])
    test(name, () => check(connected.harness));
});
