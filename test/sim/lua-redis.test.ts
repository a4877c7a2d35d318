import { redisAdminStore, redisStore } from 'single-execution/redis';
import { type ContractHarness, lockStoreContract, manualClock } from 'single-execution/testing';
import { describe, expect, test } from 'vitest';
import { manuallyTimed } from '../support/contract-harness.js';
import { redisCases } from '../support/redis-cases.js';
import { evalLua, type RedisData } from './lua-redis.js';

/** The Redis stores on the Lua interpreter of the simulated worlds, with a clock that the test turns. */
function simulatedRedis(): ContractHarness {
  const clock = manualClock(Date.UTC(2026, 5, 1));
  const data: RedisData = { hashes: new Map(), nowMs: clock.now };
  const client = {
    eval: async (script: string, keys: number, ...rest: string[]) =>
      evalLua(data, script, rest.slice(0, keys), rest.slice(keys)),
    evalsha: async () => {
      throw new Error('NOSCRIPT No matching script. Please use EVAL.');
    },
  };
  return {
    store: redisStore({ client }),
    admin: redisAdminStore({ client }),
    ...manuallyTimed(clock),
    async patch(name, attributes) {
      const hash = data.hashes.get(`lock:${name}`) ?? new Map<string, string>();
      data.hashes.set(`lock:${name}`, hash);
      for (const [field, value] of Object.entries(attributes)) hash.set(field, String(value));
    },
  };
}

describe('the Redis of simulated worlds keeps the contract that redis-server keeps', () => {
  const harness = simulatedRedis();
  for (const { name, check } of [...lockStoreContract, ...redisCases]) test(name, () => check(harness));
});

test('a script that fails says why', () => {
  const data: RedisData = { hashes: new Map(), nowMs: () => 0 };
  expect(() => evalLua(data, 'return redis.call("FLUSHALL")', [], [])).toThrow('no command FLUSHALL');
  expect(() => evalLua(data, 'return (', [], [])).toThrow('unexpected symbol');
});
