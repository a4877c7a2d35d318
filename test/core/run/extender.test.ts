import { CorruptLockError, type LockStore, LockStoreError, type StoreCall } from 'single-execution';
import { manualClock } from 'single-execution/testing';
import { describe, expect, test, vi } from 'vitest';
import { resolvePolicy } from '../../../src/core/options/policy.js';
import type { EventBody } from '../../../src/core/public/events.js';
import { leaseExtender, startHeartbeat } from '../../../src/core/run/extender.js';
import { holdOf } from '../../../src/core/run/hold.js';
import { watchLease } from '../../../src/core/run/lease-watch.js';
import { defined } from '../../../src/core/values/defined.js';
import { pass } from '../../support/clocks.js';
import { grantOf, scriptedStore } from '../../support/scripted-store.js';

const NOW = 1_767_225_600_000;
const FOREVER = Number.POSITIVE_INFINITY;

interface Answer {
  /** So long after the request. */
  readonly afterMs?: number;
  /** For how long the server's clock vouches, counted from the request. */
  readonly capMs?: number;
  readonly error?: Error;
}

/** An extender of a lease that was sent at the instant 0, over a store that extends at once. */
function extending({ leaseMs = 60_000, capMono = FOREVER } = {}) {
  const clock = manualClock(NOW);
  const answered =
    ({ afterMs = 0, capMs, error }: Answer = {}): LockStore['extend'] =>
    async (_lease, to) => {
      const sent = { firstSentMono: clock.monotonic(), firstSentWall: clock.now() };
      if (afterMs > 0) await pass(clock, afterMs);
      if (error) throw error;
      const lockUntilMs = sent.firstSentWall + to.leaseMs;
      return { status: 'extended', lockUntilMs, ...sent, ...defined({ capMono: capMs && sent.firstSentMono + capMs }) };
    };
  const extend = vi.fn(answered());
  const asked: number[] = [];
  const store = scriptedStore({
    extend: (...args) => {
      asked.push(clock.monotonic());
      return extend(...args);
    },
  });
  const claim = { name: 'digest', attemptId: 'a1', leaseMs, lockedBy: 'me', markTickAtStart: false };
  const { lease } = grantOf(claim, { clock } as unknown as StoreCall);
  const onLost = vi.fn();
  const watch = watchLease('digest', clock, { hold: holdOf(lease, capMono), ends: [], onLost });
  const events: EventBody[] = [];
  const policy = resolvePolicy({ store, clock }, []);
  const extender = leaseExtender(lease, watch, { policy, report: (event) => events.push(event) });
  return { clock, extend, answered, asked, lease, watch, onLost, events, extender };
}

function beating(of: Parameters<typeof extending>[0] & { readonly timer?: object } = {}) {
  const { lease, ...scene } = extending(of);
  const { clock, watch, extender } = scene;
  const setTimer = (callback: () => void, ms: number) => ({
    cancel: clock.setTimer(callback, ms).cancel,
    ...of.timer,
  });
  startHeartbeat({ lease, watch, extender, limitMono: FOREVER }, { ...clock, setTimer });
  /** Timers of the heartbeat alone. */
  const timers = () => {
    watch.stop();
    return clock.pendingTimers();
  };
  return { ...scene, timers };
}

const storeError = new LockStoreError('extend of lock "digest" failed: throttled', {
  code: 'UNAVAILABLE',
  lockName: 'digest',
  operation: 'extend',
  retryable: true,
});

