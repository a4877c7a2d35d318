import type { StoreCall } from 'single-execution';
import { manualClock } from 'single-execution/testing';
import { describe, expect, test, vi } from 'vitest';
import { type Extender, startHeartbeat } from '../../../src/core/run/extender.js';
import { holdOf } from '../../../src/core/run/hold.js';
import { watchLease } from '../../../src/core/run/lease-watch.js';
import { pass } from '../../support/pass.js';
import { grantOf } from '../../support/scripted-store.js';

const NOW = 1_767_225_600_000;
const never = Number.POSITIVE_INFINITY;

/** A heart that beats for a lease which was sent at the instant 0; `answer` is what becomes of each extension. */
function heart({ leaseMs = 60_000, untilMono = never, capMono = never, timer = {} } = {}) {
  const clock = manualClock(NOW);
  const timed = { ...clock, setTimer: (...timer: Parameters<typeof clock.setTimer>) => timerOf(...timer) };
  const timerOf = (callback: () => void, ms: number) => ({ cancel: clock.setTimer(callback, ms).cancel, ...timer });
  const sentNow = () => ({ firstSentMono: clock.monotonic(), firstSentWall: clock.now(), leaseMs, lockUntilMs: 0 });
  const watch = watchLease('digest', clock, { hold: holdOf(sentNow(), capMono), ends: [] });
  const beats: number[] = [];
  const answer = vi.fn<() => Promise<'extended' | 'lost' | 'capped'>>(async () => 'extended');
  const claim = { name: 'digest', attemptId: 'a1', leaseMs, lockedBy: 'me', markTickAtStart: false };
  const { lease } = grantOf(claim, { clock } as unknown as StoreCall);
  const extender: Pick<Extender, 'extend'> = {
    async extend() {
      if (watch.isLost()) return 'lost';
      beats.push(clock.monotonic());
      const sent = sentNow();
      const result = await answer();
      if (result === 'lost') {
        watch.lose();
        return 'lost';
      }
      watch.renew(holdOf(sent, result === 'capped' ? clock.monotonic() + 12_000 : never, watch.hold));
      return 'extended';
    },
  };
  const heartbeat = startHeartbeat({ lease, watch, extender, limitMono: untilMono }, timed);
  /** Timers of the heartbeat alone. */
  const timers = () => {
    watch.stop();
    return clock.pendingTimers();
  };
  return { clock, watch, beats, answer, heartbeat, timers };
}

describe('row 21: renewals', () => {
  test.each([
    [60_000, [20_000, 40_000, 60_000, 80_000]],
    [3_000, [1_000, 2_000, 3_000, 4_000]],
  ])('row 21: of a lease of %i ms come after each third of it', async (leaseMs, instants) => {
    const { clock, beats } = heart({ leaseMs });
    await clock.advance((leaseMs * 4) / 3);

    expect(beats).toEqual(instants);
  });

  test('row 21: count from before the request was sent, however long the answer takes', async () => {
    const { clock, beats, answer } = heart();
    answer.mockImplementation(async () => {
      await pass(clock, 4_000);
      return 'extended';
    });
    await clock.advance(60_000);

    expect(beats).toEqual([20_000, 40_000, 60_000]);
  });

  test('F34 never overlap: a slow answer holds up the next one', async () => {
    const { clock, beats, answer } = heart();
    answer.mockImplementationOnce(async () => {
      await pass(clock, 35_000);
      return 'extended';
    });
    await clock.advance(54_999);
    expect(beats).toEqual([20_000]);
    await clock.advance(50_000);

    // The third of the lease that was sent at 20 s is over when its answer comes; a tenth is waited all the same.
    expect(beats).toEqual([20_000, 61_000, 81_000, 101_000]);
  });

  test("row 18: come sooner where the server's clock ends the lease sooner, a tenth of it apart at the least", async () => {
    const { clock, beats, answer } = heart({ capMono: 50_000 });
    answer.mockResolvedValueOnce('extended').mockResolvedValueOnce('capped').mockResolvedValueOnce('capped');
    await clock.advance(50_000);

    expect(beats).toEqual([10_000, 30_000, 36_000, 42_000]);
  });

  test('row 24: an extension by hand puts the next one off until two thirds of a lease are left', async () => {
    const { clock, beats, watch } = heart();
    await clock.advance(5_000);
    watch.renew(holdOf({ firstSentMono: 5_000, firstSentWall: NOW + 5_000, leaseMs: 300_000, lockUntilMs: 0 }));
    await clock.advance(260_000);

    expect(beats).toEqual([265_000]);
  });
});

