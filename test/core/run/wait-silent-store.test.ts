import { executeWithLock } from 'single-execution';
import { memoryStore } from 'single-execution/memory';
import { faultyStore, manualClock } from 'single-execution/testing';
import { expect, test, vi } from 'vitest';

test.each(['run', 'skip'] as const)(
  "row 51: with wait and onStoreError '%s', a store that falls silent does not make a held lock free",
  async (onStoreError) => {
    const clock = manualClock();
    const store = faultyStore(memoryStore(), { acquire: ['none', 'none', 'none', 'lose-request'] });
    const options = { name: 'digest', store, clock, lockAtMostFor: '1m', observers: [], wait: '1500ms' };
    let finish = () => {};
    const holder = executeWithLock(() => new Promise<void>((resolve) => (finish = resolve)), options);
    await clock.advance(0);
    const task = vi.fn();

    const waiter = executeWithLock(task, { ...options, onStoreError });
    await clock.advance(10_000);

    expect(await waiter).toMatchObject({ status: 'skipped', reason: 'locked' });
    expect(task).not.toHaveBeenCalled();
    expect(store.calls.filter(({ fault }) => fault === 'lose-request')).toHaveLength(1);
    finish();
    await clock.advance(0);
    await holder;
  },
);
