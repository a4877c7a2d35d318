import type { Clock, Timer } from './clock.js';
import { DeadlineError, LockLostError } from './errors.js';
import { isOver } from './lease.js';
import type { Lease } from './lock-store.js';

/** Longest time between two looks at the clocks: a suspended monotonic clock is found out within it. */
const LOOK_EVERY_MS = 1_000;

/** Watches the clocks during one run and aborts its signal when its time is up. */
export interface LeaseWatch {
  readonly signal: AbortSignal;
  /** Looks at the clocks now, then says whether the lease is over. */
  isLost(): boolean;
  isStopped(): boolean;
  /** Ends the watch: no timer is left, the signal does not change any more. */
  stop(): void;
}

export interface WatchedTime {
  /** The lease, and the monotonic instant at which it must not be used any more; absent when unguarded. */
  readonly held?: { readonly lease: Lease; readonly deadlineMono: number };
  /** The monotonic instant at which the run is asked to end for the platform's sake. */
  readonly stopMono: number | undefined;
  /** Aborts when the process is told to end. */
  readonly shutdown?: AbortSignal | undefined;
  /** Called once, when the lease ends before the run. */
  readonly onLost?: () => void;
}

export function watchLease(
  lockName: string,
  clock: Clock,
  { held, stopMono, shutdown, onLost }: WatchedTime,
): LeaseWatch {
  const controller = new AbortController();
  let timer: Timer | undefined;
  let lost = false;
  let stopped = false;

  const look = () => {
    if (stopped || lost) return;
    const monotonic = clock.monotonic();
    if (held && isOver(held.deadlineMono, held.lease, { monotonic, wall: clock.now() })) {
      lost = true;
      controller.abort(new LockLostError(lockName, 'its lease is over'));
      onLost?.();
    } else if (stopMono !== undefined && monotonic >= stopMono) {
      controller.abort(new DeadlineError(lockName, 'DEADLINE', 'the platform ends it soon'));
    }
  };

  const arm = () => {
    look();
    const next = Math.min(
      held && !lost ? held.deadlineMono : Number.POSITIVE_INFINITY,
      stopMono !== undefined && !controller.signal.aborted ? stopMono : Number.POSITIVE_INFINITY,
    );
    if (stopped || next === Number.POSITIVE_INFINITY) return;
    timer = clock.setTimer(arm, Math.min(LOOK_EVERY_MS, Math.max(1, Math.ceil(next - clock.monotonic()))));
    timer.unref?.();
  };
  const onShutdown = () => controller.abort(new DeadlineError(lockName, 'SHUTDOWN', 'its process was told to end'));
  if (shutdown?.aborted) onShutdown();
  shutdown?.addEventListener('abort', onShutdown);
  arm();

  return {
    signal: controller.signal,
    isLost() {
      look();
      return lost;
    },
    isStopped: () => stopped,
    stop() {
      stopped = true;
      timer?.cancel();
      shutdown?.removeEventListener('abort', onShutdown);
    },
  };
}
