import { EventEmitter, once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
import { type Clock, DeadlineError, LockLostError } from 'single-execution';
import { manualClock } from 'single-execution/testing';
import { describe, expect, test, vi } from 'vitest';
import { type LeaseWatch, type WatchedTime, watchLease } from '../../../src/core/run/lease-watch.js';
import { holdUntil, NOW } from '../../support/held-until.js';

const hold = holdUntil(59_400);
const endAt = (atMono: number) => [{ atMono, code: 'DEADLINE' as const }];
const lostReason = new LockLostError('digest', 'its lease is over');
const deadlineReason = new DeadlineError('digest', 'DEADLINE', 'the platform ends it soon');

/** A watch, and what the listeners of its signal were told: they make it look at no clock. */
function listenedTo(clock: Clock, time: WatchedTime): { readonly watch: LeaseWatch; readonly heard: unknown[] } {
  const watch = watchLease('digest', clock, time);
  const heard: unknown[] = [];
  watch.signal.addEventListener('abort', () => heard.push(watch.signal.reason));
  return { watch, heard };
}

/** A clock on which an hour passes before any timer fires, as in a process that was stopped. */
function stoppableClock(): Clock & { stopForAnHour(): void; readonly timers: (() => void)[] } {
  let monotonic = 0;
  const timers: (() => void)[] = [];
  return {
    now: () => NOW + monotonic,
    monotonic: () => monotonic,
    setTimer(callback) {
      timers.push(callback);
      return { cancel() {}, unref() {} };
    },
    stopForAnHour() {
      monotonic += 3_600_000;
    },
    timers,
  };
}

describe('the holder’s deadline', () => {
  test('row 25: aborts with a LockLostError at the deadline, not before', async () => {
    const clock = manualClock(NOW);
    const onLost = vi.fn();
    const { heard } = listenedTo(clock, { hold, ends: [], onLost });

    await clock.advance(59_399);
    expect([heard, onLost.mock.calls.length]).toEqual([[], 0]);
    await clock.advance(1);
    expect([heard, onLost.mock.calls.length]).toEqual([[lostReason], 1]);
    expect(clock.pendingTimers()).toBe(0);
  });

  test('row 19: a host that slept past the lease notices it when the signal is read', async () => {
    const clock = manualClock(NOW);
    const watch = watchLease('digest', clock, { hold, ends: [] });
    await clock.advance(500);
    clock.suspend(58_900);

    expect(watch.isLost()).toBe(true);
    expect(watch.signal.reason).toEqual(lostReason);
  });

  test('row 19: and otherwise within a second of waking', async () => {
    const clock = manualClock(NOW);
    const { heard } = listenedTo(clock, { hold, ends: [] });
    await clock.advance(500);
    clock.suspend(3_600_000);
    await clock.advance(500);

    expect(heard).toEqual([lostReason]);
  });

  test('F26 a process that was stopped past its lease notices at its first timer', () => {
    const clock = stoppableClock();
    const { heard } = listenedTo(clock, { hold, ends: [] });
    clock.stopForAnHour();
    clock.timers.shift()?.();

    expect([heard, clock.timers]).toEqual([[lostReason], []]);
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
    const { heard } = listenedTo(clock, { hold, ends: [] });
    clock.stepWall(3_600_000);
    await clock.advance(1_000);

    expect(heard).toEqual([lostReason]);
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
    const { watch, heard } = listenedTo(clock, { hold, ends: endAt(2_700.5) });

    await clock.advance(2_700);
    expect(heard).toEqual([]);
    await clock.advance(1);
    expect(heard).toEqual([deadlineReason]);
    expect(watch.isLost()).toBe(false);
  });

  test('the first reason stays; a lease that ends after it is lost all the same', async () => {
    const clock = manualClock(NOW);
    const onLost = vi.fn();
    const { watch, heard } = listenedTo(clock, { hold, ends: endAt(2_700), onLost });
    await clock.advance(59_400);

    expect([heard, onLost.mock.calls.length, clock.pendingTimers()]).toEqual([[deadlineReason], 1, 0]);
    expect([watch.signal.reason, watch.isLost()]).toEqual([deadlineReason, true]);
  });

  test('when both are over, the lock is lost', () => {
    const clock = manualClock(NOW);
    const watch = watchLease('digest', clock, { hold: holdUntil(0), ends: endAt(0) });

    expect(watch.signal.reason).toEqual(lostReason);
  });

  test('is watched alone where there is no lease', async () => {
    const clock = manualClock(NOW);
    const { watch, heard } = listenedTo(clock, { ends: endAt(2_700) });
    await clock.advance(2_700);

    expect([heard, watch.isLost(), clock.pendingTimers()]).toEqual([[deadlineReason], false, 0]);
  });

  test('without any deadline nothing is watched', () => {
    const clock = manualClock(NOW);
    const watch = watchLease('digest', clock, { ends: [] });

    expect([watch.signal.aborted, clock.pendingTimers()]).toEqual([false, 0]);
  });
});

describe('asked before any timer has fired, as after a stop of the process', () => {
  const ways: Readonly<Record<string, (signal: AbortSignal) => unknown>> = {
    aborted: (signal) => signal.aborted && signal.reason,
    reason: (signal) => signal.reason,
    throwIfAborted(signal) {
      try {
        return signal.throwIfAborted();
      } catch (reason) {
        return reason;
      }
    },
    'AbortSignal.any': (signal) => AbortSignal.any([signal]).reason,
    'new Request': (signal) => new Request('http://127.0.0.1/', { signal }).signal.reason,
    fetch: (signal) => fetch('http://127.0.0.1:9/', { signal }).catch((reason) => reason),
    'timers/promises': (signal) => sleep(1, undefined, { signal }).catch(({ cause }) => cause),
    'events.once'(signal) {
      const emitter = new EventEmitter();
      setImmediate(() => emitter.emit('event'));
      return once(emitter, 'event', { signal }).catch(({ cause }) => cause);
    },
  };

  test.each(Object.entries(ways))('the signal knows that the lease is over: %s', async (_way, ask) => {
    const clock = stoppableClock();
    const onLost = vi.fn();
    const { watch, heard } = listenedTo(clock, { hold, ends: [], onLost });
    expect(watch.signal.aborted).toBe(false);
    clock.stopForAnHour();

    expect(await ask(watch.signal)).toEqual(lostReason);
    expect([heard, onLost.mock.calls.length]).toEqual([[lostReason], 1]);
  });

  test.each(Object.entries(ways))('the signal knows that the platform’s deadline is over: %s', async (_way, ask) => {
    const clock = stoppableClock();
    const { watch, heard } = listenedTo(clock, { ends: endAt(2_700) });
    expect(watch.signal.aborted).toBe(false);
    clock.stopForAnHour();

    expect(await ask(watch.signal)).toEqual(deadlineReason);
    expect(heard).toEqual([deadlineReason]);
  });

  test('a process that is asked to end learns first that it has lost its lock', () => {
    const clock = stoppableClock();
    const shutdown = new AbortController();
    const { heard } = listenedTo(clock, { hold, ends: [], shutdown: shutdown.signal });
    clock.stopForAnHour();
    shutdown.abort();

    expect(heard).toEqual([lostReason]);
  });

  test('the signal looks like any other from outside', () => {
    const { signal } = watchLease('digest', stoppableClock(), { hold, ends: [] });

    expect(signal).toBeInstanceOf(AbortSignal);
    expect([Object.keys(signal), inspect(signal)]).toEqual([[], 'AbortSignal { aborted: false }']);
  });
});

describe('stop', () => {
  test('a lease that is over when the watch ends is reported as lost, though no timer has fired', () => {
    const clock = stoppableClock();
    const onLost = vi.fn();
    const { watch, heard } = listenedTo(clock, { hold, ends: [], onLost });
    clock.stopForAnHour();
    watch.stop();

    expect([heard, onLost.mock.calls.length, watch.isLost()]).toEqual([[lostReason], 1, true]);
  });

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
