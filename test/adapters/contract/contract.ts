import { byHandCases } from './by-hand.js';
import { callCases } from './calls.js';
import type { AdapterCase } from './case.js';
import { catchUpCases } from './catch-up.js';
import { innerLockCases } from './inner-locks.js';
import { optionCases } from './options.js';
import { skipCases } from './skips.js';
import { storeCases } from './store.js';
import { tickCases } from './ticks.js';
import { timeCases } from './times.js';

/** The promises of every adapter and aspect, as data. */
export const adapterContract: readonly AdapterCase[] = [
  ...callCases,
  ...innerLockCases,
  ...tickCases,
  ...timeCases,
  ...skipCases,
  ...storeCases,
  ...catchUpCases,
  ...byHandCases,
  ...optionCases,
];
