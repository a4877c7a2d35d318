import { LockLostError } from '../public/errors.js';
import type { Clock, Timer } from '../values/clock.js';
import { type Hold, isOver } from './hold.js';
import { type RunEnd, timeIsUp } from './run-ends.js';

/** Longest time between two looks at the clocks: a suspended monotonic clock is found out within it. */
const LOOK_EVERY_MS = 1_000;
const NEVER = Number.POSITIVE_INFINITY;

/** Watches the clocks during one run and aborts its signal when its time is up. */
export interface LeaseWatch {
  /** Looks at the clocks whenever it is asked. */
  readonly signal: AbortSignal;
  /** The hold as it is now; absent when unguarded. */
  readonly hold: Hold | undefined;
  /** Looks at the clocks now, then says whether the lock is lost. */
  isLost(): boolean;
  /** Why it is, as the signal says it. */
  readonly lostBecause: LockLostError | undefined;
  isStopped(): boolean;
  /** Takes over a new hold. One that comes after the lease was lost changes nothing. */
  renew(hold: Hold): void;
  /** The store says that the lock is not this run's any more. */
  lose(): void;
  /** Looks at the clocks once more and ends the watch: no timer is left, the signal does not change any more. */
  stop(): void;
}

export interface WatchedTime {
  readonly hold?: Hold;
  /** When the run is asked to end although it holds its lock, and why. */
  readonly ends: readonly RunEnd[];
  /** Aborts when the process is told to end. */
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
  /** Returns whether the lease is neither lost nor given back. */
  const look = (): boolean => {
    if (stopped || lost) return false;
    const monotonic = clock.monotonic();
    if (hold && isOver(hold, { monotonic, wall: clock.now() })) lose('its lease is over');
    else if (firstEnd && monotonic >= firstEnd.atMono) {
      const { code } = firstEnd;
      // First, because a listener of the abort may ask the signal, which looks again.
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
 * Looks now. Looks again at the instant that a look returns, at the latest a second after that look.
 *
 * @param look returns the next monotonic instant that matters; no timer is set where that is infinite
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

/** Calls back when the signal aborts, or now if it has. Returns how to stop listening. */
function onAbort(signal: AbortSignal | undefined, callback: () => void): () => void {
  if (signal?.aborted) callback();
  signal?.addEventListener('abort', callback);
  return () => signal?.removeEventListener('abort', callback);
}

/**
 * Makes an abort controller whose signal looks at the clocks before it answers `aborted`, `reason` or `throwIfAborted`.
 * A process that was stopped handles its I/O before its timers when it goes on: a handler that asks its signal then
 * must get today's answer, not the one of the last timer. Does not promise to tell code that only listens, or that
 * reads the signal inside the platform: a timer tells those.
 *
 * @param look aborts the controller, once, when its time has come; aborting may read the signal again
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
