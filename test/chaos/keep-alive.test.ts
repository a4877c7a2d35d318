import { setTimeout as sleep } from 'node:timers/promises';
import { type Execution, executeWithLock, type LockEvent, type LockStore } from 'single-execution';
import { describe, expect, test, vi } from 'vitest';
import { kindsOfRun } from '../support/backends/stage.js';
import { backendOf, type Kind, openStore } from '../support/backends.js';
import { startBadNetwork } from './bad-network.js';
import { eagerContender } from './eager-contender.js';

/*
 * keepAlive on real engines over a bad network, while a contender asks for the lock ten times a second or more. SQLite
 * has no network: `test/stores/sqlite/file.test.ts` locks its file instead.
 */

/** A busy machine keeps a process waiting for a second or two. A renewal must come nevertheless. */
const LEASE_MS = 5_000;
/** How many renewals a run waits for: more than fit into two leases. */
const RENEWALS = 7;

/** Strikes every third renewal, beginning with the first, with each kind of fault in turn. */
function everyThird(faults: readonly string[]) {
  const struck: string[] = [];
  let sent = 0;
  const choose = (isRenewal: boolean): string | undefined => {
    const fault = isRenewal && sent++ % 3 === 0 ? faults[struck.length % faults.length] : undefined;
    if (fault !== undefined) struck.push(fault);
    return fault;
  };
  return { choose, struck, sent: () => sent };
}

describe.concurrent('rows 21, 22, F32, F35: keepAlive with one in three renewals failing', () => {
  test.each(kindsOfRun('network'))(
    'holds the lock over many leases on %s, and renews nothing after the run',
    async (kind) => {
      const { retried, reported } = endingFaults(kind);
      const faults = [...retried, ...reported];
      const { choose, struck, sent } = everyThird(faults);
      const network = await startBadNetwork(kind, choose);
      const [one, other] = [await openStore(network.address), await openStore(network.direct)];
      try {
        const until = (renewals: number) => renewals >= RENEWALS && struck.length >= faults.length;
        const { types, aborted, hasRun, refusals, tookMs } = await heldAgainstContender(one.store, other.store, until);
        const sentInRun = sent();

        expect(hasRun).toBe(false);
        expect(new Set(refusals.map(({ reason }) => reason))).toEqual(new Set(['locked']));
        // The contender saw the lease be renewed. It asks less often on a slow machine.
        expect(new Set(refusals.map(({ lockUntilMs }) => lockUntilMs)).size).toBeGreaterThan(2);
        expect(aborted).toBe(false);

        expect(types).not.toContain('lost');
        expect(types.slice(-2)).toEqual(['released', 'finished']);
        const renewals = types.filter((type) => type === 'extended').length;
        const failures = struck.filter((fault) => reported.includes(fault)).length;
        // A renewal comes after a third of the lease, and one after a failure that was reported comes sooner.
        expect(renewals - failures).toBeLessThanOrEqual(tookMs / (LEASE_MS / 3) + 1);

        // After each failed request the store's own try or the next renewal sent another request.
        expect(new Set(struck)).toEqual(new Set(faults));
        expect(sentInRun - struck.length).toBeGreaterThanOrEqual(renewals);
        expect(types.filter((type) => type === 'extend-failed')).toHaveLength(failures);

        // F36: wait longer than until the next renewal would come.
        await sleep(LEASE_MS / 2);
        expect(sent()).toBe(sentInRun);
      } finally {
        one.close();
        other.close();
        await network.stop();
      }
    },
  );
});

function endingFaults(kind: Kind) {
  const { ending } = backendOf(kind);
  if (!ending) throw new Error(`the entry of ${kind} does not say which faults end a renewal`);
  return ending;
}

/** Runs with keepAlive until enough has happened, while a contender asks for the same lock past the bad network. */
async function heldAgainstContender(store: LockStore, other: LockStore, isEnough: (renewals: number) => boolean) {
  const events: LockEvent[] = [];
  const renewals = () => events.filter(({ type }) => type === 'extended').length;
  const task = async ({ signal }: Execution) => {
    const beganMono = performance.now();
    const contender = eagerContender(other, 'digest');
    await vi.waitUntil(() => signal.aborted || isEnough(renewals()), { timeout: 80_000 });
    if (!signal.aborted) await contender.refusedAgain();
    const hasRun = await contender.stop();
    return { aborted: signal.aborted, hasRun, refusals: contender.refusals, tookMs: performance.now() - beganMono };
  };
  const options = { name: 'digest', store, lockAtMostFor: LEASE_MS, keepAlive: true };
  const outcome = await executeWithLock(task, { ...options, observers: [(event) => events.push(event)] });
  if (outcome.status === 'skipped') throw new Error(`the run was skipped: ${outcome.reason}`);
  return { types: events.map(({ type }) => type), ...outcome.value };
}
