import { acquireCases } from './contract-acquire.js';
import type { ContractCase } from './contract-case.js';
import { corruptCases } from './contract-corrupt.js';
import { deleteCases } from './contract-delete.js';
import { extendCases } from './contract-extend.js';
import { forceCases } from './contract-force.js';
import { givenUpCases } from './contract-given-up.js';
import { nameCases } from './contract-names.js';
import { pauseCases } from './contract-pause.js';
import { previousCases } from './contract-previous.js';
import { recordCases } from './contract-record.js';
import { releaseCases } from './contract-release.js';
import { tickCases } from './contract-ticks.js';
import { tokenCases } from './contract-tokens.js';

/**
 * What every lock store promises, as data for any test runner. A store that passes keeps the rules of docs/protocol.md
 * that can be seen one call at a time; it is not proved right under lost responses or wrong clocks.
 *
 * @example
 * for (const { name, needs, check } of lockStoreContract) {
 *   test(name, { skip: needs.some((need) => !harness[need]) }, () => check(harness));
 * }
 */
export const lockStoreContract: readonly ContractCase[] = [
  ...acquireCases,
  ...givenUpCases,
  ...tokenCases,
  ...previousCases,
  ...tickCases,
  ...extendCases,
  ...releaseCases,
  ...nameCases,
  ...recordCases,
  ...forceCases,
  ...pauseCases,
  ...deleteCases,
  ...corruptCases,
];
