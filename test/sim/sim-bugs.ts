import { DYNAMODB_BUGS } from './dynamodb-bugs.js';
import { ELECTION_BUGS } from './election-bugs.js';
import { REDIS_BUGS } from './redis-bugs.js';
import type { SimBug } from './sim-bug.js';

export const SIM_BUGS: readonly SimBug[] = [...DYNAMODB_BUGS, ...REDIS_BUGS, ...ELECTION_BUGS];
