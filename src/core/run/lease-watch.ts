import { DeadlineError, LockLostError } from '../public/errors.js';
import type { Clock, Timer } from '../values/clock.js';
import { type Hold, isOver } from './hold.js';
import { watchedController } from './watched-signal.js';

/** Longest time between two looks at the clocks: a suspended monotonic clock is found out within it. */
const LOOK_EVERY_MS = 1_000;

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

export interface RunEnd {
  readonly atMono: number;
  readonly code: 'DEADLINE' | 'MAX_HOLD';
}

const WHY = {
  DEADLINE: 'the platform ends it soon',
  MAX_HOLD: 'it has held its lock for maxHold',
  SHUTDOWN: 'its process was told to end',
} as const;

/** The time of a run is up, for one of these reasons. */
export function timeIsUp(lockName: string, code: DeadlineError['code']): DeadlineError {
  return new DeadlineError(lockName, code, WHY[code]);
}

export function watchLease(lockName: string, clock: Clock, watched: WatchedTime): LeaseWatch {
  const { shutdown, onLost } = watched;
  const controller = watchedController(() => look());
  const { signal } = controller;
  let hold = watched.hold;
  /** The first that is still to come. */
  let end = watched.ends.toSorted((a, b) => a.atMono - b.atMono)[0];
  let timer: Timer | undefined;
  let lost: LockLostError | undefined;
  let stopped = false;

  const lose = (why: string) => {
    if (stopped || lost) return;
    lost = new LockLostError(lockName, why);
    controller.abort(lost);
    onLost?.();
  };
  const look = () => {
    if (stopped || lost) return;
    const monotonic = clock.monotonic();
    if (hold && isOver(hold, { monotonic, wall: clock.now() })) lose('its lease is over');
    else if (end && monotonic >= end.atMono) {
      const { code } = end;
      // Before the abort, which may ask the signal itself.
      end = undefined;
      controller.abort(timeIsUp(lockName, code));
    }
  };

  const arm = () => {
    look();
    const next = Math.min(hold?.deadlineMono ?? Number.POSITIVE_INFINITY, end?.atMono ?? Number.POSITIVE_INFINITY);
    if (stopped || lost || next === Number.POSITIVE_INFINITY) return;
    timer = clock.setTimer(arm, Math.min(LOOK_EVERY_MS, Math.max(1, Math.ceil(next - clock.monotonic()))));
    timer.unref?.();
  };
  const onShutdown = () => {
    look();
    controller.abort(timeIsUp(lockName, 'SHUTDOWN'));
  };
  if (shutdown?.aborted) onShutdown();
  shutdown?.addEventListener('abort', onShutdown);
  arm();

  return {
    signal,
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
    renew(next) {
      look();
      if (stopped || lost) return;
      hold = next;
      timer?.cancel();
      arm();
    },
    lose: () => lose('somebody else holds it, or an operator has freed it'),
    stop() {
      look();
      stopped = true;
      timer?.cancel();
      shutdown?.removeEventListener('abort', onShutdown);
    },
  };
}
