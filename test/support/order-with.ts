import { memoryStore } from 'single-execution/memory';
import { manualClock } from 'single-execution/testing';
import { type LockOptions, resolvePolicy } from '../../src/core/options/policy.js';
import type { Order } from '../../src/core/run/invocation.js';

export const MINUTES_15 = 900_000;

/** An order at the monotonic instant 10,000 with so much time remaining. */
export async function orderWith(remainingMs: number | undefined, options: Partial<LockOptions> = {}) {
  const clock = manualClock();
  await clock.advance(10_000);
  const policy = resolvePolicy({ store: memoryStore(), clock, maxClockSkew: '3s', ...options }, []);
  const order: Order = {
    name: 'digest',
    lockedBy: 'me',
    leaseMs: 60_000,
    ...(remainingMs !== undefined && { deadlineMono: 10_000 + remainingMs }),
  };
  return { clock, policy, order };
}
