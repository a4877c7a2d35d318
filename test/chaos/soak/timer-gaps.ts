const LOOK_EVERY_MS = 50;
/** A gap between two timers that may eat up the time a holder keeps in hand. */
const STALL_MS = 120;

/** Finds out when timers did not fire: the process was stopped, the machine was busy, or I/O came first for long. */
export interface TimerGaps {
  /** Reports the gap since the last timer, if there is one; it goes on until a timer fires. */
  tellGap(): void;
  stop(): void;
}

/** @param report is told the last instant at which a timer fired; of one gap more than once, each time a longer one */
export function watchTimers(now: () => number, report: (fromMs: number) => void): TimerGaps {
  let firedAtMs = now();
  const tellGap = () => {
    if (now() - firedAtMs > STALL_MS) report(firedAtMs);
  };
  const timer = setInterval(() => {
    tellGap();
    firedAtMs = now();
  }, LOOK_EVERY_MS);
  return { tellGap, stop: () => clearInterval(timer) };
}
