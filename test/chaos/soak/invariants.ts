import type { Invariants } from '../../support/play/verdict.js';
import type { SoakHistory } from './history.js';
import { HOLD_INVARIANTS } from './hold-invariants.js';
import { LIVENESS_INVARIANTS } from './liveness-invariants.js';
import { RUN_INVARIANTS } from './run-invariants.js';
import { TICK_INVARIANTS } from './tick-invariants.js';

/** What docs/protocol.md promises of a fleet like this, and no more: each is checked over the whole of a history. */
export const SOAK_INVARIANTS: Invariants<SoakHistory> = {
  ...RUN_INVARIANTS,
  ...TICK_INVARIANTS,
  ...HOLD_INVARIANTS,
  ...LIVENESS_INVARIANTS,
};
