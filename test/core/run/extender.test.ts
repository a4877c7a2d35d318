import { CorruptLockError, type LockStore, LockStoreError, type StoreCall } from 'single-execution';
import { manualClock } from 'single-execution/testing';
import { describe, expect, test, vi } from 'vitest';
import { resolvePolicy } from '../../../src/core/options/policy.js';
import type { EventBody } from '../../../src/core/public/events.js';
import { leaseExtender } from '../../../src/core/run/extender.js';
import { holdOf } from '../../../src/core/run/hold.js';
import { watchLease } from '../../../src/core/run/lease-watch.js';
import { pass } from '../../support/pass.js';
import { grantOf, scriptedStore } from '../../support/scripted-store.js';

const NOW = 1_767_225_600_000;

/** An extender of a lease of a minute that was sent at the instant 0, over a store that answers each call late. */
function extending({ answerMs = 0, leaseMs = 60_000 } = {}) {
  const clock = manualClock(NOW);
  const calls: StoreCall[] = [];
  const extend = vi.fn<LockStore['extend']>(async (_lease, to, call) => {
    calls.push(call);
    const sent = { firstSentMono: clock.monotonic(), firstSentWall: clock.now() };
    if (answerMs > 0) await pass(clock, answerMs);
    return { status: 'extended', lockUntilMs: sent.firstSentWall + to.leaseMs, ...sent };
  });
  const policy = resolvePolicy({ store: scriptedStore({ extend }), clock, maxClockSkew: '3s' }, []);
  const claim = { name: 'digest', attemptId: 'a1', leaseMs, lockedBy: 'me', markTickAtStart: false };
  const { lease } = grantOf(claim, { clock } as unknown as StoreCall);
  const onLost = vi.fn();
  const watch = watchLease('digest', clock, { hold: holdOf(lease), ends: [], onLost });
  const events: EventBody[] = [];
  const extender = leaseExtender(lease, watch, { policy, tell: (event) => events.push(event) });
  return { clock, extend, calls, lease, watch, onLost, events, extender };
}

const storeError = new LockStoreError('extend of lock "digest" failed: throttled', {
  code: 'UNAVAILABLE',
  lockName: 'digest',
  operation: 'extend',
  retryable: true,
});

describe('an extension', () => {
  test('row 24: is requested for this lease, and prolongs the hold', async () => {
    const { clock, extend, lease, watch, events, extender } = extending();
    await clock.advance(20_000);

    expect(await extender.extend(300_000)).toBe('extended');
    expect(extend).toHaveBeenCalledExactlyOnceWith(lease, { leaseMs: 300_000 }, expect.anything());
    expect(watch.hold).toMatchObject({ endMono: 320_000, deadlineMono: 317_000, lockUntilMs: NOW + 320_000 });
    expect(events).toEqual([{ type: 'extended', fencingToken: 7, lockUntil: new Date(NOW + 320_000) }]);
  });

  test('F38 holds from before its send, not from its answer', async () => {
    const { clock, watch, extender } = extending({ answerMs: 4_000 });
    await clock.advance(20_000);
    const extended = extender.extend(60_000);
    await clock.advance(4_000);

    expect(await extended).toBe('extended');
    expect(watch.hold?.deadlineMono).toBe(79_400);
  });

  test("row 18: holds no longer than the server's clock vouches for", async () => {
    const { clock, extend, watch, extender } = extending();
    await clock.advance(20_000);
    extend.mockImplementationOnce(async () => {
      const sent = { firstSentMono: clock.monotonic(), firstSentWall: clock.now() };
      return { status: 'extended', lockUntilMs: 0, capMono: 50_000, ...sent };
    });

    expect(await extender.extend(60_000)).toBe('extended');
    expect(watch.hold).toMatchObject({ endMono: 80_000, deadlineMono: 49_400 });
  });

  test("row 18: that is over by the server's clock when it comes has lost the lock", async () => {
    const { clock, extend, onLost, events, extender } = extending();
    await clock.advance(20_000);
    extend.mockImplementationOnce(async () => {
      const sent = { firstSentMono: clock.monotonic(), firstSentWall: clock.now() };
      return { status: 'extended', lockUntilMs: 0, capMono: 20_600, ...sent };
    });

    expect(await extender.extend(60_000)).toBe('lost');
    expect([onLost.mock.calls.length, events]).toEqual([1, []]);
  });

  test.each([
    [0, 5_000],
    [54_400, 5_000],
    [57_400, 2_000],
    [59_399, 1],
  ])('at %i ms may take %i ms, for it must be answered before the deadline', async (at, budgetMs) => {
    const { clock, calls, extender } = extending();
    await clock.advance(at);
    await extender.extend(60_000);

    expect(calls[0]).toMatchObject({ clock, budgetMs, tryMs: Math.min(1_000, budgetMs / 2), maxClockSkewMs: 3_000 });
    expect(calls[0]?.signal.aborted).toBe(false);
  });

  test('F34 waits for the one before it', async () => {
    const { clock, extend, extender } = extending({ answerMs: 2_000 });
    const both = Promise.all([extender.extend(60_000), extender.extend(90_000)]);
    await clock.advance(1_999);
    expect(extend).toHaveBeenCalledOnce();
    await clock.advance(2_001);

    expect(await both).toEqual(['extended', 'extended']);
    expect(extend.mock.calls.map(([, { leaseMs }]) => leaseMs)).toEqual([60_000, 90_000]);
  });
});

