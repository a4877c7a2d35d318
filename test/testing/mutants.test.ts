import { type ContractCase, lockStoreContract } from 'single-execution/testing';
import { describe, expect, test } from 'vitest';
import { memoryHarness } from '../support/contract-harness.js';
import { mutantStore, type Rules } from '../support/mutant-store.js';
import { acquireMutants } from '../support/mutants/acquire-mutants.js';
import { leaseMutants } from '../support/mutants/lease-mutants.js';
import { operatorMutants } from '../support/mutants/operator-mutants.js';
import { recordMutants } from '../support/mutants/record-mutants.js';
import { tickMutants } from '../support/mutants/tick-mutants.js';
import { tokenMutants } from '../support/mutants/token-mutants.js';

const MUTANTS = [
  ...acquireMutants,
  ...tokenMutants,
  ...tickMutants,
  ...leaseMutants,
  ...recordMutants,
  ...operatorMutants,
];

/** The names of the cases that a store with such rules fails. */
async function failedBy(rules: Partial<Rules>): Promise<string[]> {
  const fails = async ({ check }: ContractCase) => {
    try {
      await check(memoryHarness(mutantStore(rules)));
      return false;
    } catch {
      return true;
    }
  };
  const failed = await Promise.all(lockStoreContract.map(fails));
  return lockStoreContract.filter((_, index) => failed[index]).map(({ name }) => name);
}

test('row 58: the contract has at least 70 cases, each with a name of its own', () => {
  const names = lockStoreContract.map(({ name }) => name);

  expect(names.length).toBeGreaterThanOrEqual(70);
  expect(new Set(names).size).toBe(names.length);
});

test('row 68: a store that is not shipped, the one that mutants are made of, keeps the whole contract', async () => {
  expect(await failedBy({})).toEqual([]);
});

describe('row 58: the contract', () => {
  const shown = new Set<string>();

  test.each(MUTANTS)('tells a store that %s', async (_, rules, shownBy) => {
    const failed = await failedBy(rules);
    for (const name of failed) shown.add(name);

    expect(failed).toContain(shownBy);
  });

  test('has no case that passes on every mutant', () => {
    expect(lockStoreContract.map(({ name }) => name).filter((name) => !shown.has(name))).toEqual([]);
  });
});
