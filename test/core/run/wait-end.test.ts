import { type ExecuteOptions, executeWithLock, type LockStore } from 'single-execution';
import { faultyStore } from 'single-execution/testing';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { resolvePolicy } from '../../../src/core/options/policy.js';
import { run } from '../../../src/core/run/engine.js';
import { pass } from '../../support/clocks.js';
import { crash, MINUTE, memoryLocks, NOW } from '../../support/memory-locks.js';
import { scriptedStore } from '../../support/scripted-store.js';
import { refusingLocks, waitingLocks } from './waiting-locks.js';

afterEach(() => {
  vi.restoreAllMocks();
});

describe('row 10: wait ends at once if waiting cannot help', () => {
  test.each(['paused', 'stale-tick'] as const)('row 10: %s skips at once', async (reason) => {
    const { asked, options, observer } = refusingLocks(reason);

    expect(await executeWithLock(() => {}, { ...options, wait: '20s' })).toMatchObject({ reason });
    expect(asked).toEqual([0]);
    expect(observer.types()).toEqual(['attempted', 'skipped']);
  });

  test('row 34: a tick that is done meanwhile is skipped as already-executed', async () => {
    const { clock, held, options, observer } = waitingLocks();
    const task = vi.fn();
    void executeWithLock(() => pass(clock, 3_000), { ...held, tick: NOW });
    const waiter = executeWithLock(task, { ...options, tick: NOW });
    await clock.advance(4_000);

    expect(await waiter).toMatchObject({ status: 'skipped', reason: 'already-executed' });
    expect(task).not.toHaveBeenCalled();
    expect(observer.types().filter((type) => type === 'skipped')).toHaveLength(1);
  });

  test('row 39: a run that waited has the ticks missed before it, as of its own grant', async () => {
    const { clock, held, options } = waitingLocks();
    await executeWithLock(() => {}, { ...held, tick: NOW });
    const every = { schedule: '1m', lockAtMostFor: '10m' };
    void executeWithLock(() => pass(clock, 3_000), { ...held, ...every, tick: NOW + 2 * MINUTE });
    const waiter = executeWithLock(() => {}, { ...options, ...every, tick: NOW + 4 * MINUTE });
    await clock.advance(4_000);

    expect(await waiter).toMatchObject({ missedTicks: [new Date(NOW + 3 * MINUTE)] });
  });

  test.each(['run', 'skip'] as const)(
    "row 51: with onStoreError '%s' a store that falls silent meanwhile does not make a held lock free",
    async (onStoreError) => {
      const { clock, store, options } = memoryLocks();
      const faulty = faultyStore(store, { acquire: ['none', 'none', 'none', 'lose-request'] });
      const waiting = { ...options, store: faulty, wait: '1500ms' };
      await crash(waiting);
      const task = vi.fn();
      const waiter = executeWithLock(task, { ...waiting, onStoreError });
      await clock.advance(10_000);

      expect(await waiter).toMatchObject({ status: 'skipped', reason: 'locked' });
      expect(task).not.toHaveBeenCalled();
      expect(faulty.calls.filter(({ fault }) => fault === 'lose-request')).toHaveLength(1);
    },
  );

  test.each([
    ['run', { status: 'executed', value: NOW + 2 }],
    ['skip', { status: 'executed', value: NOW + 2 }],
    ['throw', { name: 'LockStoreError', code: 'UNAVAILABLE' }],
  ] as const)(
    "row 51: with onStoreError '%s' and time left, a store that fails once meanwhile",
    async (onStoreError, end) => {
      const { clock, store, options } = memoryLocks();
      const faulty = faultyStore(store, { acquire: ['none', 'none', new Error('down')] });
      const waiting = { ...options, store: faulty, lockAtMostFor: '5s', wait: '20s' };
      await crash(waiting);
      const waiter = executeWithLock(({ fencingToken }) => fencingToken, { ...waiting, onStoreError });
      const ended = waiter.catch((error: unknown) => error);
      await clock.advance(20_000);

      expect(await ended).toMatchObject(end);
    },
  );

  test('row 50: a store that fails throws at once', async () => {
    const { options } = memoryLocks();
    const acquire = vi.fn<LockStore['acquire']>(() => Promise.reject(new Error('down')));
    const failing = { ...options, store: scriptedStore({ acquire }), wait: '20s' };

    await expect(executeWithLock(() => {}, failing)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(acquire).toHaveBeenCalledOnce();
  });
});

describe('row 10: wait and the deadline of the platform', () => {
  const asking = async (over: Partial<ExecuteOptions>, answerMs = 0) => {
    const { clock, asked, options } = refusingLocks('locked', answerMs);
    const waiter = executeWithLock(() => {}, { ...options, wait: '1h', ...over });
    await clock.advance(2 * MINUTE);
    expect(await waiter).toMatchObject({ status: 'skipped', reason: 'locked' });
    return asked;
  };

  test.each<[string, Partial<ExecuteOptions>, number]>([
    ['the deadline, less the grace period of a second', { deadline: NOW + MINUTE }, 59_000],
    ['the deadline, less a tenth of a short time', { deadline: NOW + 3_000 }, 2_700],
    ['the deadline, less the grace period that is asked for', { deadline: NOW + MINUTE, gracePeriod: '20s' }, 40_000],
    ['its own time, when that is shorter', { deadline: NOW + MINUTE, wait: '10s' }, 10_000],
  ])('row 10: no request is sent after %s', async (_, over, end) => {
    const asked = await asking(over);

    expect(Math.max(...asked)).toBeLessThan(end);
    expect(Math.max(...asked)).toBeGreaterThan(end - 500);
  });

  test('row 10: and none even if the answers take long', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0);
    const asked = await asking({ wait: '2s' }, 800);

    expect(asked).toEqual([0, 900, 1_800]);
  });

  test('row 10: a deadline that is too near for any wait leaves one try', async () => {
    expect(await asking({ deadline: NOW + 100 })).toEqual([0]);
    expect(await asking({ deadline: NOW - 5_000 })).toEqual([0]);
  });
});

test('row 31: a process that is asked to end ends the wait at once, sends no further request, and runs nothing', async () => {
  const { clock, options, observer, asked } = refusingLocks('locked');
  const { name, ...lockOptions } = options;
  const policy = resolvePolicy({ ...lockOptions, wait: '20s' }, []);
  const shutdown = new AbortController();
  const order = { name, lockedBy: 'me', leaseMs: MINUTE, shutdown: shutdown.signal };
  const task = vi.fn();
  const ended = expect(run(task, order, policy)).rejects.toMatchObject({ name: 'RunEndedError', code: 'SHUTDOWN' });
  await clock.advance(5_000);
  const before = asked.length;
  shutdown.abort();
  await ended;

  expect([asked.length, clock.pendingTimers()]).toEqual([before, 0]);
  expect(task).not.toHaveBeenCalled();
  expect(observer.types()).toEqual(['attempted', 'acquire-failed']);
  expect(observer.events.at(-1)).toMatchObject({ error: { code: 'SHUTDOWN' }, next: 'throw' });
});

test('an unreadable tick is reported once, however often is asked', async () => {
  const { clock, options, observer } = refusingLocks('locked');
  const { name, ...lockOptions } = options;
  const order = { name, lockedBy: 'me', leaseMs: MINUTE, unreadableTick: "'soon'" };
  const waiter = run(() => {}, order, resolvePolicy({ ...lockOptions, wait: '5s' }, []));
  await clock.advance(5_000);
  await waiter;

  expect(observer.types().filter((type) => type === 'tick-unreadable')).toHaveLength(1);
  expect(observer.types()[0]).toBe('tick-unreadable');
});