describe('an extension', () => {
  test('F38 holds from before its send, not from its answer', async () => {
    const { clock, extend, answered, watch, extender } = extending();
    extend.mockImplementation(answered({ afterMs: 4_000 }));
    await clock.advance(20_000);
    const extended = extender.extend(60_000);
    await clock.advance(4_000);

    expect(await extended).toBe('extended');
    expect(watch.hold?.deadlineMono).toBe(79_400);
  });

  test.each([
    ['holds no longer than that', 30_000, 'extended', 49_400],
    ['has lost the lock if that is over when it comes', 600, 'lost', 20_000],
  ] as const)("row 18: whose end the server's clock knows %s", async (_, capMs, status, deadlineMono) => {
    const { clock, extend, answered, watch, onLost, events, extender } = extending();
    extend.mockImplementation(answered({ capMs }));
    await clock.advance(20_000);

    expect(await extender.extend(60_000)).toBe(status);
    expect(watch.hold).toMatchObject({ endMono: 80_000, deadlineMono });
    expect([onLost.mock.calls.length, events.length]).toEqual(status === 'lost' ? [1, 0] : [0, 1]);
  });

  test('F34 waits for the one before it', async () => {
    const { clock, extend, answered, extender } = extending();
    extend.mockImplementation(answered({ afterMs: 2_000 }));
    const both = Promise.all([extender.extend(60_000), extender.extend(90_000)]);
    await clock.advance(1_999);
    expect(extend).toHaveBeenCalledOnce();
    await clock.advance(2_001);

    expect(await both).toEqual(['extended', 'extended']);
    expect(extend.mock.calls.map(([, { leaseMs }]) => leaseMs)).toEqual([60_000, 90_000]);
  });
});

describe('a store that fails', () => {
  const cause = new Error('socket hang up');
  const fails = (): never => {
    throw cause;
  };

  test.each<[string, LockStore['extend'], unknown]>([
    ['a raw error', () => Promise.reject(cause), cause],
    ['undefined', () => Promise.reject(undefined), undefined],
    ['an error that is thrown before any promise', fails, cause],
  ])('rejects with a LockStoreError that names the extension: %s', async (_, failing, thrown) => {
    const { extend, events, extender } = extending();
    extend.mockImplementationOnce(failing);
    const error: Error = await extender.extend(60_000).then(fails, (e) => e);

    expect(error).toMatchObject({ name: 'LockStoreError', operation: 'extend', code: 'UNAVAILABLE' });
    expect(error.cause).toBe(thrown);
    expect(events).toEqual([{ type: 'extend-failed', error }]);
  });

  test.each([storeError, new CorruptLockError('digest', 'lockUntil', 'the number 5')])(
    'passes its own errors by identity: $name',
    async (error) => {
      const { extend, events, extender } = extending();
      extend.mockRejectedValueOnce(error);

      await expect(extender.extend(60_000)).rejects.toBe(error);
      expect(events).toEqual([{ type: 'extend-failed', error }]);
    },
  );

  test('F34 does not stop the extension that waits behind it', async () => {
    const { clock, extend, answered, extender } = extending();
    extend.mockImplementationOnce(answered({ afterMs: 1_000, error: storeError }));
    const both = Promise.allSettled([extender.extend(60_000), extender.extend(60_000)]);
    await clock.advance(1_000);

    expect(await both).toEqual([
      { status: 'rejected', reason: storeError },
      { status: 'fulfilled', value: 'extended' },
    ]);
  });
});

describe('close', () => {
  test('row 33: ends the call in progress, waits for it, and does not report its failure', async () => {
    const { clock, extend, events, extender } = extending();
    extend.mockImplementationOnce(async (_lease, _to, { signal }) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      await pass(clock, 500);
      throw storeError;
    });
    const cut = extender.extend(60_000).catch((error: unknown) => error);
    await clock.advance(100);
    const closed = vi.fn();
    const closing = extender.close().then(closed);
    await clock.advance(499);
    expect(closed).not.toHaveBeenCalled();
    await clock.advance(1);
    await closing;

    expect(await cut).toBe(storeError);
    expect(events).toEqual([]);
  });

  test('F36 refuses what waits and what comes later: nothing is sent any more', async () => {
    const { clock, extend, answered, extender } = extending();
    extend.mockImplementation(answered({ afterMs: 500 }));
    const waiting = Promise.all([extender.extend(60_000), extender.extend(60_000)]);
    await clock.advance(100);
    const closing = extender.close();
    await clock.advance(400);
    await closing;

    expect(await waiting).toEqual(['extended', 'lost']);
    expect(await extender.extend(60_000)).toBe('lost');
    expect(extend).toHaveBeenCalledOnce();
  });

  test('F36 the end of the watch refuses as well', async () => {
    const { extend, watch, extender } = extending();
    watch.stop();

    expect(await extender.extend(60_000)).toBe('lost');
    expect(extend).not.toHaveBeenCalled();
  });
});

