/**
 * Milliseconds on the one clock that all processes of this machine share: monotonic, the same in each of them, and left
 * alone where a process's wall clock is faked. What they report with it can be put in order.
 */
export function machineMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** How far this process's wall clock is from that clock; the same in all processes whose wall clocks agree. */
export function wallOffsetMs(): number {
  // A process that the machine leaves waiting between the two reads measures too little.
  return Math.max(...Array.from({ length: 10 }, () => Date.now() - machineMs()));
}

const LOOK_EVERY_MS = 50;
/** A gap between two timers that may eat up the time a holder keeps in hand. */
const STALL_MS = 120;

/** Finds out when timers did not fire: the process was stopped, the machine was busy, or I/O came first for long. */
export interface TimerGaps {
  /** Reports the gap since the last timer, if there is one; it goes on until a timer fires. */
  tellGap(): void;
  stop(): void;
}

/** @param report is told when the last timer fired, and what time it is. It may be told of a gap again as it grows. */
export function watchTimers(now: () => number, report: (fromMs: number, toMs: number) => void): TimerGaps {
  let firedAtMs = now();
  const tellGap = () => {
    const atMs = now();
    if (atMs - firedAtMs > STALL_MS) report(firedAtMs, atMs);
  };
  const timer = setInterval(() => {
    tellGap();
    firedAtMs = now();
  }, LOOK_EVERY_MS);
  return { tellGap, stop: () => clearInterval(timer) };
}
