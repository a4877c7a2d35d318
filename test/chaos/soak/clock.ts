/**
 * Milliseconds on the one clock that all processes of this machine share. It is monotonic, and stays true if a
 * process's wall clock is faked. It puts the reports of different processes in order.
 */
export function machineMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/**
 * How far this process's wall clock is from the shared clock. Processes whose wall clocks agree get the same number.
 */
export function wallOffsetMs(): number {
  // If the machine lets the process wait between the two reads, the difference is too small; so take the largest of
  // ten.
  return Math.max(...Array.from({ length: 10 }, () => Date.now() - machineMs()));
}

const LOOK_EVERY_MS = 50;
/** A gap between two timers that may use up the time that a holder keeps in reserve. */
const STALL_MS = 120;

/**
 * Finds gaps in which timers did not fire: the process was stopped, the machine was busy, or I/O came first for long.
 */
export interface TimerGaps {
  /** Reports the gap since the last timer, if there is one. The gap goes on until a timer fires. */
  tellGap(): void;
  stop(): void;
}

/**
 * @param report gets the time of the last timer, and the present time. It may get the same gap again as the gap grows.
 */
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
