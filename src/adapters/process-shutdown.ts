import { systemClock } from '../core/values/clock.js';

/**
 * The signals that ask a process to end, each with the exit code that a shell reports for it. docs/platforms/process.md
 * lists them for users, and says why SIGQUIT does not belong to them.
 */
const EXIT_CODES = { SIGTERM: 143, SIGINT: 130, SIGBREAK: 149, SIGHUP: 129, SIGUSR2: 140 } as const;
type Signal = keyof typeof EXIT_CODES;
const SIGNALS = Object.keys(EXIT_CODES) as Signal[];
/**
 * Signals that programs also use for something else, such as to read their configuration again. They ask a process to
 * end only if nobody else listens for them, because only then do they end a process without this library.
 */
const OF_OTHER_USE: readonly Signal[] = ['SIGHUP', 'SIGUSR2'];
/**
 * A second signal does not end the process within this time after the first. One Ctrl-C can arrive twice: from the
 * terminal, and from nodemon, concurrently or `node --watch`, which pass it on. In a test it took them 43 ms at most.
 */
const TWICE_MS = 500;
const LOOK_AGAIN_MS = 10;

type Listener = () => void;

/** The part of Node's `process` that this file uses. Deno and Bun have it too; edge runtimes do not. */
interface Process {
  readonly pid?: number;
  prependListener?(signal: Signal, listener: Listener): void;
  off?(signal: Signal, listener: Listener): void;
  listeners?(signal: Signal): Listener[];
  kill?(pid: number, signal: Signal): void;
  exit?(code: number): void;
  /** The state of signal-exit 3 and older. */
  readonly __signal_exit_emitter__?: SignalExit;
  [SHUTDOWN]?: Shutdown;
}

/**
 * The state of the package signal-exit, with the count of its listeners for each of its signals. They end the process
 * if no other listener is left.
 */
interface SignalExit {
  readonly count?: number;
}

const SIGNAL_EXIT = Symbol.for('signal-exit emitter');
/**
 * The key of the state that all copies of this module share, so that they have one listener for each signal. The state
 * belongs to `process`, as its listeners do. Raise the number when the shape of `Shutdown` changes.
 */
const SHUTDOWN: unique symbol = Symbol.for('single-execution.shutdown.1');

/** What all copies of this module in a process share. */
interface Shutdown {
  /** All runs in progress, whichever function they run. */
  readonly runs: Set<{ abort(): void }>;
  /** Whether a signal has asked the process to end. */
  readonly isAsked: boolean;
  /** Ends the process if a signal has asked for that, no run is in progress, and nobody else ends it. */
  endIfIdle(): void;
}

const { process } = globalThis as unknown as { process?: Process };

/**
 * Runs a task with a signal that aborts when a signal asks the process to end. From the first run on, such a signal
 * does not end the process while a run is in progress. The process ends by that signal once the last run has settled,
 * or when another signal comes, unless the program listens for the signal itself: then the program must end it.
 */
export async function untilShutdown<T>(task: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const shutdown = process?.prependListener ? (process[SHUTDOWN] ?? listen(process)) : undefined;
  const run = new AbortController();
  if (shutdown?.isAsked) run.abort();
  shutdown?.runs.add(run);
  try {
    return await task(run.signal);
  } finally {
    shutdown?.runs.delete(run);
    // Wait for a later turn, so that the caller gets the result before the process ends.
    if (shutdown?.isAsked) systemClock.setTimer(shutdown.endIfIdle, 0);
  }
}

/** Makes the state of a process, and listens for its signals. */
function listen(process: Process): Shutdown {
  const runs: Shutdown['runs'] = new Set();
  let isAsked = false;
  /** The signal by which this library must end the process, because nobody else does, and when it came. */
  let ending: { readonly signal: Signal; readonly sinceMono: number } | undefined;

  const hear = (signal: Signal) => {
    const isOurs = listenersOfOthers(process, signal) === 0;
    if (!isOurs && OF_OTHER_USE.includes(signal)) return;
    isAsked = true;
    for (const run of runs) run.abort();
    const now = systemClock.monotonic();
    const { sinceMono } = ending ?? {};
    if (isOurs) ending = { signal, sinceMono: sinceMono ?? now };
    if (isOurs && sinceMono !== undefined) systemClock.setTimer(end, Math.max(0, sinceMono + TWICE_MS - now));
    else endIfIdle();
  };
  const endIfIdle = () => {
    if (runs.size === 0) end();
  };
  const end = () => {
    if (ending) endBy(process, ending.signal, listeners[ending.signal]);
  };
  const listeners = Object.fromEntries(SIGNALS.map((signal) => [signal, marked(() => hear(signal))])) as Listeners;

  for (const signal of SIGNALS) addFirst(process, signal, listeners[signal]);
  const shutdown: Shutdown = {
    runs,
    get isAsked() {
      return isAsked;
    },
    endIfIdle,
  };
  Object.defineProperty(process, SHUTDOWN, { value: shutdown, configurable: true });
  return shutdown;
}

type Listeners = Readonly<Record<Signal, Listener>>;

/** Marks a listener, so that versions of this library with another state recognise it. */
function marked(listener: Listener): Listener {
  return Object.assign(listener, { isOfSingleExecution: true });
}

/**
 * Adds a listener as the first one: a program's `once` listener is removed when it is called, and must be counted
 * before that.
 */
function addFirst(process: Process, signal: Signal, listener: Listener): void {
  try {
    process.prependListener?.(signal, listener);
  } catch {
    // This platform does not have that signal.
  }
}

/** Ends the process by a signal, as if this library had not listened. */
function endBy(process: Process, signal: Signal, listener: Listener): void {
  const { pid } = process;
  if (pid === undefined) return;
  process.off?.(signal, listener);
  try {
    process.kill?.(pid, signal);
  } catch {
    // Windows can send itself only some signals. The exit below ends the process.
  }
  // Pid 1, the first process of a container, ignores a signal that it sends to itself, so it must exit instead. Wait
  // until the listeners of signal-exit have handled the signal and left.
  const exitWhenAlone = () => {
    if (process.listeners?.(signal).length === 0) process.exit?.(EXIT_CODES[signal]);
    else if (listenersOfOthers(process, signal) === 0) systemClock.setTimer(exitWhenAlone, LOOK_AGAIN_MS);
  };
  systemClock.setTimer(exitWhenAlone, 0);
}

/**
 * Counts the listeners that are neither of this library nor of signal-exit. Those are the program's own, and then the
 * program must end the process. All versions of signal-exit keep a global count of their listeners.
 */
function listenersOfOthers(process: Process, signal: Signal): number {
  const listeners = process.listeners?.(signal).filter((listener) => !('isOfSingleExecution' in listener)) ?? [];
  const current = (globalThis as { [SIGNAL_EXIT]?: SignalExit })[SIGNAL_EXIT];
  const older = process.__signal_exit_emitter__;
  // signal-exit does not know SIGBREAK.
  const ofSignalExit = signal === 'SIGBREAK' ? 0 : (current?.count ?? 0) + (older?.count ?? 0);
  return Math.max(0, listeners.length - ofSignalExit);
}
