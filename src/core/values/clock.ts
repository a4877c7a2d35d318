/**
 * The three ways this library looks at time. Nothing else in `src` reads a clock or sets a timer, so a test that
 * passes its own `Clock` owns time completely.
 */
export interface Clock {
  /** Wall clock: epoch milliseconds. May be wrong and may step. */
  now(): number;
  /** Monotonic clock: milliseconds since any fixed instant. Never steps; may stand still while a host is suspended. */
  monotonic(): number;
  /** Calls `callback` once after `ms` milliseconds, unless cancelled. */
  setTimer(callback: () => void, ms: number): Timer;
}

/** A timer that is set. */
export interface Timer {
  /** Keeps it from firing. Does nothing once it has fired. */
  cancel(): void;
  /** Lets the process end although the timer is still pending, where the platform has such a notion. */
  unref?(): void;
}

/** The clocks and timers of the platform. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimer(callback, ms) {
    const handle: unknown = setTimeout(callback, ms);
    return {
      cancel: () => clearTimeout(handle as Parameters<typeof clearTimeout>[0]),
      unref: () => (handle as { unref?(): void }).unref?.(),
    };
  },
};
