import { CATCH_UP_BUGS } from './catch-up-bugs.js';
import { ELECTION_BUGS } from './election-bugs.js';
import { LOCK_BUGS } from './lock-bugs.js';
import type { SimBug } from './sim-bug.js';
import { TICK_BUGS } from './tick-bugs.js';

export const SIM_BUGS: readonly SimBug[] = [...LOCK_BUGS, ...TICK_BUGS, ...CATCH_UP_BUGS, ...ELECTION_BUGS];
