import { EventEmitter, once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
import { type Clock, LockLostError, RunEndedError } from 'single-execution';
import { manualClock } from 'single-execution/testing';
import { describe, expect, test, vi } from 'vitest';
import type { RunEnd } from '../../../src/core/run/deadlines.js';
import type { Hold } from '../../../src/core/run/hold.js';
import { type WatchedTime, watchLease } from '../../../src/core/run/lease-watch.js';

const NOW = 1_767_225_600_000;
const sent = { firstSentMono: 0, firstSentWall: NOW };

/** The hold of a one-minute lease, which the holder must not use after the monotonic instant `deadlineMono`. */
const holdUntil = (deadlineMono: number): Hold => ({
  deadlineMono,
  endMono: deadlineMono + 600,
  guardMs: 600,
  endSent: sent,
  capMono: Number.POSITIVE_INFINITY,
  capSent: sent,
  lockUntilMs: NOW + 60_000,
});

const hold = holdUntil(59_400);
const endAt = (atMono: number, code: RunEnd['code'] = 'DEADLINE') => [{ atMono, code }];
const lostReason = new LockLostError('digest', 'its lease is over');
const deadlineReason = new RunEndedError('digest', 'DEADLINE', 'the platform ends it soon');

/** A watch on that clock, and what the listeners of its signal heard: they make it look at no clock. */
function watchOn<C extends Clock>(clock: C, time: WatchedTime = { hold, ends: [] }) {
  const onLost = vi.fn();
  const watch = watchLease('digest', clock, { onLost, ...time });
  const heard: unknown[] = [];
  watch.signal.addEventListener('abort', () => heard.push(watch.signal.reason));
  return { clock, watch, heard, onLost };
}

/** A watch on a clock that the test turns. */
const watching = (time?: WatchedTime) => watchOn(manualClock(NOW), time);

/** A clock on which an hour passes before any timer fires, as in a process that was stopped. */
function stoppableClock() {
  let monotonic = 0;
  const timers: (() => void)[] = [];
  return {
    now: () => NOW + monotonic,
    monotonic: () => monotonic,
    setTimer(callback: () => void) {
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
    const { clock, heard, onLost } = watching();

    await clock.advance(59_399);
    expect([heard, onLost.mock.calls.length]).toEqual([[], 0]);
    await clock.advance(1);
    expect([heard, onLost.mock.calls.length]).toEqual([[lostReason], 1]);
    expect(clock.pendingTimers()).toBe(0);
  });

  test('row 19: a host that slept past the lease notices it when the signal is read', async () => {
    const { clock, watch } = watching();
    await clock.advance(500);
    clock.suspend(58_900);

    expect(watch.isLost()).toBe(true);
    expect(watch.signal.reason).toEqual(lostReason);
  });

  test('row 19: and otherwise within a second of waking', async () => {
    const { clock, heard } = watching();
    await clock.advance(500);
    clock.suspend(3_600_000);
    await clock.advance(500);

    expect(heard).toEqual([lostReason]);
  });

  test('F26 a process that was stopped past its lease notices at its first timer', () => {
    const { clock, heard } = watchOn(stoppableClock());
    clock.stopForAnHour();
    clock.timers.shift()?.();

    expect([heard, clock.timers]).toEqual([[lostReason], []]);
  });

  test('a lease that is over from the start is lost at once, and no timer is set', () => {
    const { clock, watch, onLost } = watching({ hold: holdUntil(0), ends: [] });

    expect([watch.isLost(), onLost.mock.calls.length, clock.pendingTimers()]).toEqual([true, 1, 0]);
  });

  test('is lost also where nobody is to be told', () => {
    expect(watchLease('digest', manualClock(NOW), { hold: holdUntil(0), ends: [] }).isLost()).toBe(true);
  });
});

