import { DeadlineError, LockLostError } from 'single-execution';
import { manualClock } from 'single-execution/testing';
import { describe, expect, test, vi } from 'vitest';
import { watchLease } from '../../src/core/lease-watch.js';
import { holdUntil, NOW } from '../support/held-until.js';

const hold = holdUntil(59_400);
const endAt = (atMono: number) => [{ atMono, code: 'DEADLINE' as const }];
const lostReason = new LockLostError('digest', 'its lease is over');
const deadlineReason = new DeadlineError('digest', 'DEADLINE', 'the platform ends it soon');

describe('the holder’s deadline', () => {
  test('row 25: aborts with a LockLostError at the deadline, not before', async () => {
    const clock = manualClock(NOW);
    const onLost = vi.fn();
    const watch = watchLease('digest', clock, { hold, ends: [], onLost });

    await clock.advance(59_399);
    expect([watch.signal.aborted, watch.isLost(), onLost.mock.calls.length]).toEqual([false, false, 0]);
    await clock.advance(1);
    expect([watch.signal.aborted, watch.isLost(), onLost.mock.calls.length]).toEqual([true, true, 1]);
    expect(watch.signal.reason).toEqual(lostReason);
    expect(clock.pendingTimers()).toBe(0);
  });

  test('row 19: a host that slept past the lease finds out at the first look after it woke', async () => {
    const clock = manualClock(NOW);
    const watch = watchLease('digest', clock, { hold, ends: [] });
    await clock.advance(500);
    clock.suspend(58_900);

    expect(watch.signal.aborted).toBe(false);
    expect(watch.isLost()).toBe(true);
    expect(watch.signal.reason).toEqual(lostReason);
  });

  test('row 19: without being asked, within a second of waking', async () => {
    const clock = manualClock(NOW);
    const watch = watchLease('digest', clock, { hold, ends: [] });
    await clock.advance(500);
    clock.suspend(3_600_000);
    await clock.advance(500);

    expect(watch.signal.reason).toEqual(lostReason);
  });

  test('F26 a process that was stopped past its lease is told at its first timer', async () => {
    const clock = manualClock(NOW);
    const timers: (() => void)[] = [];
    let monotonic = 0;
    const stopped = {
      now: () => NOW + monotonic,
      monotonic: () => monotonic,
      setTimer(callback: () => void) {
        timers.push(callback);
        return { cancel() {}, unref() {} };
      },
    };
    const watch = watchLease('digest', stopped, { hold, ends: [] });
    await clock.advance(0);
    monotonic = 3_600_000;
    timers.shift()?.();

    expect(watch.signal.reason).toEqual(lostReason);
    expect(timers).toEqual([]);
  });

  test('F28 a wall clock that steps back during the run moves nothing', async () => {
    const clock = manualClock(NOW);
    const watch = watchLease('digest', clock, { hold, ends: [] });
    await clock.advance(1_000);
    clock.stepWall(-7_200_000);

    await clock.advance(58_399);
    expect(watch.isLost()).toBe(false);
    await clock.advance(1);
    expect(watch.isLost()).toBe(true);
  });

  test('F29 a wall clock that steps forward past the lease ends the run early', async () => {
    const clock = manualClock(NOW);
    const watch = watchLease('digest', clock, { hold, ends: [] });
    clock.stepWall(3_600_000);
    await clock.advance(1_000);

    expect(watch.signal.reason).toEqual(lostReason);
  });

  test('a lease that is over from the start is lost at once, and no timer is set', () => {
    const clock = manualClock(NOW);
    const onLost = vi.fn();
    const watch = watchLease('digest', clock, { hold: holdUntil(0), ends: [], onLost });

    expect([watch.isLost(), onLost.mock.calls.length, clock.pendingTimers()]).toEqual([true, 1, 0]);
  });
});

describe('the platform’s deadline', () => {
  test('row 26: aborts with a DeadlineError, and the lock is not lost by it', async () => {
    const clock = manualClock(NOW);
    const watch = watchLease('digest', clock, { hold, ends: endAt(2_700.5) });

    await clock.advance(2_700);
    expect(watch.signal.aborted).toBe(false);
    await clock.advance(1);
    expect(watch.signal.reason).toEqual(deadlineReason);
    expect(watch.isLost()).toBe(false);
  });

  test('the first reason stays; a lease that ends after it is lost all the same', async () => {
    const clock = manualClock(NOW);
    const onLost = vi.fn();
    const watch = watchLease('digest', clock, { hold, ends: endAt(2_700), onLost });
    await clock.advance(59_400);

    expect(watch.signal.reason).toEqual(deadlineReason);
    expect([watch.isLost(), onLost.mock.calls.length, clock.pendingTimers()]).toEqual([true, 1, 0]);
  });

  test('when both are over, the lock is lost', () => {
    const clock = manualClock(NOW);
    const watch = watchLease('digest', clock, { hold: holdUntil(0), ends: endAt(0) });

    expect(watch.signal.reason).toEqual(lostReason);
  });

  test('is watched alone where there is no lease', async () => {
    const clock = manualClock(NOW);
    const watch = watchLease('digest', clock, { ends: endAt(2_700) });
    await clock.advance(2_700);

    expect([watch.signal.reason, watch.isLost(), clock.pendingTimers()]).toEqual([deadlineReason, false, 0]);
  });

  test('without any deadline nothing is watched', () => {
    const clock = manualClock(NOW);
    const watch = watchLease('digest', clock, { ends: [] });

    expect([watch.signal.aborted, clock.pendingTimers()]).toEqual([false, 0]);
  });
});

describe('stop', () => {
  test('F27 leaves no timer that could fire in a later invocation, and the signal never aborts any more', async () => {
    const clock = manualClock(NOW);
    const onLost = vi.fn();
    const watch = watchLease('digest', clock, { hold, ends: endAt(2_700), onLost });
    await clock.advance(1_500);
    watch.stop();

    expect([watch.isStopped(), clock.pendingTimers()]).toEqual([true, 0]);
    for (const ms of [10_000, 3_600_000]) {
      await clock.advance(ms);
      expect([watch.isLost(), watch.signal.aborted, onLost.mock.calls.length]).toEqual([false, false, 0]);
    }
  });

  test('a lost lease stays lost', async () => {
    const clock = manualClock(NOW);
    const watch = watchLease('digest', clock, { hold, ends: [] });
    await clock.advance(60_000);
    watch.stop();

    expect(watch.isLost()).toBe(true);
  });
});

test('F27 a timer of the watch never keeps a process alive', () => {
  const unref = vi.fn();
  const clock = { ...manualClock(NOW), setTimer: () => ({ cancel() {}, unref }) };
  watchLease('digest', clock, { hold, ends: [] });

  expect(unref).toHaveBeenCalledOnce();
});
