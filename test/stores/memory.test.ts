import { lockStoreContract } from 'single-execution/testing';
import { describe, test } from 'vitest';
import { memoryHarness } from '../support/contract-harness.js';

describe('row 57: memoryStore keeps the contract of all stores', () => {
  for (const { name, check } of lockStoreContract) test(name, () => check(memoryHarness()));
});
