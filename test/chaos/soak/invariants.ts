import { type Breach, INVARIANTS, over } from '../../support/history/invariants.js';
import type { Invariants } from '../../support/play/verdict.js';
import { historiesOf } from './facts.js';
import { FLEET_INVARIANTS } from './fleet-invariants.js';
import type { SoakHistory } from './history.js';
import { shown } from './reading.js';

/**
 * The promises of docs/protocol.md about each lock, and the promises about the whole fleet. Each is checked over a
 * whole soak.
 */
export const SOAK_INVARIANTS: Invariants<SoakHistory> = {
  ...over(INVARIANTS, historiesOf, shownBreach),
  ...FLEET_INVARIANTS,
};

function shownBreach({ what, facts }: Breach, { deliveries }: SoakHistory): string {
  return shown(what, ...facts.map(({ attempt }) => deliveries.find(({ id }) => String(id) === attempt)));
}
