import { readFileSync } from 'node:fs';
import { type ContractCase, lockStoreContract } from 'single-execution/testing';
import { describe, expect, test } from 'vitest';
import { MEMORY_BUGS } from '../support/bugs/memory-bugs.js';
import { memoryHarness } from '../support/contract-harness.js';
import { brokenModule, type SeededBug } from '../support/seeded-bug.js';

type Fails = (contractCase: ContractCase) => Promise<boolean>;

const STORES = await Promise.all(MEMORY_BUGS.map(async (bug) => ({ ...bug, fails: await storeWith(bug) })));

/** Whether a case fails on a new store in memory that has this bug. */
async function storeWith(bug: SeededBug): Promise<Fails> {
  const { memoryStore } = await brokenModule<typeof import('single-execution/memory')>('stores/memory.ts', bug);
  return ({ check }) =>
    check(memoryHarness(memoryStore())).then(
      () => false,
      (error) => {
        // An edit that names what is no longer there is a mistake in the edit, which no case has found.
        if (error instanceof ReferenceError || error instanceof TypeError) throw error;
        return true;
      },
    );
}

test('row 58: the contract has as many cases as the docs count, each with a name of its own', () => {
  const names = lockStoreContract.map(({ name }) => name);
  const page = readFileSync(new URL('../../docs/reliability.md', import.meta.url), 'utf8');

  expect(page).toContain(`| ${names.length} cases of a contract that every store keeps`);
  expect(new Set(names).size).toBe(names.length);
});

test('the store keeps the whole contract when nothing in it is broken', async () => {
  const fails = await storeWith({ name: 'none', edits: [] });
  const failed = await Promise.all(lockStoreContract.map(fails));

  expect(lockStoreContract.filter((_, i) => failed[i]).map(({ name }) => name)).toEqual([]);
});

describe('row 58: the contract', () => {
  test.each(STORES)('tells a store that $name', async ({ fails, shownBy }) => {
    const shown = lockStoreContract.find(({ name }) => name === shownBy);
    expect(shown, `the case '${shownBy}'`).toBeDefined();
    expect(shown && (await fails(shown))).toBe(true);
  });

  test('has no case that every broken store passes', async () => {
    const shown = new Set(MEMORY_BUGS.map(({ shownBy }) => shownBy));
    const others = lockStoreContract.filter(({ name }) => !shown.has(name));
    const passed = await Promise.all(others.map(isPassedByAll));

    expect(others.filter((_, i) => passed[i]).map(({ name }) => name)).toEqual([]);
  });
});

async function isPassedByAll(contractCase: ContractCase): Promise<boolean> {
  for (const { fails } of STORES) {
    if (await fails(contractCase)) return false;
  }
  return true;
}
