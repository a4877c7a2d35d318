import type { Clock } from 'single-execution';
import { systemClock } from '../../src/core/values/clock.js';

/** The clocks of a host whose wall clock is wrong by `ms`, ahead if positive. */
export function shiftedClock(ms: number): Clock {
  return { ...systemClock, now: () => Date.now() + ms };
}
