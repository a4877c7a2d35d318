import fc from 'fast-check';
import { executeWithLock, type Lease, type LockStore, type StoreCall } from 'single-execution';
import { expect, test } from 'vitest';
import { pass } from '../../support/clocks.js';
import { type MemoryLocks, memoryLocks, NOW } from '../../support/memory-locks.js';

/** How the store treats a renewal: how long after its send it is applied and answered, and what a cut-off does. */
interface Slowness {
  readonly applyMs: number;
  readonly answerMs: number;
  readonly heedsAbort: boolean;
  readonly fails: boolean;
}

/** The store with slow renewals; `log` says what was sent and settled, in order. */
function slowStore({ clock, store }: MemoryLocks, { applyMs, answerMs, heedsAbort, fails }: Slowness) {
  const log: string[] = [];
  const late: Promise<unknown>[] = [];
  const apply = async (lease: Lease, leaseMs: number, call: StoreCall) => {
    await pass(clock, applyMs);
    const result = await store.extend(lease, { leaseMs }, call);
    await pass(clock, answerMs);
    if (fails) throw new Error('connection reset');
    return result;
  };
  const slow: LockStore = {
    ...store,
    async extend(lease, { leaseMs }, call) {
      log.push('extend');
      const applied = apply(lease, leaseMs, call);
      late.push(applied.catch(() => undefined));
      const cutOff = new Promise<never>((_, reject) => {
        if (heedsAbort) call.signal.addEventListener('abort', () => reject(new Error('cut off')));
      });
      return Promise.race([applied, cutOff]).finally(() => log.push('answered'));
    },
    release(...args) {
      log.push('release');
      return store.release(...args);
    },
  };
  return { slow, log, allArrived: () => Promise.all(late) };
}

/** A run whose first renewal, at 20 s, is under way when its task settles. */
async function settleDuringRenewal(slowness: Slowness, settleAfterMs: number, taskFails: boolean) {
  const locks = memoryLocks();
  const { clock, options, item } = locks;
  const { slow, log, allArrived } = slowStore(locks, slowness);
  const running = executeWithLock(
    async () => {
      await pass(clock, 20_000 + settleAfterMs);
      if (taskFails) throw new Error('no database');
    },
    { ...options, store: slow, keepAlive: true, tick: NOW },
  ).then(
    ({ status }) => status,
    (error: Error) => error.message,
  );
  await clock.advance(20_000 + settleAfterMs);
  await clock.advance(10_000);
  const outcome = await running;
  await allArrived();
  return { clock, outcome, log, item, options };
}

const slowness = fc.record({
  applyMs: fc.integer({ min: 0, max: 4_000 }),
  answerMs: fc.integer({ min: 0, max: 4_000 }),
  heedsAbort: fc.boolean(),
  fails: fc.boolean(),
});

test('row 33: F36 whenever a task settles during a renewal, the lock ends released, after it, and no timer is left', async () => {
  await fc.assert(
    fc.asyncProperty(slowness, fc.integer({ min: 0, max: 9_000 }), fc.boolean(), async (slow, settleAfterMs, fails) => {
      const { clock, outcome, log, item, options } = await settleDuringRenewal(slow, settleAfterMs, fails);

      expect(outcome).toBe(fails ? 'no database' : 'executed');
      expect(await item()).toMatchObject({ state: 'released', result: fails ? 'failed' : 'succeeded' });
      expect((await item()).lockUntil).toBeLessThanOrEqual(clock.now());
      expect(clock.pendingTimers()).toBe(0);
      // Single flight, and the release last of all.
      expect(log.join(' ')).toMatch(/^(extend answered )+release$/);
      expect(await executeWithLock(() => 'next', { ...options, tick: NOW + 60_000 })).toMatchObject({ value: 'next' });
    }),
    { numRuns: 200 },
  );
});
