import { setTimeout as sleep } from 'node:timers/promises';
import { type Execution, executeWithLock, type LockEvent, type LockStore } from 'single-execution';
import { dynamoDBStore } from 'single-execution/dynamodb';
import { describe, expect, test } from 'vitest';
import { openStore } from '../support/backends.js';
import { eagerContender } from '../support/eager-contender.js';
import { verbOf } from '../support/lock-verb.js';
import { startProxiedLocks } from '../support/proxied-locks.js';
import { startBadNetwork } from './bad-network.js';

/*
 * keepAlive on real engines over a bad network, while a contender asks for the lock ten times a second or more.
 */

const LEASE_MS = 2_000;
const LEASES = 3;
const RUN_MS = LEASES * LEASE_MS;

const ENGINES = [
  {
    engine: 'DynamoDB Local',
    kind: 'dynamodb',
    faults: ['reset before', 'reset after', 'ThrottlingException', 'InternalServerError', 'AccessDeniedException'],
    // The store does not try AccessDeniedException again at once, so the run reports it. The next renewal tries again.
    failures: 2,
  },
  { engine: 'Redis by TCP', kind: 'redis', faults: ['drop-request', 'drop-response', 'busy'], failures: 0 },
  {
    engine: 'Redis by Upstash REST',
    kind: 'upstash',
    faults: ['drop-request', 'drop-response', 'http-500-after'],
    // An internal error of Upstash reads like an error of Redis, so the store does not try it again at once. The next
    // renewal does.
    failures: 2,
  },
] as const;

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
  test.each(ENGINES)(
    'holds the lock over three leases on $engine, and renews nothing after the run',
    async ({ kind, faults, failures }) => {
      const { choose, struck, sent } = everyThird(faults);
      const network = await startBadNetwork(kind, choose);
      const [one, other] = [await openStore(network.address), await openStore(network.direct)];
      try {
        const { types, aborted, hasRun, reasons } = await heldAgainstContender(one.store, other.store, RUN_MS);
        const sentInRun = sent();

        expect(hasRun).toBe(false);
        // The contender asks every 50 to 100 ms; on a slow machine, at least every 300 ms.
        expect(reasons.length).toBeGreaterThan(RUN_MS / 300);
        expect(new Set(reasons)).toEqual(new Set(['locked']));
        expect(aborted).toBe(false);

        expect(types).not.toContain('lost');
        expect(types.slice(-2)).toEqual(['released', 'finished']);
        // One renewal per third of a lease makes nine; the last may coincide with the end of the run.
        const renewals = types.filter((type) => type === 'extended').length;
        expect(renewals).toBeGreaterThanOrEqual(LEASES * 3 - 2);
        expect(renewals).toBeLessThanOrEqual(LEASES * 3);

        // After each failed request the store's own try or the next renewal sent another request.
        expect(struck.slice(0, faults.length)).toEqual(faults.slice(0, struck.length));
        expect(struck.length).toBeGreaterThanOrEqual(Math.min(faults.length, 4));
        expect(sentInRun - struck.length).toBeGreaterThanOrEqual(renewals);
        expect(types.filter((type) => type === 'extend-failed').length).toBeLessThanOrEqual(failures);

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

  test('row 22: outlives a renewal that is refused outright, and says so', async () => {
    const locks = await startProxiedLocks();
    const leaseMs = 3_000;
    try {
      const denied = { kind: 'error', at: 'before', status: 400, type: 'AccessDeniedException' } as const;
      locks.proxy.inject(denied, { when: ({ body }) => verbOf(body) === 'extend', times: 2 });
      const { types: all } = await heldAgainstContender(locks.store(), direct(locks), leaseMs * 1.3, leaseMs);

      const types = all.filter((type) => /extend|lost|finished/.test(type));
      expect(types.slice(0, 3)).toEqual(['extend-failed', 'extend-failed', 'extended']);
      expect(types.at(-1)).toBe('finished');
      expect(types).not.toContain('lost');
    } finally {
      await locks.stop();
    }
  });

  test('F3, F35: outlives a renewal that is applied and never answered', async () => {
    const locks = await startProxiedLocks();
    const leaseMs = 3_000;
    try {
      locks.proxy.inject({ kind: 'hang', at: 'after' }, { when: ({ body }) => verbOf(body) === 'extend' });
      const { types, aborted } = await heldAgainstContender(locks.store(), direct(locks), leaseMs * 1.3, leaseMs);

      expect(aborted).toBe(false);
      expect(types).toContain('extended');
      expect(locks.verbs().slice(0, 3)).toEqual(['acquire', 'extend', 'extend']);
    } finally {
      await locks.stop();
    }
  });
});

const direct = ({ direct: client, tableName }: Awaited<ReturnType<typeof startProxiedLocks>>) =>
  dynamoDBStore({ client, tableName });

/** Runs for this long with keepAlive, while a contender asks for the same lock past the bad network. */
async function heldAgainstContender(store: LockStore, other: LockStore, runMs: number, leaseMs = LEASE_MS) {
  const events: LockEvent[] = [];
  const task = async ({ signal }: Execution) => {
    const contender = eagerContender(other, 'digest');
    await sleep(runMs);
    const hasRun = await contender.stop();
    return { aborted: signal.aborted, hasRun, reasons: contender.reasons };
  };
  const options = { name: 'digest', store, lockAtMostFor: leaseMs, keepAlive: true };
  const outcome = await executeWithLock(task, { ...options, observers: [(event) => events.push(event)] });
  if (outcome.status === 'skipped') throw new Error(`the run was skipped: ${outcome.reason}`);
  return { events, types: events.map(({ type }) => type), ...outcome.value };
}
