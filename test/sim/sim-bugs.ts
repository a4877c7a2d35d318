import { DYNAMODB_BUGS } from './dynamodb-bugs.js';
import { DYNAMODB_CATCH_UP_BUGS } from './dynamodb-catch-up-bugs.js';
import { DYNAMODB_TICK_BUGS } from './dynamodb-tick-bugs.js';
import { ELECTION_BUGS } from './election-bugs.js';
import { REDIS_BUGS } from './redis-bugs.js';
import { REDIS_CATCH_UP_BUGS } from './redis-catch-up-bugs.js';
import { REDIS_TICK_BUGS } from './redis-tick-bugs.js';
import type { SimBug } from './sim-bug.js';

export const SIM_BUGS: readonly SimBug[] = [
  ...DYNAMODB_BUGS,
  ...DYNAMODB_TICK_BUGS,
  ...DYNAMODB_CATCH_UP_BUGS,
  ...REDIS_BUGS,
  ...REDIS_TICK_BUGS,
  ...REDIS_CATCH_UP_BUGS,
  ...ELECTION_BUGS,
];
