import { Redis } from 'ioredis';
import type { IORedisClient } from 'single-execution/redis';
import { type ContractCase, type ContractHarness, lockStoreContract } from 'single-execution/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SCRIPT_BUGS } from '../../support/bugs/script-bugs.js';
import { redisCases } from '../../support/redis-cases.js';
import { redisHarness } from '../../support/redis-harness.js';
import { type RedisServer, startRedisServer } from '../../support/redis-server.js';
import { brokenModule, type SeededBug } from '../../support/seeded-bug.js';

const CASES = new Map([...lockStoreContract, ...redisCases].map((one) => [one.name, one]));

let server: RedisServer;
let redis: Redis;
beforeAll(async () => {
  server = await startRedisServer();
  redis = new Redis(server.url);
});
afterAll(async () => {
  redis.disconnect();
  await server.stop();
});

/** Locks on a real Redis with a bug in their scripts, and what that Redis refused to run. */
async function locksWith(bug: SeededBug): Promise<{ readonly harness: ContractHarness; readonly refusals: unknown[] }> {
  const library = await brokenModule<typeof import('single-execution/redis')>('stores/redis/redis.ts', bug);
  const refusals: unknown[] = [];
  const heard = async <T>(reply: Promise<T>): Promise<T> => {
    try {
      return await reply;
    } catch (error) {
      if (!String(error).includes('NOSCRIPT')) refusals.push(error);
      throw error;
    }
  };
  const client: IORedisClient = {
    evalsha: (...args) => heard(redis.evalsha(...args)),
    eval: (...args) => heard(redis.eval(...args)),
  };
  const options = { client, keyPrefix: 'bugs:' };
  const hset = (key: string, fields: Record<string, string>) => redis.hset(key, fields);
  const stores = { store: library.redisStore(options), admin: library.redisAdminStore(options) };
  return { harness: redisHarness({ ...stores, ...options, hset }), refusals };
}

function caseOf(name: string): ContractCase {
  const found = CASES.get(name);
  if (!found) throw new Error(`no case is named '${name}'`);
  return found;
}

describe('a case tells scripts that', () => {
  test.each(SCRIPT_BUGS)('$name', async (bug) => {
    const { harness, refusals } = await locksWith(bug);

    await expect(caseOf(bug.shownBy).check(harness)).rejects.toThrow();
    expect(refusals).toEqual([]);
  });
});

describe('scripts without a bug keep the case', () => {
  let harness: ContractHarness;
  beforeAll(async () => {
    ({ harness } = await locksWith({ name: 'none', edits: [] }));
  });

  test.concurrent.each([...new Set(SCRIPT_BUGS.map(({ shownBy }) => shownBy))])('%s', (name) =>
    caseOf(name).check(harness),
  );
});
