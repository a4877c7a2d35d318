import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock, LockAdminStore, LockStore, StoreCall } from 'single-execution';
import { memoryStore } from 'single-execution/memory';
import { type ContractHarness, type ManualClock, manualClock } from 'single-execution/testing';
import { systemClock } from '../../src/core/values/clock.js';
import { shiftedClock } from './clocks.js';

/** The contract's harness for a store in memory, whose server time is the caller's clock. */
export function memoryHarness(store: LockStore & LockAdminStore = memoryStore()): ContractHarness {
  const clock = manualClock();
  return {
    store,
    admin: store,
    ...manuallyTimed(clock),
    async patch(name, attributes) {
      // `get` returns the stored item itself, not a copy.
      const { item = {} } = (await store.get(name, storeCall(clock))) ?? {};
      Object.assign(item, attributes);
    },
  };
}

/** The part of a harness that is the same for every store whose server time is a clock that the test turns. */
export function manuallyTimed(
  clock: ManualClock,
): Pick<ContractHarness, 'call' | 'shortLeaseMs' | 'expire' | 'leasePadMs'> {
  return {
    call() {
      clock.suspend(1);
      return storeCall(clock);
    },
    shortLeaseMs: 60_000,
    async expire({ lockUntilMs }) {
      clock.stepWall(Math.max(0, lockUntilMs - clock.now()));
    },
    leasePadMs: 0,
  };
}

export function storeCall(clock: Clock): StoreCall {
  return { clock, signal: new AbortController().signal, tryMs: 1_000, budgetMs: 5_000, maxClockSkewMs: 1_000 };
}

/** Longer than any answer takes on a machine that is busy with other work, and shorter than a test may take. */
const PATIENT_MS = 60_000;
const PATIENT = { tryMs: PATIENT_MS, budgetMs: PATIENT_MS };

/**
 * A call that waits long for each try. On a busy machine a short try would be repeated, and the second answer may
 * differ.
 */
export function patientCall(clock: Clock): StoreCall {
  return { ...storeCall(clock), ...PATIENT };
}

/** The longest pause between two tries is shorter, and the wait for an answer of a patient call is longer. */
const PAUSE_MS = 2_000;

/**
 * A patient call that ends when so many tries have failed. So its error is that of an answer, however long the answer
 * takes.
 */
export function callOfTries(tries: number): StoreCall {
  let [pauses, skippedMs] = [0, 0];
  return patientCall({
    now: () => Date.now(),
    monotonic: () => systemClock.monotonic() + skippedMs,
    setTimer(callback, ms) {
      // The pause after the last failed try takes the rest of the budget.
      if (ms < PAUSE_MS && ++pauses >= tries) skippedMs += PATIENT_MS;
      return systemClock.setTimer(callback, ms);
    },
  });
}

/** The same store with patient calls. So a run sends no request twice, however long an answer takes. */
export function patientStore<S extends object>(store: S): S {
  return new Proxy(store, {
    get(target, verb) {
      const value: unknown = Reflect.get(target, verb);
      if (typeof value !== 'function') return value;
      return (...args: readonly unknown[]) =>
        value.apply(
          target,
          args.map((arg) =>
            Object(arg) === arg && 'tryMs' in (arg as object) ? { ...(arg as object), ...PATIENT } : arg,
          ),
        );
    },
  });
}

export interface RedisLocks {
  readonly store: LockStore;
  readonly admin: LockAdminStore;
  readonly keyPrefix: string;
  /** Writes fields into a hash behind the store's back. */
  hset(key: string, fields: Record<string, string>): Promise<unknown>;
}

/**
 * The contract's harness on Redis. Only the server's clock decides, so a lease must really pass. Callers' clocks are
 * ten minutes wrong, which must have no effect.
 */
export function redisHarness({ store, admin, keyPrefix, hset }: RedisLocks): ContractHarness {
  const clock = shiftedClock(-600_000);
  return {
    store,
    admin,
    call: () => patientCall(clock),
    shortLeaseMs: 20,
    expire: async ({ lockUntilMs }) => {
      await sleep(Math.max(0, lockUntilMs - Date.now()) + 1);
    },
    leasePadMs: 0,
    async patch(name, attributes) {
      const fields = Object.entries(attributes).map(([field, value]) => [field, String(value)]);
      await hset(keyPrefix + name, Object.fromEntries(fields));
    },
  };
}
