import { LockLostError } from '../public/errors.js';
import type { Clock, Timer } from '../values/clock.js';
import { type RunEnd, timeIsUp } from './deadlines.js';
import { type Hold, isOver } from './hold.js';

/**
 * Longest time between two looks at the clocks. After a suspension of the host, the watch notices it within this time.
 */
const LOOK_EVERY_MS = 1_000;
const NEVER = Number.POSITIVE_INFINITY;

/** Watches the clocks during one run and aborts its signal when its time is up. */
export interface LeaseWatch {
  /** Aborts when the time of the run is up. Each read of it looks at the clocks. */
  readonly signal: AbortSignal;
  /** The current hold; absent if the run is unguarded. */
  readonly hold: Hold | undefined;
  /** Looks at the clocks now, then returns whether the lock is lost. */
  isLost(): boolean;
  /** Why the lock is lost; undefined while it is not. */
  readonly lostBecause: LockLostError | undefined;
  isStopped(): boolean;
  /** Sets a new hold. Does nothing if the lease is already lost. */
  renew(hold: Hold): void;
  /** Call this when the store says that the run has lost the lock. */
  lose(): void;
  /** Looks at the clocks once more and ends the watch: no timer is left, and the signal does not change any more. */
  stop(): void;
}

export interface WatchedTime {
  readonly hold?: Hold;
  /** When the run is asked to end although it holds its lock, and why. */
  readonly ends: readonly RunEnd[];
  /** Aborts when the process, or the caller of `executeWithLock`, asks the run to end. */
  readonly shutdown?: AbortSignal | undefined;
  /** Called once, when the lease ends before the run. */
  readonly onLost?: () => void;
}

export function watchLease(lockName: string, clock: Clock, watched: WatchedTime): LeaseWatch {
  const controller = watchedController(() => look());
  let { hold } = watched;
  let firstEnd = watched.ends.toSorted((a, b) => a.atMono - b.atMono)[0];
  let lost: LockLostError | undefined;
  let stopped = false;

  const lose = (why: string) => {
    if (stopped || lost) return;
    lost = new LockLostError(lockName, why);
    controller.abort(lost);
    watched.onLost?.();
  };
  /** Looks at the clocks. Returns whether the watch goes on: it has not stopped, and the lock is not lost. */
  const look = (): boolean => {
    if (stopped || lost) return false;
    const monotonic = clock.monotonic();
    if (hold && isOver(hold, { monotonic, wall: clock.now() })) lose('its lease is over');
    else if (firstEnd && monotonic >= firstEnd.atMono) {
      const { code } = firstEnd;
      // Clear this first: a listener of the abort may read the signal, which looks again.
      firstEnd = undefined;
      controller.abort(timeIsUp(lockName, code));
    }
    return !lost;
  };
  const stopListening = onAbort(watched.shutdown, () => {
    look();
    controller.abort(timeIsUp(lockName, 'SHUTDOWN'));
  });
  const nextMono = () => Math.min(hold?.deadlineMono ?? NEVER, firstEnd?.atMono ?? NEVER);
  const looks = keepLooking(clock, () => (look() ? nextMono() : NEVER));

  return {
    signal: controller.signal,
    get hold() {
      return hold;
    },
    isLost() {
      look();
      return lost !== undefined;
    },
    get lostBecause() {
      return lost;
    },
    isStopped: () => stopped,
    renew(renewed) {
      if (!look()) return;
      hold = renewed;
      looks.again();
    },
    lose: () => lose('somebody else holds it, or an operator has freed it'),
    stop() {
      look();
      stopped = true;
      looks.stop();
      stopListening();
    },
  };
}

/**
 * Calls `look` now, and again at the instant that it returned, but at most a second later.
 *
 * @param look returns the next monotonic instant that matters; no timer is set if it is infinite
 */
function keepLooking(clock: Clock, look: () => number): { again(): void; stop(): void } {
  let timer: Timer | undefined;
  const stop = () => timer?.cancel();
  const again = () => {
    stop();
    const nextMono = look();
    if (nextMono === NEVER) return;
    timer = clock.setTimer(again, Math.min(LOOK_EVERY_MS, Math.max(1, Math.ceil(nextMono - clock.monotonic()))));
    timer.unref?.();
  };
  again();
  return { again, stop };
}

/** Calls back when the signal aborts, or now if it has aborted. Returns a function that stops listening. */
function onAbort(signal: AbortSignal | undefined, callback: () => void): () => void {
  if (signal?.aborted) callback();
  signal?.addEventListener('abort', callback);
  return () => signal?.removeEventListener('abort', callback);
}

/**
 * Makes an abort controller whose signal looks at the clocks before it answers `aborted`, `reason` or `throwIfAborted`.
 * A process that was suspended handles its I/O before its timers when it resumes: a handler that reads its signal then
 * must get the current answer, not the answer of the last timer. Code that only listens, and platform code that reads
 * the signal internally, notice the abort only when a timer has looked.
 *
 * @param look aborts the controller when that is due. It must abort only once, because an abort listener may read the
 *   signal and so call `look` again
 */
export function watchedController(look: () => unknown): AbortController {
  const controller = new AbortController();
  const { signal } = controller;
  for (const key of ['aborted', 'reason', 'throwIfAborted']) {
    Object.defineProperty(signal, key, {
      get() {
        look();
        return Reflect.get(Object.getPrototypeOf(signal), key, signal);
      },
    });
  }
  return controller;
}
