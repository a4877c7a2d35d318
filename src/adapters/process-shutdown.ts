import { systemClock } from '../core/values/clock.js';

type Listener = () => void;

/** The part of Node's `process` that this file uses. Deno and Bun have it too; edge runtimes do not. */
interface Process {
  readonly pid?: number;
  prependListener?(signal: 'SIGTERM', listener: Listener): void;
  off?(signal: 'SIGTERM', listener: Listener): void;
  listeners?(signal: 'SIGTERM'): Listener[];
  kill?(pid: number, signal: 'SIGTERM'): void;
  exit?(code: number): void;
}

/**
 * The state of the package signal-exit, with the count of its listeners. They end the process if no other listener is
 * left.
 */
interface SignalExit {
  readonly count?: number;
}

const { process } = globalThis as unknown as { process?: Process };
const SIGNAL_EXIT = Symbol.for('signal-exit emitter');
/** The exit code that a shell reports for a process ended by SIGTERM. */
const ENDED_BY_SIGTERM = 143;

/** The abort controllers of all runs in progress in this process, whichever function they run. */
const inProgress = new Set<AbortController>();
let isListening = false;
let isShuttingDown = false;
/** Whether this module must end the process, because the program does not. */
let isOurs = false;

const onSigterm: Listener = Object.assign(
  () => {
    isShuttingDown = true;
    isOurs = ownListeners() === process?.listeners?.('SIGTERM').length;
    for (const run of inProgress) run.abort();
    endProcess();
  },
  // Several copies of this module recognise each other's listeners by this mark.
  { isOfSingleExecution: true },
);

/**
 * Runs a task with a signal that aborts on SIGTERM. From the first run on, SIGTERM does not end the process while a run
 * is in progress. The process ends once the last run has settled, unless the program listens for SIGTERM itself: then
 * the program must end it.
 */
export async function untilShutdown<T>(task: (signal: AbortSignal) => Promise<T>): Promise<T> {
  // Register as the first listener: a program's `once` listener is removed when it is called, and must be counted
  // before that.
  if (!isListening) process?.prependListener?.('SIGTERM', onSigterm);
  isListening = true;
  const run = new AbortController();
  if (isShuttingDown) run.abort();
  inProgress.add(run);
  try {
    return await task(run.signal);
  } finally {
    inProgress.delete(run);
    // Wait for a later turn, so that the caller gets the result before the process ends.
    if (isShuttingDown) systemClock.setTimer(endProcess, 0);
  }
}

function endProcess(): void {
  if (!isOurs || inProgress.size > 0 || process?.pid === undefined) return;
  process.off?.('SIGTERM', onSigterm);
  process.kill?.(process.pid, 'SIGTERM');
  // Pid 1, the first process of a container, ignores a signal that it sends to itself, so it must exit instead.
  systemClock.setTimer(() => {
    if (process.listeners?.('SIGTERM').length === 0) process.exit?.(ENDED_BY_SIGTERM);
  }, 0);
}

/**
 * Counts the SIGTERM listeners of this library's copies and of signal-exit. Any other listener is the program's own,
 * and then the program must end the process.
 */
function ownListeners(): number {
  const copies = process?.listeners?.('SIGTERM').filter((listener) => 'isOfSingleExecution' in listener) ?? [];
  const signalExit = (globalThis as { [SIGNAL_EXIT]?: SignalExit })[SIGNAL_EXIT];
  return copies.length + (signalExit?.count ?? 0);
}
