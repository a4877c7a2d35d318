import type { Clock } from 'single-execution';
import { systemClock } from '../../src/core/values/clock.js';

/** Resolves when `ms` have passed on that clock. */
export function pass(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => {
    clock.setTimer(resolve, ms);
  });
}

/** The clocks of a host whose wall clock is wrong by `ms`, ahead if positive. */
export function shiftedClock(ms: number): Clock {
  return { ...systemClock, now: () => Date.now() + ms };
}

/** A clock on which timers are shorter by the factor `times`. The wall clock is true. */
export function hurriedClock(times: number): Clock {
  return {
    now: () => Date.now(),
    monotonic: () => performance.now() * times,
    setTimer: (callback, ms) => systemClock.setTimer(callback, ms / times),
  };
}

/**
 * A clock on which time passes by pauses alone, so that a machine that stands still takes no try from a call. Longer
 * timers do not fire.
 */
export function clockOfPauses(longestMs: number): Clock {
  let passedMs = 0;
  return {
    ...systemClock,
    monotonic: () => passedMs,
    setTimer(callback, ms) {
      if (ms >= longestMs) return { cancel: () => undefined };
      const pass = () => {
        passedMs += ms;
        callback();
      };
      return systemClock.setTimer(pass, ms);
    },
  };
}
