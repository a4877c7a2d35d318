import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Redis } from 'ioredis';
import { type IORedisClient, redisAdminStore, redisStore } from 'single-execution/redis';
import { type ContractCase, lockStoreContract } from 'single-execution/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { redisAcquireMutants } from '../../support/mutants/redis-acquire-mutants.js';
import { mutatedScripts, type ScriptEdit } from '../../support/mutants/redis-mutants.js';
import { redisRunMutants } from '../../support/mutants/redis-run-mutants.js';
import { redisCases } from '../../support/redis-cases.js';
import { redisHarness } from '../../support/redis-harness.js';
import { type RedisServer, startRedisServer } from '../../support/redis-server.js';

const MUTANTS = [...redisAcquireMutants, ...redisRunMutants];
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

/** Locks whose scripts are edited on their way to a real Redis, and what that Redis refused to run. */
function mutantLocks(edits: readonly ScriptEdit[]) {
  const mutated = mutatedScripts(edits);
  const refusals: unknown[] = [];
  const known = new Map<string, string>();
  const client: IORedisClient = {
    async evalsha(hash, ...rest) {
      const script = known.get(hash);
      if (script === undefined) throw new Error('NOSCRIPT');
      return client.eval(script, ...rest);
    },
    async eval(script, ...rest) {
      known.set(createHash('sha1').update(script).digest('hex'), script);
      try {
        return await redis.eval(mutated.get(script) ?? script, ...rest);
      } catch (error) {
        refusals.push(error);
        throw error;
      }
    },
  };
  const options = { client, keyPrefix: 'mutant:' };
  const hset = (key: string, fields: Record<string, string>) => redis.hset(key, fields);
  const locks = { store: redisStore(options), admin: redisAdminStore(options), ...options, hset };
  return { harness: redisHarness(locks), refusals };
}

function caseOf(name: string): ContractCase {
  const found = CASES.get(name);
  if (!found) throw new Error(`no case is named '${name}'`);
  return found;
}

describe('a case tells scripts that', () => {
  test.each(MUTANTS)('%s', async (_, edits, shownBy) => {
    const { harness, refusals } = mutantLocks(edits);

    await expect(caseOf(shownBy).check(harness)).rejects.toThrow();
    expect(refusals).toEqual([]);
  });
});

test('the docs count them', () => {
  const page = readFileSync(new URL('../../../docs/reliability.md', import.meta.url), 'utf8');
  expect(page).toContain(`| ${MUTANTS.length} broken Redis scripts, each found |`);
});

test.each([...new Set(MUTANTS.map(([, , shownBy]) => shownBy))])('scripts as they are keep: %s', async (name) => {
  await caseOf(name).check(mutantLocks([]).harness);
});

test('an edit whose text does not stand once in its script is an error', () => {
  const script = { text: 'one two two' };

  expect(mutatedScripts([[[script], 'one', '1']]).get(script.text)).toBe('1 two two');
  expect(() => mutatedScripts([[[script], 'two', '2']])).toThrow("'two' stands 2 times");
  expect(() => mutatedScripts([[[script], 'six', '6']])).toThrow("'six' stands 0 times");
});
