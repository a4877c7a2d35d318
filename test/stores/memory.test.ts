import { memoryStore } from 'single-execution/memory';
import { lockStoreContract, manualClock } from 'single-execution/testing';
import { describe, expect, test } from 'vitest';
import { memoryHarness, storeCall } from '../support/contract-harness.js';
import { memberCases } from '../support/member-cases.js';

describe('row 57: memoryStore keeps the contract of all stores', () => {
  for (const { name, check } of lockStoreContract) test(name, () => check(memoryHarness()));
});

describe('memoryStore keeps lists of members', () => {
  // Skip cases that change records past the store, which is impossible in memory.
  for (const { name, check } of memberCases.filter(({ needs }) => !needs.includes('patch')))
    test(name, () => check(memoryHarness()));
});

test('a resume makes no record of nothing', async () => {
  const store = memoryStore();
  const call = storeCall(manualClock());
  await store.resume('digest', call);

  expect(await store.list(call)).toEqual([]);
});
