import { setTimeout as sleep } from 'node:timers/promises';
import type { LockAdminStore, LockStore } from 'single-execution';
import type { ContractHarness } from 'single-execution/testing';
import { patientCall } from './contract-harness.js';
import { shiftedClock } from './shifted-clock.js';

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
