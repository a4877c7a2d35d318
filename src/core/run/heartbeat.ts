import type { Clock, Timer } from '../values/clock.js';
import type { HeldLock } from './guarded-execution.js';

const LONGEST_RETRY_MS = 1_000;

export interface Heartbeat {
  /** After this no renewal starts, and no timer is left. */
  stop(): void;
}

/** The parts of a held lock that a heartbeat needs. */
interface Kept extends Pick<HeldLock, 'lease' | 'watch' | 'limitMono'> {
  readonly extender: Pick<HeldLock['extender'], 'extend'>;
}

/**
 * While a run lasts, renews its lease after every third of it. No renewal starts after `limitMono`. A renewal that
 * fails is tried again until the holder's deadline; a lost lease is never renewed. Promises no more than the store's
 * own extend: a run whose renewals all fail is asked to end before anybody else can start.
 */
export function startHeartbeat({ lease, watch, extender, limitMono }: Kept, clock: Clock): Heartbeat {
  const { leaseMs } = lease;
  let timer: Timer | undefined;
  let stopped = false;

  const beat = async () => {
    timer = undefined;
    if (clock.monotonic() >= limitMono) return;
    // The run has extended its lease by hand since the timer was set.
    const early = untilThird();
    if (early > leaseMs / 10) return wait(early);
    try {
      if ((await extender.extend(leaseMs)) === 'extended') wait(untilThird());
    } catch {
      // The extender has reported the failure. The watch ends the run if renewals keep failing.
      if (!watch.isLost()) wait(Math.min(LONGEST_RETRY_MS, leaseMs / 10));
    }
  };
  /** The wait before the next renewal; shorter if a wrong clock ends the hold early. At least a tenth of the lease. */
  const untilThird = () => {
    const endMono = watch.hold ? watch.hold.deadlineMono + watch.hold.guardMs : 0;
    return Math.max(leaseMs / 10, endMono - (leaseMs * 2) / 3 - clock.monotonic());
  };
  const wait = (ms: number) => {
    if (stopped) return;
    timer = clock.setTimer(() => void beat(), ms);
    timer.unref?.();
  };
  wait(untilThird());

  return {
    stop() {
      stopped = true;
      timer?.cancel();
    },
  };
}
