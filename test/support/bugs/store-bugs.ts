import { ACQUIRE_BUGS, TOKEN_BUGS } from './acquire-bugs.js';
import type { StoreBug } from './broken-store.js';
import { BY_HAND_BUGS } from './by-hand-bugs.js';
import { LEASE_BUGS, RECORD_BUGS } from './lease-bugs.js';
import { MARK_BUGS } from './mark-bugs.js';
import { LIST_TICK_BUGS, OPERATOR_BUGS } from './operator-bugs.js';
import { OPEN_TICK_BUGS, TICK_BUGS } from './tick-bugs.js';

/** Bugs in the rules of a store, wherever it keeps its records. */
export const STORE_BUGS: readonly StoreBug[] = [
  ...ACQUIRE_BUGS,
  ...TOKEN_BUGS,
  ...TICK_BUGS,
  ...OPEN_TICK_BUGS,
  ...BY_HAND_BUGS,
  ...LEASE_BUGS,
  ...RECORD_BUGS,
  ...MARK_BUGS,
  ...OPERATOR_BUGS,
  ...LIST_TICK_BUGS,
];
