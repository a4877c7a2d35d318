import { systemClock } from '../core/values/clock.js';

type Listener = () => void;

/** The part of Node's `process` that is used here; Deno and Bun have it too, an edge runtime has not. */
interface Process {
  readonly pid?: number;
  prependListener?(signal: 'SIGTERM', listener: Listener): void;
  off?(signal: 'SIGTERM', listener: Listener): void;
  listeners?(signal: 'SIGTERM'): Listener[];
  kill?(pid: number, signal: 'SIGTERM'): void;
  exit?(code: number): void;
}

/** The package signal-exit. It ends the process itself once only its own listeners are left. */
interface SignalExit {
  readonly count?: number;
}

const { process } = globalThis as unknown as { process?: Process };
const SIGNAL_EXIT = Symbol.for('signal-exit emitter');
/** What a shell reports of a process that SIGTERM has ended. */
const ENDED_BY_SIGTERM = 143;

/** Runs in progress in this process, of all wrapped functions. */
const inProgress = new Set<AbortController>();
let isListening = false;
let isShuttingDown = false;
/** Whether the program leaves it to this module to end the process. */
let isOurs = false;

const onSigterm: Listener = Object.assign(
  () => {
    isShuttingDown = true;
    isOurs = ownListeners() === process?.listeners?.('SIGTERM').length;
    for (const run of inProgress) run.abort();
    endProcess();
  },
  // Several copies of this module know each other's listeners by it.
  { isOfSingleExecution: true },
);

/**
 * Runs something with a signal that aborts on SIGTERM. From the first run on SIGTERM does not end the process while
 * anything runs; once the last run has settled it does, unless the program listens for SIGTERM itself and so has taken
 * that over.
 */
export async function untilShutdown<T>(task: (signal: AbortSignal) => Promise<T>): Promise<T> {
  // Runs before the other listeners, so that one which the program registered with `once` still counts.
  if (!isListening) process?.prependListener?.('SIGTERM', onSigterm);
  isListening = true;
  const run = new AbortController();
  if (isShuttingDown) run.abort();
  inProgress.add(run);
  try {
    return await task(run.signal);
  } finally {
    inProgress.delete(run);
    // In a later turn, so that the caller sees the result first.
    if (isShuttingDown) systemClock.setTimer(endProcess, 0);
  }
}

function endProcess(): void {
  if (!isOurs || inProgress.size > 0 || process?.pid === undefined) return;
  process.off?.('SIGTERM', onSigterm);
  process.kill?.(process.pid, 'SIGTERM');
  // The first process of a container is not ended by a signal of its own.
  systemClock.setTimer(() => {
    if (process.listeners?.('SIGTERM').length === 0) process.exit?.(ENDED_BY_SIGTERM);
  }, 0);
}

/** Listeners that end the process, or leave that to another listener. None of them means that the program ends it. */
function ownListeners(): number {
  const copies = process?.listeners?.('SIGTERM').filter((listener) => 'isOfSingleExecution' in listener) ?? [];
  const signalExit = (globalThis as { [SIGNAL_EXIT]?: SignalExit })[SIGNAL_EXIT];
  return copies.length + (signalExit?.count ?? 0);
}
