import { setTimeout as sleep } from 'node:timers/promises';
import { E_LOCK_NOT_OWNED } from '@verrou/core';
import { registerStoreTestSuite } from '@verrou/core/test_suite';
import type { LockStore as VerrouStore } from '@verrou/core/types';
import type { Lease, StoreCall } from 'single-execution';
import { lockAdmin } from 'single-execution/admin';
import { assert } from 'vitest';
import { systemClock } from '../../src/core/values/clock.js';
import { newAttemptId } from '../../src/core/values/names.js';
import type { Ground, Scenario } from './scenario.js';

/** The longest lease of the library. verrou's locks without an end get this lease. */
const LONGEST_MS = 86_400_000;
/**
 * How long after a lease DynamoDB may still refuse others: the store keeps a lock 2 s longer, and the Date header
 * shows whole seconds only.
 */
const LATE_MS = 3_500;

/** Tests that expect a lock to be free right after its end. */
const LOOK_AT_THE_END = [
  'exists returns false if lock is expired',
  'custom ttl should be used',
  'able to acquire a lock that is expired',
  'extend extends the lock ttl',
];
const KEPT_LONGER = {
  differs: 'A record on DynamoDB keeps a lock 2 s longer than its lease, because clocks of hosts differ.',
  differsOn: ['DynamoDB'],
} as const;

type Tested = (context: { readonly assert: object }) => Promise<void>;

/** verrou's own test suite from its package. Each test becomes a scenario. */
export function verrouScenarios(): Scenario[] {
  const scenarios: Scenario[] = [];
  let current: Ground | undefined;
  const createStore = () => {
    if (!current) throw new Error('no store is under test');
    return storeOf(current);
  };
  const test = (name: string, tested: Tested) => {
    let expected: (new () => Error) | undefined;
    scenarios.push({
      name,
      ...(LOOK_AT_THE_END.includes(name) && KEPT_LONGER),
      async play(ground) {
        // A test makes its store before its first `await`.
        current = ground;
        const played = tested({ assert: { ...assert, rejects } });
        current = undefined;
        if (!expected) return played;
        const error = await played.then(
          () => undefined,
          (reason: unknown) => reason,
        );
        assert.instanceOf(error, expected);
      },
    });
    return {
      throws(_message: string, errorClass: new () => Error) {
        expected = errorClass;
      },
    };
  };
  // The suite expects Japa's test function. It uses only this part of it.
  registerStoreTestSuite({ test: test as never, createStore });
  return scenarios;
}

async function rejects(run: () => Promise<unknown>, message: string): Promise<void> {
  const error = await run().then(
    () => undefined,
    (reason: unknown) => reason,
  );
  assert.instanceOf(error, Error);
  assert.equal(error.message, message);
}

/** One of our stores, with the interface of verrou's drivers. */
function storeOf({ kind, store, admin }: Ground): VerrouStore {
  const prefix = `${newAttemptId('v')} `;
  const locks = lockAdmin(admin);
  const leases = new Map<string, Lease>();
  const leaseOf = (key: string, owner: string) => {
    const lease = leases.get(`${key} ${owner}`);
    if (!lease) throw new E_LOCK_NOT_OWNED();
    return lease;
  };
  // If a test sends two saves at the same time, they must reach the store in order, although their sockets may differ
  // in speed.
  let lastSave: Promise<unknown> = Promise.resolve();
  const save = (key: string, owner: string, ttl: number | null): Promise<boolean> => {
    const saved = lastSave.then(() => saveNow(key, owner, ttl));
    lastSave = saved.catch(() => undefined);
    return saved;
  };
  const saveNow = async (key: string, owner: string, ttl: number | null): Promise<boolean> => {
    const claim = { name: prefix + key, attemptId: newAttemptId(), leaseMs: ttl ?? LONGEST_MS, lockedBy: owner };
    const result = await store.acquire({ ...claim, markTickAtStart: false }, realCall());
    if (result.status === 'acquired') leases.set(`${key} ${owner}`, result.lease);
    return result.status === 'acquired';
  };
  return {
    async save(key, owner, ttl) {
      const giveUpAt = performance.now() + LATE_MS;
      while (!(await save(key, owner, ttl))) {
        const isOver = kind === 'DynamoDB' && (await locks.get(prefix + key))?.state === 'expired';
        if (!isOver || performance.now() > giveUpAt) return false;
        await sleep(50);
      }
      return true;
    },
    async delete(key, owner) {
      const completion = { result: 'succeeded', lockAtLeastForMs: 0, markTickDone: false, durationMs: 0 } as const;
      if ((await store.release(leaseOf(key, owner), completion, realCall())) === 'lost') throw new E_LOCK_NOT_OWNED();
    },
    async forceDelete(key) {
      const { fencingToken = 0 } = (await locks.get(prefix + key)) ?? {};
      await locks.forceRelease(prefix + key, { fencingToken });
    },
    exists: async (key) => (await locks.get(prefix + key))?.state === 'held',
    async extend(key, owner, leaseMs) {
      const { status } = await store.extend(leaseOf(key, owner), { leaseMs }, realCall());
      if (status === 'lost') throw new E_LOCK_NOT_OWNED();
    },
  };
}

function realCall(): StoreCall {
  const { signal } = new AbortController();
  return { clock: systemClock, signal, tryMs: 5_000, budgetMs: 20_000, maxClockSkewMs: 1_000 };
}
