import type { ContractBug } from './contract-bug.js';
import { REDIS_ACQUIRE_BUGS } from './redis-acquire-bugs.js';
import { REDIS_RUN_BUGS } from './redis-run-bugs.js';

/** Bugs of the scripts that run on Redis. */
export const SCRIPT_BUGS: readonly ContractBug[] = [...REDIS_ACQUIRE_BUGS, ...REDIS_RUN_BUGS];
