import {
  CorruptLockError,
  type ExecuteOptions,
  executeWithLock,
  type LockStore,
  LockStoreError,
  type LockStoreErrorCode,
} from 'single-execution';
import { compareAndSwapStore, type Storage } from 'single-execution/store';
import { manualClock, recordingObserver } from 'single-execution/testing';
import { describe, expect, test, vi } from 'vitest';
import { thisProcess } from '../../../src/core/values/environment.js';
import { pass } from '../../support/clocks.js';
import { crash, MINUTE, memoryLocks, NOW } from '../../support/memory-locks.js';
import { grantOf, scriptedStore } from '../../support/scripted-store.js';

function setting() {
  const locks = memoryLocks();
  return { ...locks, acquire: vi.spyOn(locks.store, 'acquire') };
}

// The contract of stores states who is granted a lock and which ticks are done. Here is what a call makes of it.
describe('exclusion', () => {
  test('row 1: F7 of 100 concurrent calls one runs and 99 are skipped, each after one round trip', async () => {
    const { clock, acquire, options } = setting();
    const task = vi.fn(() => pass(clock, 1_000));
    const running = Promise.all(Array.from({ length: 100 }, () => executeWithLock(task, options)));
    await clock.advance(1_000);
    const outcomes = await running;

    expect(task).toHaveBeenCalledOnce();
    expect(acquire).toHaveBeenCalledTimes(100);
    expect(outcomes.filter(({ status }) => status === 'executed')).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome.status === 'skipped' && outcome.reason === 'locked')).toHaveLength(99);
  });

  test('row 5: F51 a release after expiry leaves the successor alone, and the value reaches its caller', async () => {
    const { clock, options, item } = setting();
    const overrunning = executeWithLock(async () => {
      await pass(clock, 90_000);
      return 'A';
    }, options);
    await clock.advance(MINUTE);
    const successor = executeWithLock(async () => {
      await pass(clock, 50_000);
      return 'B';
    }, options);
    await clock.advance(0);
    const held = await item();
    await clock.advance(30_000);

    expect(await overrunning).toMatchObject({ status: 'executed', value: 'A', release: 'lost' });
    expect(await item()).toEqual(held);
    expect(held).toMatchObject({ state: 'held', fencingToken: 1_767_225_600_002, lockedAt: NOW + MINUTE });
    await clock.advance(20_000);
    expect(await successor).toMatchObject({ value: 'B', release: 'released' });
  });

  test('row 6: two calls in one process are two attempts', async () => {
    const { acquire, options } = setting();
    await executeWithLock(() => {}, options);
    await executeWithLock(() => {}, options);
    const [first, second] = acquire.mock.calls.map(([claim]) => claim);

    expect(first?.attemptId).not.toBe(second?.attemptId);
    expect(first?.lockedBy).toBe(second?.lockedBy);
  });
});

// The contract of adapters plays a second delivery of a tick.
describe('ticks', () => {
  test.each([-120_000, 120_000])('row 34: whatever the clock of the second host: %i ms off', async (skew) => {
    const { options } = setting();
    await executeWithLock(() => {}, { ...options, tick: NOW });
    const elsewhere = { ...options, clock: manualClock(NOW + skew) };

    expect(await executeWithLock(() => {}, { ...elsewhere, tick: NOW })).toMatchObject({ reason: 'already-executed' });
  });

  test('row 35: one call to the store decides about the lock and the tick', async () => {
    const { acquire, options } = setting();
    await executeWithLock(() => {}, { ...options, tick: NOW });

    expect(acquire).toHaveBeenCalledOnce();
    expect(acquire.mock.calls[0]?.[0]).toEqual({
      name: 'digest',
      attemptId: expect.stringMatching(/^a[\w-]{22}$/),
      leaseMs: 60_000,
      lockedBy: thisProcess(),
      tickMs: NOW,
      markTickAtStart: false,
    });
  });

  test("row 37: with tickMark 'start' a tick never runs again, although it crashed", async () => {
    const { clock, options } = setting();
    const tick = { ...options, tick: NOW, tickMark: 'start' as const };
    await crash(tick);

    expect(await executeWithLock(() => {}, tick)).toMatchObject({ reason: 'already-executed' });
    await clock.advance(10 * MINUTE);
    expect(await executeWithLock(() => {}, tick)).toMatchObject({ reason: 'already-executed' });
    expect(await executeWithLock(() => {}, { ...tick, tick: NOW + MINUTE })).toMatchObject({ status: 'executed' });
  });

  test('row 38: F66 F72 an older tick without a run is skipped after a newer one, and an observer gets the event', async () => {
    const { options } = setting();
    const observer = recordingObserver();
    await executeWithLock(() => {}, { ...options, tick: NOW });
    const yesterday = { ...options, tick: NOW - 86_400_000, observers: [observer] };

    expect(await executeWithLock(() => {}, yesterday)).toMatchObject({
      status: 'skipped',
      reason: 'stale-tick',
      tick: '2025-12-31T00:00:00.000Z',
    });
    expect(observer.events.at(-1)).toMatchObject({ type: 'skipped', reason: 'stale-tick' });
  });

  test('F73 a run longer than its interval: the ticks that meet it are skipped as locked, reported, and then missed', async () => {
    const { clock, options } = setting();
    const observer = recordingObserver();
    const every = { ...options, lockAtMostFor: '1h', schedule: '5m', observers: [observer] };
    const long = executeWithLock(() => pass(clock, 11 * MINUTE), { ...every, tick: NOW });
    for (const minutes of [5, 10]) {
      await clock.advance(5 * MINUTE);
      await executeWithLock(() => {}, { ...every, tick: NOW + minutes * MINUTE });
    }
    await clock.advance(5 * MINUTE);
    await long;
    const next = await executeWithLock(() => {}, { ...every, tick: NOW + 15 * MINUTE });

    expect(observer.events.filter(({ type }) => type === 'skipped')).toMatchObject([
      { reason: 'locked', tick: new Date('2026-01-01T00:05:00Z') },
      { reason: 'locked', tick: new Date('2026-01-01T00:10:00Z') },
    ]);
    expect(next).toMatchObject({
      missedTicks: [new Date('2026-01-01T00:05:00Z'), new Date('2026-01-01T00:10:00Z')],
    });
  });
});