describe('row 21: renewals', () => {
  test.each([
    [60_000, [20_000, 40_000, 60_000, 80_000]],
    [3_000, [1_000, 2_000, 3_000, 4_000]],
  ])('row 21: of a lease of %i ms come after each third of it', async (leaseMs, instants) => {
    const { clock, asked } = beating({ leaseMs });
    await clock.advance((leaseMs * 4) / 3);

    expect(asked).toEqual(instants);
  });

  test('row 21: count from before the request was sent, however long the answer takes', async () => {
    const { clock, extend, answered, asked } = beating();
    extend.mockImplementation(answered({ afterMs: 4_000 }));
    await clock.advance(60_000);

    expect(asked).toEqual([20_000, 40_000, 60_000]);
  });

  test('F34 never overlap: a slow answer holds up the next one', async () => {
    const { clock, extend, answered, asked } = beating();
    extend.mockImplementationOnce(answered({ afterMs: 35_000 }));
    await clock.advance(54_999);
    expect(asked).toEqual([20_000]);
    await clock.advance(50_000);

    // The third of the lease that was sent at 20 s is over when its answer comes; a tenth is waited all the same.
    expect(asked).toEqual([20_000, 61_000, 81_000, 101_000]);
  });

  test("row 18: come sooner where the server's clock ends the lease sooner, a tenth of it apart at the least", async () => {
    const { clock, extend, answered, asked } = beating({ capMono: 50_000 });
    const capped = answered({ capMs: 12_000 });
    extend.mockImplementationOnce(answered()).mockImplementationOnce(capped).mockImplementationOnce(capped);
    await clock.advance(50_000);

    expect(asked).toEqual([10_000, 30_000, 36_000, 42_000]);
  });

  test('row 24: an extension by hand puts the next one off until two thirds of a lease are left', async () => {
    const { clock, asked, extender } = beating();
    await clock.advance(5_000);
    await extender.extend(300_000);
    await clock.advance(260_000);

    expect(asked).toEqual([5_000, 265_000]);
  });

  test('F27 never keep a process alive by their timers', async () => {
    const unref = vi.fn();
    const { clock } = beating({ timer: { unref } });
    await clock.advance(20_000);

    expect(unref).toHaveBeenCalledTimes(2);
  });
});

describe('F32 a renewal that fails', () => {
  test.each([
    [60_000, [20_000, 21_000, 22_000, 42_000]],
    [3_000, [1_000, 1_300, 1_600, 2_600]],
  ])('F32 row 22: is tried again after a second, or a tenth of a lease of %i ms', async (leaseMs, instants) => {
    const { clock, extend, asked } = beating({ leaseMs });
    extend.mockRejectedValueOnce(storeError).mockRejectedValueOnce(storeError);
    await clock.advance(leaseMs * 0.95);

    expect(asked).toEqual(instants);
  });

  test('F32 is tried again until the deadline of the holder, and not after it', async () => {
    const { clock, extend, asked, timers } = beating();
    extend.mockRejectedValue(storeError);
    await clock.advance(120_000);

    expect([asked.length, asked.at(-1), timers()]).toEqual([40, 59_000, 0]);
  });

  test('F27 F32 that fails only after the lease is over leaves no timer', async () => {
    const { clock, extend, answered, timers } = beating();
    extend.mockImplementation(answered({ afterMs: 45_000, error: storeError }));
    await clock.advance(65_000);

    expect(timers()).toBe(0);
  });

  test('F33 causes no unhandled rejection', async () => {
    const unhandled = vi.fn();
    process.on('unhandledRejection', unhandled);
    const { clock, extend } = beating();
    extend.mockRejectedValue(undefined);
    await clock.advance(120_000);
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', unhandled);

    expect(unhandled).not.toHaveBeenCalled();
  });
});
