import type { Clock } from 'single-execution';
import { systemClock } from '../../src/core/values/clock.js';

/** A clock on which timers are shorter by the factor `times`. The wall clock is true. */
export function hurriedClock(times: number): Clock {
  return {
    now: () => Date.now(),
    monotonic: () => performance.now() * times,
    setTimer: (callback, ms) => systemClock.setTimer(callback, ms / times),
  };
}
