import { systemClock } from '../core/clock.js';

/** The part of Node's `process` that is used here; Deno and Bun have it too, an edge runtime has not. */
interface Process {
  readonly pid?: number;
  prependListener?(signal: 'SIGTERM', listener: () => void): void;
  off?(signal: 'SIGTERM', listener: () => void): void;
  listenerCount?(signal: 'SIGTERM'): number;
  kill?(pid: number, signal: 'SIGTERM'): void;
}

const { process } = globalThis as { process?: Process };

/** Runs in progress in this process, of all wrapped functions. */
let inProgress = 0;
const shutdown = new AbortController();
/** Whether nobody but this module listened when the process was told to end. */
let isOurs = false;

const onSigterm = () => {
  isOurs = process?.listenerCount?.('SIGTERM') === 1;
  shutdown.abort();
};

/**
 * Runs something with a signal that aborts on SIGTERM. While anything runs, SIGTERM does not end the process; once the
 * last run has settled it does, unless the program listens for SIGTERM itself and so has taken that over.
 */
export async function untilShutdown<T>(task: (signal: AbortSignal) => Promise<T>): Promise<T> {
  // First in line, so that a listener of the program that is called once still counts.
  if (inProgress === 0) process?.prependListener?.('SIGTERM', onSigterm);
  inProgress++;
  try {
    return await task(shutdown.signal);
  } finally {
    inProgress--;
    if (inProgress === 0) {
      process?.off?.('SIGTERM', onSigterm);
      // In a turn of its own, so that whoever called sees the result first.
      if (isOurs) systemClock.setTimer(endProcess, 0);
    }
  }
}

function endProcess(): void {
  if (inProgress > 0 || process?.pid === undefined || process.listenerCount?.('SIGTERM') !== 0) return;
  process.kill?.(process.pid, 'SIGTERM');
}
