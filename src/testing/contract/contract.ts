import { acquireCases } from './acquire.js';
import { corruptCases } from './corrupt.js';
import { deleteCases } from './delete.js';
import { extendCases } from './extend.js';
import { forceCases } from './force.js';
import { holdCases } from './holds.js';
import { listTicksCases } from './list-ticks.js';
import { markCases } from './mark.js';
import { nameCases } from './names.js';
import { openTickCases } from './open-ticks.js';
import { pauseCases } from './pause.js';
import { byHandCases, recordCases } from './record.js';
import { releaseCases } from './release.js';
import type { ContractCase } from './stage/case.js';
import { tickCases } from './ticks.js';
import { tokenCases } from './tokens.js';

/**
 * The promises of every lock store, as data for any test runner. A store that passes keeps the rules of
 * docs/protocol.md that show in single calls. Passing does not prove that a store is right under lost responses or
 * wrong clocks. A number in the name of a case is a line of docs/promises.md (`row 44`) or docs/faults.md (`F51`).
 *
 * @example
 * ```ts
 * import { test } from 'node:test';
 * import { type ContractHarness, lockStoreContract } from 'single-execution/testing';
 *
 * declare const harness: ContractHarness;
 * for (const { name, needs, check } of lockStoreContract) {
 *   test(name, { skip: needs.some((need) => !harness[need]) }, () => check(harness));
 * }
 * ```
 */
export const lockStoreContract: readonly ContractCase[] = [
  ...acquireCases,
  ...tokenCases,
  ...tickCases,
  ...openTickCases,
  ...extendCases,
  ...markCases,
  ...releaseCases,
  ...holdCases,
  ...nameCases,
  ...recordCases,
  ...byHandCases,
  ...forceCases,
  ...pauseCases,
  ...deleteCases,
  ...listTicksCases,
  ...corruptCases,
];
