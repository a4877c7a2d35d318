import { lockStoreContract } from 'single-execution/testing';
import { afterAll, describe, test } from 'vitest';
import { ownEngine } from '../../support/backends/stage.js';
import { openStore } from '../../support/backends.js';
import { memberCases } from '../../support/member-cases.js';

const engine = await ownEngine('mysql');
const address = engine.at();
const locks = await openStore(address);
afterAll(locks.close);

describe('row 206: mysqlStore over a pool of mysql2, on MariaDB, keeps the contract of all stores', () => {
  const harness = engine.harness(address, locks);
  for (const { name, check } of [...lockStoreContract, ...memberCases]) test.concurrent(name, () => check(harness));
});
