import { ACQUIRE_BUGS } from './acquire-bugs.js';
import type { ContractBug } from './contract-bug.js';
import { LEASE_BUGS } from './lease-bugs.js';
import { LIST_TICK_BUGS } from './list-tick-bugs.js';
import { MARK_BUGS } from './mark-bugs.js';
import { OPEN_TICK_BUGS } from './open-tick-bugs.js';
import { OPERATOR_BUGS } from './operator-bugs.js';
import { RECORD_BUGS } from './record-bugs.js';
import { TICK_BUGS } from './tick-bugs.js';
import { TOKEN_BUGS } from './token-bugs.js';

/** Bugs of the store in memory, and of the rules of the record that it shares with other stores. */
export const MEMORY_BUGS: readonly ContractBug[] = [
  ...ACQUIRE_BUGS,
  ...TOKEN_BUGS,
  ...TICK_BUGS,
  ...OPEN_TICK_BUGS,
  ...LEASE_BUGS,
  ...MARK_BUGS,
  ...RECORD_BUGS,
  ...OPERATOR_BUGS,
  ...LIST_TICK_BUGS,
];
