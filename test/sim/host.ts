import type { Clock, Timer } from 'single-execution';
import type { Happening, Timeline } from './timeline.js';

/** A computer with clocks of its own, on which the library runs. */
export interface Host {
  readonly name: string;
  readonly clock: Clock;
  /** Lets something happen on this host after so much true time: later while it is paused, never after its crash. */
  after(ms: number, happen: () => void): Happening;
  isUp(): boolean;
  /** Power off: nothing on it ever happens again. */
  crash(): void;
  /**
   * Nothing happens on it for so long, while its clocks go on: SIGSTOP, or a long collection of garbage. Then its I/O
   * comes before its timers, for a tenth of that time.
   */
  pause(ms: number): void;
  /** Like a pause in which the monotonic clock stands still too: a suspended virtual machine. */
  suspend(ms: number): void;
  /** Somebody sets its wall clock. */
  stepWall(ms: number): void;
  /** How far its wall clock is ahead of true time. */
  aheadMs(): number;
  /** Timers that wait to fire. */
  pendingTimers(): number;
}

export interface HostTime {
  readonly aheadMs: number;
  /** Milliseconds that its monotonic clock gains in one true millisecond. */
  readonly rate: number;
}

export function host(name: string, time: Timeline, { aheadMs, rate }: HostTime): Host {
  const born = time.now();
  let ahead = aheadMs;
  let asleepMs = 0;
  let pausedUntil = 0;
  let timersFrom = 0;
  let suspendedFrom: number | undefined;
  let isUp = true;
  let timers = 0;

  const monotonic = () => ((suspendedFrom ?? time.now()) - born - asleepMs) * rate;
  const self: Host = {
    name,
    clock: {
      now: () => time.now() + ahead,
      monotonic,
      setTimer(callback, ms): Timer {
        timers++;
        let isPending = true;
        const done = () => {
          if (isPending) timers--;
          isPending = false;
        };
        const dueMono = monotonic() + ms;
        let happening: Happening;
        const wait = (left: number) => {
          happening = self.after(left / rate, () => {
            if (time.now() < timersFrom) return wait((timersFrom - time.now()) * rate);
            // Slept through: the timer counts by the monotonic clock.
            if (monotonic() < dueMono - 0.001) return wait(dueMono - monotonic());
            if (!isPending) return;
            done();
            callback();
          });
        };
        wait(ms);
        return {
          cancel() {
            happening.cancel();
            done();
          },
          unref() {},
        };
      },
    },
    after(ms, happen) {
      let happening: Happening;
      const wait = (left: number) => {
        happening = time.after(left, () => {
          if (!isUp) return;
          if (time.now() < pausedUntil) wait(pausedUntil - time.now());
          else happen();
        });
      };
      wait(ms);
      return { cancel: () => happening.cancel() };
    },
    isUp: () => isUp,
    crash() {
      isUp = false;
    },
    pause(ms) {
      pausedUntil = Math.max(pausedUntil, time.now() + ms);
      timersFrom = Math.max(timersFrom, time.now() + ms * 1.1);
    },
    suspend(ms) {
      if (suspendedFrom !== undefined) return;
      suspendedFrom = time.now();
      self.pause(ms);
      time.after(ms, () => {
        asleepMs += time.now() - (suspendedFrom ?? time.now());
        suspendedFrom = undefined;
      });
    },
    stepWall(ms) {
      ahead += ms;
    },
    aheadMs: () => ahead,
    pendingTimers: () => timers,
  };
  return self;
}

/** Passes time on a host; rejects as soon as the signal aborts. */
export function sleep(on: Host, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal?.reason);
    if (signal?.aborted) return onAbort();
    signal?.addEventListener('abort', onAbort, { once: true });
    on.after(ms, () => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    });
  });
}
