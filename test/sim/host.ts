import type { Clock, Timer } from 'single-execution';
import type { Happening, Timeline } from './timeline.js';

/** A computer with clocks of its own, on which the library runs. */
export interface Host {
  readonly name: string;
  readonly clock: Clock;
  /** Runs a callback on this host after `ms` of true time: later if the host is paused, never if it has crashed. */
  after(ms: number, happen: () => void): Happening;
  isUp(): boolean;
  /** Turns the power off: nothing ever happens on this host again. */
  crash(): void;
  /**
   * Lets nothing happen on the host for `ms`, while its clocks go on, as with SIGSTOP or a long garbage collection.
   * Afterwards, I/O comes before timers for a tenth of that time.
   */
  pause(ms: number): void;
  /** Like a pause, but the monotonic clock stands still too, as in a suspended virtual machine. */
  suspend(ms: number): void;
  /** Sets the wall clock ahead by `ms`, or back if negative. */
  stepWall(ms: number): void;
  /** How far its wall clock is ahead of true time. */
  aheadMs(): number;
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
            // The monotonic clock stood still: wait until it reaches the instant of this timer.
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

/** Lets time pass on a host. Rejects as soon as the signal aborts. */
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
