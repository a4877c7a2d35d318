import { readFileSync } from 'node:fs';
import { type ContractCase, lockStoreContract } from 'single-execution/testing';
import { describe, expect, test } from 'vitest';
import { ownEngine } from '../../support/backends/stage.js';
import { redisHarness } from '../../support/contract-harness.js';
import { redisCases } from '../../support/redis-cases.js';
import { brokenScripts, type ScriptEdit } from './bugs/broken-scripts.js';
import { REDIS_ACQUIRE_BUGS } from './bugs/redis-acquire-bugs.js';
import { REDIS_RUN_BUGS } from './bugs/redis-run-bugs.js';

const SCRIPT_BUGS = [...REDIS_ACQUIRE_BUGS, ...REDIS_RUN_BUGS];

const CASES = new Map([...lockStoreContract, ...redisCases].map((one) => [one.name, one]));

const { client: redis } = await ownEngine('redis');

/** Locks on a real Redis with a bug in their scripts. */
function locksWith(edits: readonly ScriptEdit[]) {
  const keyPrefix = 'bugs:';
  const { locks, mistakes } = brokenScripts({ edits }, redis, keyPrefix);
  const hset = (key: string, fields: Record<string, string>) => redis.hset(key, fields);
  return { harness: redisHarness({ store: locks, admin: locks, keyPrefix, hset }), mistakes };
}

function caseOf(name: string): ContractCase {
  const found = CASES.get(name);
  if (!found) throw new Error(`no case is named '${name}'`);
  return found;
}

test('the docs count the bugs', () => {
  const page = readFileSync(new URL('../../../docs/reliability.md', import.meta.url), 'utf8');
  expect(page).toContain(`| ${SCRIPT_BUGS.length} broken Redis scripts, each found |`);
});

// The scripts themselves keep every case: contract.test.ts.
describe('a case tells scripts that', () => {
  test.each(SCRIPT_BUGS)('$name', async ({ edits, shownBy }) => {
    const { harness, mistakes } = locksWith(edits);

    for (const name of shownBy) await expect(caseOf(name).check(harness), name).rejects.toThrow();
    expect(mistakes()).toEqual([]);
  });
});