describe('row 200: execution.doneTick', () => {
  const tickAt = (minute: number) => ({ tick: NOW + minute * MINUTE });
  const doneTickOf = async (options: ExecuteOptions) => {
    const outcome = await executeWithLock(({ doneTick }) => doneTick, options);
    return outcome.status === 'executed' ? outcome.value : outcome.reason;
  };

  test('row 200: is the newest tick that was done before the run: no failure, no crash and no own tick', async () => {
    const { clock, options, item } = setting();
    expect(await doneTickOf({ ...options, ...tickAt(1) })).toBeUndefined();
    const fail = () => Promise.reject(new Error('no database'));
    await executeWithLock(fail, { ...options, ...tickAt(2) }).catch(() => {});
    await crash({ ...options, ...tickAt(3) });
    await clock.advance(10 * MINUTE);

    expect(await doneTickOf({ ...options, ...tickAt(4) })).toEqual(new Date(NOW + MINUTE));
    expect(await doneTickOf({ ...options, ...tickAt(2) })).toEqual(new Date(NOW + 4 * MINUTE));
    expect(await doneTickOf(options)).toEqual(new Date(NOW + 4 * MINUTE));
    expect(await item()).toMatchObject({ doneTick: NOW + 4 * MINUTE });
  });

  test("row 200: with tickMark 'start' is the tick that had begun before", async () => {
    const { options } = setting();
    const atStart = { ...options, tickMark: 'start' } as const;
    await executeWithLock(() => {}, { ...atStart, ...tickAt(1) });

    expect(await doneTickOf({ ...atStart, ...tickAt(2) })).toEqual(new Date(NOW + MINUTE));
  });

  test.each(['success', 'start'] as const)(
    'F190 a lost answer to the grant makes it right or absent, with tickMark: %s',
    async (tickMark) => {
      const texts = new Map<string, string>();
      const lost = new Set<string>();
      const storage: Storage<string> = {
        async read(key) {
          const version = texts.get(key);
          return { record: version && JSON.parse(version), version, nowMs: Date.now() };
        },
        async write(key, record, version) {
          if (texts.get(key) !== version) return false;
          texts.set(key, JSON.stringify(record));
          if (lost.delete(String(record['state']))) throw new Error('lost answer');
          return true;
        },
      };
      const { clock: _, ...options } = { ...setting().options, store: compareAndSwapStore({ storage }), tickMark };
      await executeWithLock(() => {}, { ...options, ...tickAt(1) });
      lost.add('held');

      expect(await doneTickOf({ ...options, ...tickAt(2) })).toEqual(
        tickMark === 'success' ? new Date(NOW + MINUTE) : undefined,
      );
      expect(lost.size).toBe(0);
    },
  );

  test.each([7, -1, 8_640_000_000_000_001, Number.NaN])('F191 is absent if the record says %s', async (doneTickMs) => {
    const { options } = setting();
    const acquire: LockStore['acquire'] = async (claim, call) => {
      const granted = grantOf(claim, call);
      return { ...granted, lease: { ...granted.lease, doneTickMs } };
    };

    expect(await doneTickOf({ ...options, store: scriptedStore({ acquire }) })).toBeUndefined();
  });
});

