import { lockStoreContract } from 'single-execution/testing';
import { describe, test } from 'vitest';
import { fakeHarness } from '../../support/fake-table.js';
import { memberCases } from '../../support/member-cases.js';

describe('row 60: dynamoDBStore on fakeLockTable keeps the contract, and lists of members', () => {
  for (const { name, check } of [...lockStoreContract, ...memberCases]) test(name, () => check(fakeHarness()));
});