describe('the platform’s deadline', () => {
  test('row 26: aborts with a RunEndedError, and the lock is not lost by it', async () => {
    const { clock, watch, heard } = watching({ hold, ends: endAt(2_700.5) });

    await clock.advance(2_700);
    expect(heard).toEqual([]);
    await clock.advance(1);
    expect(heard).toEqual([deadlineReason]);
    expect(watch.isLost()).toBe(false);
  });

  test('the first reason stays; a lease that ends after it is lost all the same', async () => {
    const { clock, watch, heard, onLost } = watching({ hold, ends: endAt(2_700) });
    await clock.advance(59_400);

    expect([heard, onLost.mock.calls.length, clock.pendingTimers()]).toEqual([[deadlineReason], 1, 0]);
    expect([watch.signal.reason, watch.isLost()]).toEqual([deadlineReason, true]);
  });

  test('when both are over, the lock is lost', () => {
    const { watch } = watching({ hold: holdUntil(0), ends: endAt(0) });

    expect(watch.signal.reason).toEqual(lostReason);
  });

  test('is watched alone where there is no lease', async () => {
    const { clock, watch, heard } = watching({ ends: endAt(2_700) });
    await clock.advance(2_700);

    expect([heard, watch.isLost(), clock.pendingTimers()]).toEqual([[deadlineReason], false, 0]);
  });

  test('without any deadline nothing is watched', () => {
    const { clock, watch } = watching({ ends: [] });

    expect([watch.signal.aborted, clock.pendingTimers()]).toEqual([false, 0]);
  });

  test.each<[string, number, number, string]>([
    ['the deadline, when it comes first', 2_000, 3_000, 'DEADLINE'],
    ['maxHold, when it comes first', 3_000, 2_000, 'MAX_HOLD'],
    ['the first that is named, when they come together', 2_000, 2_000, 'DEADLINE'],
  ])('row 23: of several ends the signal tells %s', async (_, deadline, limit, code) => {
    const { clock, watch } = watching({ hold, ends: [...endAt(deadline), ...endAt(limit, 'MAX_HOLD')] });
    await clock.advance(1_999);
    expect(watch.signal.aborted).toBe(false);
    await clock.advance(1);

    expect(watch.signal.reason).toMatchObject({ name: 'RunEndedError', code });
    await clock.advance(2_000);
    expect(watch.signal.reason).toMatchObject({ code });
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

  const lease = { time: { hold, ends: [] }, over: lostReason };
  const platform = { time: { ends: endAt(2_700) }, over: deadlineReason };

  test.each(Object.entries(ways))('the signal knows that the lease, or the time, is over: %s', async (_way, ask) => {
    for (const { time, over } of [lease, platform]) {
      const { clock, watch, heard } = watchOn(stoppableClock(), time);
      expect(watch.signal.aborted).toBe(false);
      clock.stopForAnHour();

      expect(await ask(watch.signal)).toEqual(over);
      expect(heard).toEqual([over]);
    }
  });

  test('a process that is asked to end learns first that it has lost its lock', () => {
    const shutdown = new AbortController();
    const { clock, heard } = watchOn(stoppableClock(), { hold, ends: [], shutdown: shutdown.signal });
    clock.stopForAnHour();
    shutdown.abort();

    expect(heard).toEqual([lostReason]);
  });

  test('a process that was asked to end before has a signal that says so from the start', () => {
    const { signal } = watching({ hold, ends: [], shutdown: AbortSignal.abort() }).watch;

    expect(signal.reason).toMatchObject({ name: 'RunEndedError', code: 'SHUTDOWN' });
  });

  test('the signal looks like any other from outside', () => {
    const { signal } = watching().watch;

    expect(signal).toBeInstanceOf(AbortSignal);
    expect([Object.keys(signal), inspect(signal)]).toEqual([[], 'AbortSignal { aborted: false }']);
  });
});

describe('renew', () => {
  const later = { ...holdUntil(99_400), firstSentMono: 40_000, firstSentWall: NOW + 40_000, endMono: 100_000 };

  test('row 24: moves the deadline, with one timer at a time', async () => {
    const { clock, watch } = watching();
    await clock.advance(40_000);
    watch.renew(later);
    expect([watch.hold, clock.pendingTimers()]).toEqual([later, 1]);

    await clock.advance(59_399);
    expect(watch.isLost()).toBe(false);
    await clock.advance(1);
    expect(watch.signal.reason).toEqual(lostReason);
  });

  test('row 18: to a hold that is over already loses the lock at once', () => {
    const { clock, watch, onLost } = watching();
    watch.renew(holdUntil(0));

    expect([watch.signal.reason, onLost.mock.calls.length, clock.pendingTimers()]).toEqual([lostReason, 1, 0]);
  });

  test('F26 F30 after the end of the old hold, seen only now, brings nothing back', async () => {
    const { clock, watch } = watching();
    await clock.advance(40_000);
    clock.suspend(30_000);
    watch.renew(later);

    expect([watch.hold, watch.isLost(), watch.signal.reason]).toEqual([hold, true, lostReason]);
  });

  test('F27 F36 after the end of the watch changes nothing and sets no timer', () => {
    const { clock, watch } = watching();
    watch.stop();
    watch.renew(later);

    expect([watch.hold, clock.pendingTimers()]).toEqual([hold, 0]);
  });
});

describe('lose', () => {
  test('row 25: aborts at once, is reported once, and stays', async () => {
    const { clock, watch, onLost } = watching();
    watch.lose();
    watch.lose();
    await clock.advance(120_000);

    expect([watch.isLost(), onLost.mock.calls.length, clock.pendingTimers()]).toEqual([true, 1, 0]);
    expect(watch.signal.reason).toEqual(
      new LockLostError('digest', 'somebody else holds it, or an operator has freed it'),
    );
  });

  test('row 25: is reported although the deadline has aborted the run before', async () => {
    const { clock, watch, onLost } = watching({ hold, ends: endAt(1_000) });
    await clock.advance(1_000);
    watch.lose();

    expect([watch.signal.reason, watch.isLost(), onLost.mock.calls.length]).toEqual([deadlineReason, true, 1]);
  });

  test('F27 changes nothing after the end of the watch', () => {
    const { watch, onLost } = watching();
    watch.stop();
    watch.lose();

    expect([watch.isLost(), watch.signal.aborted, onLost.mock.calls.length]).toEqual([false, false, 0]);
  });
});

describe('stop', () => {
  test('a lease that is over when the watch ends is reported as lost, though no timer has fired', () => {
    const { clock, watch, heard, onLost } = watchOn(stoppableClock());
    clock.stopForAnHour();
    watch.stop();

    expect([heard, onLost.mock.calls.length, watch.isLost()]).toEqual([[lostReason], 1, true]);
  });

  test('F27 leaves no timer that could fire in a later invocation, and the signal never aborts any more', async () => {
    const shutdown = new AbortController();
    const { clock, watch, onLost } = watching({ hold, ends: endAt(2_700), shutdown: shutdown.signal });
    await clock.advance(1_500);
    watch.stop();
    shutdown.abort();

    expect([watch.isStopped(), clock.pendingTimers()]).toEqual([true, 0]);
    for (const ms of [10_000, 3_600_000]) {
      await clock.advance(ms);
      expect([watch.isLost(), watch.signal.aborted, onLost.mock.calls.length]).toEqual([false, false, 0]);
    }
  });

  test('a lost lease stays lost', async () => {
    const { clock, watch } = watching();
    await clock.advance(60_000);
    watch.stop();

    expect(watch.isLost()).toBe(true);
  });
});

test('F27 a timer of the watch never keeps a process alive', () => {
  const unref = vi.fn();
  watchOn({ ...manualClock(NOW), setTimer: () => ({ cancel() {}, unref }) });

  expect(unref).toHaveBeenCalledOnce();
});
