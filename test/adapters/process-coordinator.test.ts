import { LockStoreError } from 'single-execution';
import { nodeCronCoordinator } from 'single-execution/process';
import { describe, expect, test, vi } from 'vitest';
import { thisProcess } from '../../src/core/values/environment.js';
import { MINUTE, memoryLocks, NOW } from '../support/memory-locks.js';

const TICK = '2026-01-01T00:00:00.000Z';
const KEY = `digest:${TICK}`;
const LEASE_MS = 30_000;

function setting() {
  const { clock, store, observer, item } = memoryLocks();
  return { clock, item, options: { store, clock, observers: [observer] } };
}

describe('row 103: nodeCronCoordinator', () => {
  test('row 103: lets one process of the fleet run a tick, and keeps its lock until the run is over', async () => {
    const { options, item } = setting();
    const [one, other] = [nodeCronCoordinator(options), nodeCronCoordinator(options)];

    expect([await one.shouldRun(KEY, LEASE_MS), await other.shouldRun(KEY, LEASE_MS)]).toEqual([true, false]);
    expect(await item()).toMatchObject({
      state: 'held',
      lockedBy: thisProcess(),
      lockUntil: NOW + LEASE_MS,
    });
    await one.onComplete(KEY);
    expect(await item()).toMatchObject({ state: 'released', result: 'succeeded', doneTick: NOW });
    expect(await other.shouldRun(KEY, LEASE_MS)).toBe(false);
    expect(await other.shouldRun('digest:2026-01-01T00:01:00.000Z', LEASE_MS)).toBe(true);
  });

  test('row 103: a run of the tick before still holds the lock, in this process and in others', async () => {
    const { options } = setting();
    const [one, other] = [nodeCronCoordinator(options), nodeCronCoordinator(options)];
    await one.shouldRun(KEY, LEASE_MS);

    const next = 'digest:2026-01-01T00:01:00.000Z';
    expect([await one.shouldRun(next, LEASE_MS), await other.shouldRun(next, LEASE_MS)]).toEqual([false, false]);
  });

  test('row 103: a process gives back what it took, and nothing else', async () => {
    const { options, item } = setting();
    const [one, other] = [nodeCronCoordinator(options), nodeCronCoordinator(options)];
    await one.shouldRun(KEY, LEASE_MS);
    await other.shouldRun(KEY, LEASE_MS);
    await other.onComplete(KEY);
    await one.onComplete('digest:2026-01-01T00:01:00.000Z');

    expect(await item()).toMatchObject({ state: 'held' });
  });

  test('row 21: a task that takes longer than its distributedLease keeps its lock, unless keepAlive is off', async () => {
    const { options, clock, item } = setting();
    await nodeCronCoordinator(options).shouldRun(KEY, LEASE_MS);
    await clock.advance(2 * MINUTE);

    expect(await item()).toMatchObject({ state: 'held', lockUntil: NOW + 2 * MINUTE + LEASE_MS });
    const late = nodeCronCoordinator({ ...options, keepAlive: false });
    await late.shouldRun(`late:${TICK}`, LEASE_MS);
    await clock.advance(MINUTE);
    expect(await late.shouldRun('late:2026-01-01T00:01:00.000Z', LEASE_MS)).toBe(true);
  });

  test.each<[string, object, number, number]>([
    ['the distributedLease', {}, LEASE_MS, LEASE_MS],
    ['a distributedLease of a second at least', {}, 5, 1_000],
    ['lockAtMostFor', { lockAtMostFor: '5m' }, LEASE_MS, 5 * MINUTE],
    ['lockAtLeastFor, where that is longer', { lockAtLeastFor: '5m' }, LEASE_MS, 5 * MINUTE],
  ])('the lease is %s', async (_, more, ttlMs, leaseMs) => {
    const { options, item } = setting();
    await nodeCronCoordinator({ ...options, ...more }).shouldRun(KEY, ttlMs);

    expect(await item()).toMatchObject({ lockUntil: NOW + leaseMs });
  });

  test('row 50: a store that fails is an error, which node-cron skips the run for', async () => {
    const { options } = setting();
    vi.spyOn(options.store, 'acquire').mockRejectedValue(new Error('out of reach'));
    const asked = nodeCronCoordinator({ ...options, observers: [] }).shouldRun(KEY, LEASE_MS);

    await expect(asked).rejects.toBeInstanceOf(LockStoreError);
  });

  test.each(['digest', 'digest:', ':2026-01-01T00:00:00.000Z', 'digest:2026-01-01', 'digest:2026-99-01T00:00:00.000Z'])(
    'a key that is not node-cron’s is refused: %s',
    async (key) => {
      const asked = nodeCronCoordinator(setting().options).shouldRun(key, LEASE_MS);

      await expect(asked).rejects.toThrow(/key is|tick is/);
    },
  );

  test.each(['30s', Number.NaN, undefined])(
    'a distributedLease that is no number is refused before anything is written: %s',
    async (ttlMs) => {
      const { options, item } = setting();
      const asked = nodeCronCoordinator(options).shouldRun(KEY, ttlMs as number);

      await expect(asked).rejects.toThrow(/^distributedLease is .*: pass milliseconds, or set lockAtMostFor$/);
      expect(await item()).toEqual({});
    },
  );

  test.each<[object, RegExp]>([
    [{ lockAtMost: '1m' }, /unknown option 'lockAtMost'/],
    [{ catchUp: { mode: 'all' } }, /unknown option 'catchUp': node-cron reports/],
    [{ gracePeriod: '5s' }, /unknown option 'gracePeriod': node-cron reports/],
    [{ store: undefined }, /store is undefined/],
  ])('options that cannot be are refused at once: %o', (wrong, message) => {
    expect(() => nodeCronCoordinator({ ...setting().options, ...wrong } as never)).toThrow(message);
  });
});
