import { executeWithLock } from 'single-execution';
import { memoryStore } from 'single-execution/memory';
import { lockStoreContract, manualClock } from 'single-execution/testing';
import { describe, expect, test } from 'vitest';
import { memoryHarness } from '../support/contract-harness.js';
import { memberCases } from '../support/member-cases.js';

describe('row 57: memoryStore keeps the contract of all stores', () => {
  for (const { name, check } of lockStoreContract) test(name, () => check(memoryHarness()));
});

describe('memoryStore keeps lists of members', () => {
  // Skip cases that change records past the store, which is impossible in memory.
  for (const { name, check } of memberCases.filter(({ needs }) => !needs.includes('patch')))
    test(name, () => check(memoryHarness()));
});

test.each([
  ['1970', 0],
  ['2000', Date.UTC(2000, 0, 1)],
])('F139 a clock of %s is refused by its name, and the error says how to turn it', async (_, at) => {
  const store = memoryStore();
  const clock = manualClock(at);
  const options = { name: 'digest', store, lockAtMostFor: '1m', clock, observers: [], onStoreError: 'run' } as const;

  await expect(executeWithLock(() => 'done', options)).rejects.toMatchObject({
    code: 'CLOCK_SKEW',
    retryable: false,
    message: `acquire of lock "digest" failed: the clock is at ${new Date(at).toISOString()}, before 2001; in a test turn it to 2015 or later`,
  });
  await clock.advance(Date.UTC(2015, 0, 1) - at);
  expect(await executeWithLock(() => 'done', options)).toMatchObject({ status: 'executed' });
});
