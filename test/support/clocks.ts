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
