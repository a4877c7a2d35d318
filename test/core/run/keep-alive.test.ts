import { executeWithLock } from 'single-execution';
import { manualClock } from 'single-execution/testing';
import { describe, expect, test } from 'vitest';
import { pass } from '../../support/clocks.js';
import { storeCall } from '../../support/contract-harness.js';
import { keptLocks, MINUTE, NOW } from '../../support/memory-locks.js';

describe('row 21: with keepAlive', () => {
  test('row 21: a run of ten minutes under a lease of one keeps everybody out, and renews nothing after its end', async () => {
    const { clock, store, options, extendedAt, observer } = keptLocks();
    const running = executeWithLock(async ({ signal }) => {
      await pass(clock, 10 * MINUTE - 1);
      return signal.aborted;
    }, options);
    const contender = { ...options, store, keepAlive: false, observers: [] };
    for (let second = 0; second < 600; second += 5) {
      await clock.advance(5_000 - (second === 595 ? 1 : 0));
      if (second < 595) expect(await executeWithLock(() => {}, contender)).toMatchObject({ reason: 'locked' });
    }

    expect(await running).toMatchObject({ value: false, release: 'released' });
    expect(extendedAt).toEqual(Array.from({ length: 29 }, (_, third) => (third + 1) * 20_000));
    expect(clock.pendingTimers()).toBe(0);
    await clock.advance(60 * MINUTE);
    expect(extendedAt).toHaveLength(29);
    expect(observer.types().filter((type) => type === 'extended')).toHaveLength(29);
    expect(await executeWithLock(() => 'next', contender)).toMatchObject({ value: 'next' });
  });

  test('row 21: lockUntil, as the run sees it, moves with each renewal', async () => {
    const { clock, options } = keptLocks();
    const running = executeWithLock(async (execution) => {
      const first = execution.lockUntil;
      await pass(clock, 20_001);
      return [first, execution.lockUntil];
    }, options);
    await clock.advance(MINUTE);

    expect(await running).toMatchObject({ value: [new Date(NOW + MINUTE), new Date(NOW + 80_000)] });
  });

  test('row 3: a holder that dies between two renewals keeps others out for one lease, not for longer', async () => {
    const { clock, store, options } = keptLocks();
    const dying = manualClock(NOW);
    void executeWithLock(() => new Promise(() => {}), { ...options, clock: dying });
    await dying.advance(45_000);
    await clock.advance(99_999);
    expect(await executeWithLock(() => {}, { ...options, store })).toMatchObject({ reason: 'locked' });
    await clock.advance(1);

    expect(await executeWithLock(({ recovering }) => recovering, { ...options, store })).toMatchObject({ value: true });
  });

  test('F44 64 runs at once in one process each keep their own lock, and no run touches the lock of another', async () => {
    const { clock, store, options, extendedAt } = keptLocks();
    const lengthMs = (i: number) => 10_000 + i * 1_500;
    const runs = Array.from({ length: 64 }, (_, i) =>
      executeWithLock(
        async ({ signal, fencingToken }) => {
          await pass(clock, lengthMs(i));
          return [signal.aborted, fencingToken];
        },
        { ...options, name: `tenant-${i}`, lockAtMostFor: i % 2 === 0 ? '9s' : '30s' },
      ),
    );
    await clock.advance(55_250);
    const records = await Promise.all(
      runs.map(async (_, i) => (await store.get(`tenant-${i}`, storeCall(clock)))?.item),
    );
    expect(records.map((record) => record?.['state'])).toEqual(
      runs.map((_, i) => (lengthMs(i) < 55_250 ? 'released' : 'held')),
    );
    await clock.advance(MINUTE);

    expect(await Promise.all(runs)).toMatchObject(
      runs.map((_, i) => ({ name: `tenant-${i}`, value: [false, NOW + 1], release: 'released' })),
    );
    const renewals = runs.map((_, i) => Math.ceil(lengthMs(i) / (i % 2 === 0 ? 3_000 : 10_000)) - 1);
    expect(extendedAt).toHaveLength(renewals.reduce((sum, count) => sum + count));
    expect(clock.pendingTimers()).toBe(0);
  });
});

test('F42 a nested run that the task did not wait for is covered by renewals until it has settled', async () => {
  const { clock, options, extendedAt } = keptLocks();
  const running = executeWithLock(() => {
    void executeWithLock(() => pass(clock, 90_000), options);
  }, options);
  await clock.advance(90_000);

  expect(await running).toMatchObject({ release: 'released', durationMs: 90_000 });
  expect(extendedAt).toEqual([20_000, 40_000, 60_000, 80_000]);
});