describe('F32 a renewal that fails', () => {
  test.each([
    [60_000, [20_000, 21_000, 22_000, 42_000]],
    [3_000, [1_000, 1_300, 1_600, 2_600]],
  ])('F32 row 22: is tried again after a second, or a tenth of a lease of %i ms', async (leaseMs, instants) => {
    const { clock, beats, answer } = heart({ leaseMs });
    answer.mockRejectedValueOnce(new Error('throttled')).mockRejectedValueOnce(new Error('throttled'));
    await clock.advance(leaseMs * 0.95);

    expect(beats).toEqual(instants);
  });

  test('F32 is tried again until the deadline of the holder, and not after it', async () => {
    const { clock, beats, answer, timers } = heart();
    answer.mockRejectedValue(new Error('down'));
    await clock.advance(120_000);

    expect(beats).toHaveLength(40);
    expect(beats.at(-1)).toBe(59_000);
    expect(timers()).toBe(0);
  });

  test('F27 F32 that fails only after the lease is over leaves no timer', async () => {
    const { clock, answer, timers } = heart();
    answer.mockImplementation(async () => {
      await pass(clock, 45_000);
      throw new Error('down');
    });
    await clock.advance(65_000);

    expect(timers()).toBe(0);
  });

  test('F33 causes no unhandled rejection', async () => {
    const unhandled = vi.fn();
    process.on('unhandledRejection', unhandled);
    const { clock, answer } = heart();
    answer.mockRejectedValue(undefined);
    await clock.advance(120_000);
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', unhandled);

    expect(unhandled).not.toHaveBeenCalled();
  });
});

describe('the end of all renewal', () => {
  test('row 25: a lease that is lost is never renewed again', async () => {
    const { clock, beats, answer, timers } = heart();
    answer.mockResolvedValueOnce('extended').mockResolvedValueOnce('lost');
    await clock.advance(600_000);

    expect(beats).toEqual([20_000, 40_000]);
    expect(timers()).toBe(0);
  });

  test('F39 nothing is renewed at the end of maxHold or later', async () => {
    const { clock, beats, timers } = heart({ untilMono: 60_000 });
    await clock.advance(600_000);

    expect(beats).toEqual([20_000, 40_000]);
    expect(timers()).toBe(0);
  });

  test('F27 stopped, it leaves no timer', async () => {
    const { clock, beats, heartbeat, timers } = heart();
    await clock.advance(20_000);
    heartbeat.stop();

    expect(timers()).toBe(0);
    await clock.advance(600_000);
    expect(beats).toEqual([20_000]);
  });

  test.each<[string, () => Promise<'extended'>]>([
    ['is answered', async () => 'extended'],
    ['fails', () => Promise.reject(new Error('down'))],
  ])('F27 row 33: stopped during a renewal that then %s, it sets no timer either', async (_, then) => {
    const { clock, beats, answer, heartbeat, timers } = heart();
    answer.mockImplementationOnce(async () => {
      await pass(clock, 3_000);
      return then();
    });
    await clock.advance(21_000);
    heartbeat.stop();
    await clock.advance(2_000);

    expect(timers()).toBe(0);
    expect(beats).toEqual([20_000]);
  });

  test('F27 its timers never keep a process alive', async () => {
    const unref = vi.fn();
    const { clock } = heart({ timer: { unref } });
    await clock.advance(20_000);

    expect(unref).toHaveBeenCalledTimes(2);
  });
});
