import { describe } from '../core/values/checks.js';
import type { Clock } from '../core/values/clock.js';
import { msOf } from '../core/values/tick.js';

/** A clock that moves only when a test moves it. */
export interface ManualClock extends Clock {
  /**
   * Lets time pass on the wall clock and on the monotonic clock. Fires each timer at its instant, and lets promises
   * settle after each timer.
   *
   * @throws RangeError for a negative time
   */
  advance(ms: number): Promise<void>;
  /** Steps only the wall clock, as an administrator or a time server does; `ms` may be negative. */
  stepWall(ms: number): void;
  /** Suspends the host: the wall clock goes on, while the monotonic clock and all timers stand still. */
  suspend(ms: number): void;
  /** Returns the number of timers that have neither fired nor been cancelled. */
  pendingTimers(): number;
}

interface Pending {
  readonly at: number;
  readonly callback: () => void;
}

/**
 * Makes a clock for tests.
 *
 * @example
 * ```ts
 * import { manualClock } from 'single-execution/testing';
 *
 * const clock = manualClock(new Date('2026-01-01T02:00:00Z'));
 * clock.setTimer(() => console.log('a minute later'), 60_000);
 * await clock.advance(60_000);
 * ```
 *
 * @param start the wall clock's first instant, in epoch milliseconds if a number. Locks need a clock from 2001 on, and
 *   ticks one from 2015 on. @default 2026-01-01T00:00:00Z
 * @throws RangeError if `start` is not an instant
 */
export function manualClock(start: Date | number = Date.UTC(2026, 0, 1)): ManualClock {
  let wall = Number(msOf(start));
  if (!Number.isFinite(wall)) throw new RangeError(`start is ${describe(start)}: pass a Date, or epoch milliseconds`);
  let mono = 0;
  const timers = new Set<Pending>();

  const nextDue = (until: number): Pending | undefined =>
    [...timers].filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)[0];

  const moveTo = (instant: number) => {
    wall += instant - mono;
    mono = instant;
  };

  return {
    now: () => wall,
    monotonic: () => mono,
    setTimer(callback, ms) {
      const timer = { at: mono + Math.max(0, ms), callback };
      timers.add(timer);
      return { cancel: () => timers.delete(timer), unref: () => {} };
    },
    async advance(ms) {
      if (!(ms >= 0))
        throw new RangeError(`advance by ${ms} ms: time does not run back; pass 0 or more, or use stepWall`);
      const end = mono + ms;
      await settlePromises();
      for (let due = nextDue(end); due; due = nextDue(end)) {
        timers.delete(due);
        moveTo(due.at);
        due.callback();
        await settlePromises();
      }
      moveTo(end);
      await settlePromises();
    },
    stepWall(ms) {
      wall += ms;
    },
    suspend(ms) {
      wall += ms;
    },
    pendingTimers: () => timers.size,
  };
}

/** Waits long enough for any chain of promises in this library to settle, but not for real timers. */
async function settlePromises(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await undefined;
}