describe('a store that fails', () => {
  const storeError = (code: LockStoreErrorCode) =>
    new LockStoreError('acquire of lock "digest" failed', {
      code,
      lockName: 'digest',
      operation: 'acquire',
      retryable: code === 'UNAVAILABLE',
    });
  const failing = (error: unknown) => ({
    ...setting().options,
    store: scriptedStore({ acquire: () => Promise.reject(error) }),
  });
  const cause = new Error('socket hang up');
  const fails = (): never => {
    throw cause;
  };

  test.each<[string, LockStore['acquire'], unknown]>([
    ['rejected with a raw error', () => Promise.reject(cause), cause],
    ['rejected with undefined', () => Promise.reject(undefined), undefined],
    ['threw before it returned a promise', fails, cause],
  ])('row 50: is never reported as locked: it %s', async (_, acquire, thrown) => {
    const options = { ...setting().options, store: scriptedStore({ acquire }) };
    const error: Error = await executeWithLock(() => {}, options).then(fails, (e) => e);

    expect(error).toBeInstanceOf(LockStoreError);
    expect(error).toMatchObject({ code: 'UNAVAILABLE', lockName: 'digest', operation: 'acquire', retryable: true });
    expect(error.cause).toBe(thrown);
  });

  test('row 50: its own error passes by identity', async () => {
    const error = storeError('UNAVAILABLE');

    await expect(executeWithLock(() => {}, failing(error))).rejects.toBe(error);
  });

  const always: unknown[] = [
    ...(['ACCESS_DENIED', 'TABLE_NOT_FOUND', 'KEY_SCHEMA', 'INVALID_NAME', 'INVALID_REQUEST'] as const).map(storeError),
    ...(['CLOCK_SKEW', 'LATE'] as const).map(storeError),
    new CorruptLockError('digest', 'lockUntil', 'the number 5'),
  ];

  test.each(
    always.flatMap((error) => (['skip', 'run', 'throw'] as const).map((onStoreError) => ({ error, onStoreError }))),
  )(
    "row 51: F16 an error that an operator must fix is thrown whatever onStoreError is: '$onStoreError', $error.code",
    async ({ error, onStoreError }) => {
      const task = vi.fn();

      await expect(executeWithLock(task, { ...failing(error), onStoreError })).rejects.toBe(error);
      expect(task).not.toHaveBeenCalled();
    },
  );

  test.each(['skip', 'run'] as const)(
    "row 51: a held lock is not a failure of the store: onStoreError '%s' has no effect",
    async (onStoreError) => {
      const { options } = setting();
      await crash(options);

      expect(await executeWithLock(() => {}, { ...options, onStoreError })).toMatchObject({ reason: 'locked' });
    },
  );
});

describe('row 17: a local clock that is wrong', () => {
  const skewed = (minMs: number, maxMs: number) => {
    const observer = recordingObserver();
    const store = scriptedStore({
      acquire: async (claim, call) => ({ ...grantOf(claim, call), clock: { minMs, maxMs } }),
    });
    return { observer, options: { ...setting().options, store, observers: [observer] } };
  };

  test.each([
    [29_900, 30_950, 30_425],
    [-31_000, -29_900, -30_450],
    [1_001, 2_000, 1_501],
  ])('row 17: is reported with its likeliest offset: between %i and %i ms', async (minMs, maxMs, clockSkewMs) => {
    const { observer, options } = skewed(minMs, maxMs);

    expect(await executeWithLock(() => {}, options)).toMatchObject({ status: 'executed', clockSkewMs });
    expect(observer.events.find(({ type }) => type === 'clock-skew')).toMatchObject({ minMs, maxMs });
  });

  test.each([
    [1_000, 2_000],
    [-2_000, -1_000],
    [-500, 500],
    [-90_000, 90_000],
  ])('row 17: is not reported while it may be right: between %i and %i ms', async (minMs, maxMs) => {
    const { observer, options } = skewed(minMs, maxMs);

    expect(await executeWithLock(() => {}, options)).not.toHaveProperty('clockSkewMs');
    expect(observer.types()).not.toContain('clock-skew');
  });

  test('row 17: is reported by a skipped call as well', async () => {
    const observer = recordingObserver();
    const store = scriptedStore({
      acquire: async () => ({ status: 'refused', reason: 'locked', clock: { minMs: 5_000, maxMs: 6_000 } }),
    });
    const outcome = await executeWithLock(() => {}, { ...setting().options, store, observers: [observer] });

    expect(outcome).toEqual({ status: 'skipped', name: 'digest', reason: 'locked' });
    expect(observer.types()).toEqual(['attempted', 'clock-skew', 'skipped']);
  });
});
