import { BY_HAND_BUGS } from './by-hand-bugs.js';
import { CATCH_UP_BUGS } from './catch-up-bugs.js';
import { ELECTION_BUGS } from './election-bugs.js';
import { LOCK_BUGS } from './lock-bugs.js';
import { believes, bug, ends, leaves, type SimBug, sees } from './sim-bug.js';
import { SQL_BUGS } from './sql-bugs.js';
import { TICK_BUGS } from './tick-bugs.js';

export const SIM_BUGS: readonly SimBug[] = [
  ...LOCK_BUGS,
  ...TICK_BUGS,
  ...CATCH_UP_BUGS,
  ...BY_HAND_BUGS,
  ...SQL_BUGS,
  ...ELECTION_BUGS,
];

/** Every kind of break, but each changes nothing: no world may show a fault. */
export const NO_BUG: SimBug = bug(
  'none',
  [
    ['dynamodb', 'hostile', 1],
    ['redis', 'hostile', 1],
    ['sql', 'hostile', 1],
    ['election', 'skewed', 1],
  ],
  sees('acquire', (record) => ({ ...record })),
  leaves('release', (record) => ({ ...record })),
  believes((confirmed) => ({ ...confirmed })),
  ends(() => ({})),
  {
    clock: (clock) => clock,
    execute: (execute) => execute,
    elect: (elect) => elect,
    admin: (admin) => admin,
    storage: (storage) => storage,
  },
);