describe('a store that fails', () => {
  test.each<[string, unknown, object]>([
    ['a raw error', new Error('socket hang up'), { name: 'LockStoreError', operation: 'extend', code: 'UNAVAILABLE' }],
    ['undefined', undefined, { name: 'LockStoreError', operation: 'extend', lockName: 'digest' }],
  ])('rejects with a LockStoreError that names the extension: %s', async (_, cause, error) => {
    const { extend, events, extender } = extending();
    extend.mockRejectedValueOnce(cause);

    const thrown: unknown = await extender.extend(60_000).catch((e: unknown) => e);
    expect(thrown).toMatchObject(error);
    expect((thrown as Error).cause).toBe(cause);
    expect(events).toEqual([{ type: 'extend-failed', error: expect.objectContaining(error) }]);
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

  test('or throws leaves the hold as it was, and the next extension is asked for', async () => {
    const { extend, watch, extender } = extending();
    const before = watch.hold;
    extend.mockImplementationOnce(() => {
      throw new TypeError('no client');
    });

    await expect(extender.extend(60_000)).rejects.toThrow(LockStoreError);
    expect([watch.hold, watch.isLost()]).toEqual([before, false]);
    expect(await extender.extend(60_000)).toBe('extended');
  });

  test('F34 does not stop the extension that waits behind it', async () => {
    const { clock, extend, extender } = extending();
    extend.mockImplementationOnce(async () => {
      await pass(clock, 1_000);
      throw storeError;
    });
    const both = Promise.allSettled([extender.extend(60_000), extender.extend(60_000)]);
    await clock.advance(1_000);

    expect(await both).toEqual([
      { status: 'rejected', reason: storeError },
      { status: 'fulfilled', value: 'extended' },
    ]);
  });
});

describe('a lease that is lost', () => {
  test('row 25: aborts the run at once, and no further request is sent', async () => {
    const { extend, watch, onLost, events, extender } = extending();
    extend.mockResolvedValueOnce({ status: 'lost' });

    expect(await extender.extend(60_000)).toBe('lost');
    expect([watch.isLost(), watch.signal.aborted, onLost.mock.calls.length]).toEqual([true, true, 1]);
    expect(watch.signal.reason).toMatchObject({
      name: 'LockLostError',
      message: expect.stringContaining('somebody else holds it, or an operator has freed it'),
    });
    expect(await extender.extend(60_000)).toBe('lost');
    expect(extend).toHaveBeenCalledOnce();
    expect(events).toEqual([]);
  });

  test('F30 is noticed by the clocks before anything is sent', async () => {
    const { clock, extend, extender } = extending();
    clock.suspend(60_000);

    expect(await extender.extend(60_000)).toBe('lost');
    expect(extend).not.toHaveBeenCalled();
  });

  test('F38 stays lost when an answer comes after its end', async () => {
    const { clock, watch, events, extender } = extending({ answerMs: 5_000 });
    await clock.advance(55_000);
    const late = extender.extend(60_000);
    await clock.advance(5_000);

    expect(await late).toBe('lost');
    expect([watch.isLost(), watch.hold?.endMono, events]).toEqual([true, 60_000, []]);
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
    const { clock, extend, extender } = extending({ answerMs: 500 });
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

  test('is at once when nothing is in progress, and may be asked for again', async () => {
    const { extender } = extending();
    await extender.close();

    await expect(extender.close()).resolves.toBeUndefined();
  });
});
