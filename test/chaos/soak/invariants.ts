import { INVARIANTS } from '../../support/history/invariants.js';
import type { Invariants } from '../../support/play/verdict.js';
import { historiesOf } from './facts.js';
import { FLEET_INVARIANTS } from './fleet-invariants.js';
import type { SoakHistory } from './history.js';
import { shown } from './reading.js';

/** What docs/protocol.md promises of each lock, and of a fleet like this: each is checked over the whole of a history. */
export const SOAK_INVARIANTS: Invariants<SoakHistory> = {
  ...Object.fromEntries(
    INVARIANTS.map(({ name, promise, check }) => [
      `${name}: ${promise}`,
      (soak: SoakHistory) => {
        const byAttempt = new Map(soak.deliveries.map((delivery) => [String(delivery.id), delivery]));
        const findings = historiesOf(soak).map(check);
        return {
          cases: findings.reduce((sum, { cases }) => sum + cases, 0),
          breaches: findings
            .flatMap(({ breaches }) => breaches)
            .map(({ what, facts }) => shown(what, ...facts.map(({ attempt }) => byAttempt.get(attempt)))),
        };
      },
    ]),
  ),
  ...FLEET_INVARIANTS,
};
