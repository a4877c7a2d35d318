import type { Clock } from './clock.js';

/** Resolves after so many milliseconds, or as soon as the signal aborts. */
export function pause(ms: number, clock: Clock, signal: AbortSignal | undefined): Promise<void> {
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
