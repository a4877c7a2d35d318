import type { Signal } from './signal.js';

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

/** Both clocks just before the first send of a call: the anchor of all times inside its grant. */
export interface Sent {
  /** The wall clock, in epoch milliseconds. */
  readonly firstSentWall: number;
  /** The monotonic clock, in milliseconds. */
  readonly firstSentMono: number;
}

export function sentNow(clock: Clock): Sent {
  return { firstSentWall: Math.round(clock.now()), firstSentMono: clock.monotonic() };
}

/** Wall time inside a grant: anchored to the wall clock of the first send, carried on by the monotonic clock. */
export function wallInGrant(sent: Sent, monotonic: number): number {
  return Math.round(sent.firstSentWall + (monotonic - sent.firstSentMono));
}

/** Resolves after so many milliseconds, or as soon as the signal aborts. */
export function pause(ms: number, clock: Clock, signal: Signal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const done = () => {
      timer.cancel();
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = clock.setTimer(done, ms);
    signal?.addEventListener('abort', done);
  });
}

/** A random time between the two, so that callers who wait together do not ask together. */
export function jittered(fromMs: number, toMs: number): number {
  return fromMs + Math.random() * (toMs - fromMs);
}
