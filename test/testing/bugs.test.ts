import { readFileSync } from 'node:fs';
import type { MemoryStore } from 'single-execution/memory';
import { type ContractCase, lockStoreContract } from 'single-execution/testing';
import { describe, expect, test } from 'vitest';
import { answers, bug, sees, writes } from '../support/bugs/broken-store.js';
import { STORE_BUGS } from '../support/bugs/store-bugs.js';
import { memoryHarness } from '../support/contract-harness.js';

type Fails = (contractCase: ContractCase) => Promise<boolean>;

const BUGS = STORE_BUGS.map((bug) => ({ ...bug, fails: failsOn(bug.make()) }));

function failsOn(store: MemoryStore): Fails {
  const harness = memoryHarness(store);
  return ({ check }) =>
    check(harness).then(
      () => false,
      (error) => {
        // The bug's own code is wrong: no case has found the bug.
        if (error instanceof ReferenceError || error instanceof TypeError) throw error;
        return true;
      },
    );
}

test('row 58: the contract has as many cases as the docs say, and each has a name of its own', () => {
  const names = lockStoreContract.map(({ name }) => name);
  const page = readFileSync(new URL('../../docs/reliability.md', import.meta.url), 'utf8');

  expect(page).toContain(`| ${names.length} cases of a contract that every store keeps`);
  expect(new Set(names).size).toBe(names.length);
});

test('a store around which nothing is broken keeps the whole contract', async () => {
  const sound = [
    sees('acquire', (record) => ({ ...record })),
    writes('release', (record) => record),
    answers('extend', (answer) => answer),
  ];
  const fails = failsOn(bug('none', [], ...sound).make());

  for (const contractCase of lockStoreContract) expect(await fails(contractCase), contractCase.name).toBe(false);
});

describe('row 58: the contract', () => {
  test.each(BUGS)('tells a store that $name', async ({ fails, shownBy }) => {
    for (const name of shownBy) {
      const shown = lockStoreContract.find((one) => one.name === name);
      expect(shown, `the case '${name}'`).toBeDefined();
      expect(shown && (await fails(shown)), name).toBe(true);
    }
  });

  test('has no case that every broken store passes', async () => {
    const shown = new Set(STORE_BUGS.flatMap(({ shownBy }) => shownBy));
    const others = lockStoreContract.filter(({ name }) => !shown.has(name));

    for (const other of others) expect(await isPassedByAll(other), other.name).toBe(false);
  });
});

async function isPassedByAll(contractCase: ContractCase): Promise<boolean> {
  for (const { fails } of BUGS) {
    if (await fails(contractCase)) return false;
  }
  return true;
}
