import { executeWithLock, LockLostError, RunEndedError } from 'single-execution';
import { describe, expect, test } from 'vitest';
import { pass } from '../../support/clocks.js';
import { keptLocks, MINUTE, NOW } from '../../support/memory-locks.js';

const maxHoldOver = new RunEndedError('digest', 'MAX_HOLD', 'it has held its lock for maxHold');
const deadline = new RunEndedError('digest', 'DEADLINE', 'the platform ends it soon');

describe('row 23: maxHold', () => {
  test.each<[string, object, number, RunEndedError]>([
    ['maxHold', { maxHold: '2h' }, 120 * MINUTE, maxHoldOver],
    ['maxHold, also without keepAlive', { keepAlive: false, maxHold: '30s' }, 30_000, maxHoldOver],
    ['the grace period before a nearer deadline', { maxHold: '5m', deadline: NOW + 5 * MINUTE }, 299_000, deadline],
  ])('row 23: row 26: F39 the signal aborts at %s, and says so', async (_, over, instant, reason) => {
    const { clock, options } = keptLocks();
    const running = executeWithLock(
      async ({ signal }) => {
        await pass(clock, instant - 1);
        const before = signal.reason;
        await pass(clock, 1);
        return [before, signal.reason];
      },
      { ...options, ...over },
    );
    await clock.advance(instant);

    expect(await running).toMatchObject({ value: [undefined, reason] });
  });

  test('row 23: however long it is, a lock is extended by a day at most', async () => {
    const { options, extendedAt } = keptLocks();
    const running = executeWithLock(
      async ({ extend }) => {
        await expect(extend('2d')).rejects.toThrow(new RangeError('duration is 2d: pass 24h at most'));
        await extend('24h');
      },
      { ...options, maxHold: '2d' },
    );

    expect(await running).toMatchObject({ status: 'executed' });
    expect(extendedAt).toEqual([0]);
  });
});

describe('row 23: a run that continues after maxHold', () => {
  test('row 23: F39 is renewed no more, and its lock is free for others when its last lease is over', async () => {
    const { clock, store, options, extendedAt, observer } = keptLocks();
    const seen: unknown[] = [];
    const running = executeWithLock(
      async ({ signal, assertHeld }) => {
        await pass(clock, 159_399);
        assertHeld();
        seen.push(signal.reason);
        await pass(clock, 1);
        expect(assertHeld).toThrow(LockLostError);
        seen.push(signal.reason);
        await pass(clock, 10 * MINUTE);
      },
      { ...options, maxHold: '2m' },
    );
    await clock.advance(159_999);
    const contender = { ...options, store, observers: [] };
    expect(await executeWithLock(() => {}, contender)).toMatchObject({ reason: 'locked' });
    await clock.advance(1);
    expect(await executeWithLock(() => 'next', contender)).toMatchObject({ value: 'next' });
    await clock.advance(10 * MINUTE);

    expect(await running).toMatchObject({ release: 'lost' });
    // The first reason stays.
    expect(seen).toEqual([maxHoldOver, maxHoldOver]);
    expect(extendedAt).toEqual([20_000, 40_000, 60_000, 80_000, 100_000]);
    expect(observer.types().filter((type) => type === 'lost')).toHaveLength(1);
    expect(clock.pendingTimers()).toBe(0);
  });

  test('F43 F41 past the deadline: nothing is released before it settles, renewals end at the deadline', async () => {
    const { clock, options, faulty, extendedAt, item } = keptLocks();
    const running = executeWithLock(() => pass(clock, 110_000), { ...options, deadline: NOW + MINUTE });
    await clock.advance(98_000);
    expect(faulty.calls.map(({ verb }) => verb)).toEqual(['acquire', 'extend', 'extend']);
    expect(await item()).toMatchObject({ state: 'held', lockUntil: NOW + 100_000 });
    await clock.advance(12_000);

    expect(await running).toMatchObject({ release: 'released' });
    expect(extendedAt).toEqual([20_000, 40_000]);
  });

  test('F43 F41 with a maxHold beyond the deadline the lock is kept until it settles', async () => {
    const { clock, options, item } = keptLocks();
    const running = executeWithLock(
      async ({ signal, assertHeld }) => {
        await pass(clock, 5 * MINUTE);
        assertHeld();
        return signal.reason;
      },
      { ...options, deadline: NOW + MINUTE, maxHold: '1h' },
    );
    await clock.advance(5 * MINUTE - 1);
    expect(await item()).toMatchObject({ state: 'held' });
    await clock.advance(1);

    expect(await running).toMatchObject({ value: deadline, release: 'released' });
  });
});
