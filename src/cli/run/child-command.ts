import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { constants } from 'node:os';
import type { Clock } from '../../index.js';
import { quoted } from '../exit-code.js';
import type { Environment } from '../option.js';
import { isSessionAlive, signalSession, undelivered } from './process-session.js';
import { startWatchdog, type Watchdog } from './watchdog.js';

/** A command that does not end within this time after SIGTERM is killed. */
const GRACE_MS = 10_000;
/** Time between two looks at a session whose first process has ended. */
const LOOK_MS = 100;
const FORWARDED = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2'] as const;
const ENDING: readonly string[] = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT'];
/** The exit codes of a shell if there is no such command, or if it cannot be executed. */
const [NO_SUCH_COMMAND, NOT_EXECUTABLE] = [127, 126];
const MISSING = ['ENOENT', 'ENOTDIR'];

/** The error of a command that failed. The record of the lock keeps its name. */
export class CommandFailed extends Error {
  override readonly name: string;
  readonly exitCode: number;

  constructor(why: string, exitCode: number, message = `the command ended with ${why}`) {
    super(message);
    this.name = why;
    this.exitCode = exitCode;
  }
}

/** The exit code of a process that a signal ended. */
export function exitCodeOf(signal: string): number {
  return 128 + (constants.signals[signal as NodeJS.Signals] ?? 0);
}

/**
 * Where the command runs. `terminal`: in our process group, because one of our streams is a terminal: Ctrl-C, Ctrl-Z
 * and the terminal itself reach it like any command. Always `terminal` on Windows. `session`: in its own session.
 */
export type Place = 'terminal' | 'session';

export function placeOfCommand(): Place {
  const isOnTerminal = [process.stdin, process.stdout, process.stderr].some(({ isTTY }) => isTTY);
  return isOnTerminal || process.platform === 'win32' ? 'terminal' : 'session';
}

/** The signals that are sent to this process, until `close` is called. */
export interface Signals {
  /** Aborts at the first signal that asks this process to end; the reason is the name of that signal. */
  readonly asked: AbortSignal;
  /** Calls `receiver` with each signal from now on. */
  forwardTo(receiver: (signal: NodeJS.Signals) => void): void;
  close(): void;
}

export function listenForSignals(place: Place): Signals {
  const asked = new AbortController();
  let receiver: ((signal: NodeJS.Signals) => void) | undefined;
  // nohup redirects all streams from the terminal and ignores SIGHUP, but Node undoes that at its start.
  const ignored = place === 'session' && hasTerminal() ? 'SIGHUP' : undefined;
  const listeners: [NodeJS.Signals, () => void][] = FORWARDED.map((signal) => [
    signal,
    () => {
      if (signal === ignored) return;
      if (ENDING.includes(signal)) asked.abort(signal);
      receiver?.(signal);
    },
  ]);
  if (place === 'session') {
    const pause = () => {
      receiver?.('SIGSTOP');
      process.kill(process.pid, 'SIGSTOP');
    };
    listeners.push(['SIGTSTP', pause], ['SIGCONT', () => receiver?.('SIGCONT')]);
  }
  for (const [signal, listener] of listeners) process.on(signal, listener);
  return {
    asked: asked.signal,
    forwardTo(to) {
      receiver = to;
    },
    close() {
      for (const [signal, listener] of listeners) process.off(signal, listener);
    },
  };
}

/** Whether this process has a controlling terminal, even if no stream is connected to it. */
function hasTerminal(): boolean {
  try {
    closeSync(openSync('/dev/tty', 'r'));
    return true;
  } catch {
    return false;
  }
}

/** The surroundings of a command. */
export interface Surroundings {
  readonly place: Place;
  readonly signals: Signals;
  /** When it aborts, the command gets SIGTERM, and SIGKILL if it has not ended after 10 s. */
  readonly stop: AbortSignal;
  readonly clock: Clock;
  /** Writes a problem to stderr. */
  note(words: string): void;
}

/**
 * Runs a command to its end, on the streams of this process. In place `session`, waits until the last process of the
 * session has ended.
 *
 * @throws CommandFailed unless it exits with 0
 */
export async function runCommand(
  [file = '', ...args]: readonly string[],
  env: Environment,
  { place, signals, stop, clock, note }: Surroundings,
): Promise<void> {
  const watchdog = startWatchdog(place, marksOf(env), clock);
  const { child, pid } = await begun(file, args, env, { place, watchdog });
  // From here on only the exit of the command ends the run.
  const ended = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  const send = (signal: NodeJS.Signals) => {
    const why = place === 'session' ? signalSession(pid, signal) : undelivered(pid, signal);
    if (why !== undefined) note(`${signal} could not be delivered to the command (${why}): it goes on, with its lock`);
  };
  const forward = async (signal: NodeJS.Signals) => {
    if (place === 'session' || !(await watchdog.saw(signal))) send(signal);
  };
  signals.forwardTo((signal) => void forward(signal));
  const ending = endWhenAsked(AbortSignal.any([stop, signals.asked]), stop, send, clock);
  try {
    const [code, signal] = await ended;
    if (place === 'session') await ending.ofSession(pid);
    if (signal !== null) throw new CommandFailed(signal, exitCodeOf(signal));
    if (code !== 0) throw new CommandFailed(`exit code ${code}`, code ?? 1);
  } finally {
    ending.close();
    watchdog.dismiss();
  }
}

/** Two environment variables whose values together identify this run. */
const marksOf = (env: Environment): readonly [string, string] => {
  const mark = (name: string) => `${name}=${env[name]}`;
  return [mark('SINGLE_EXECUTION_NAME'), mark('SINGLE_EXECUTION_FENCING_TOKEN')];
};

/** Starts the command. @throws CommandFailed if it cannot be started: `spawn` throws some errors and emits others */
async function begun(
  file: string,
  args: readonly string[],
  env: Environment,
  { place, watchdog }: { readonly place: Place; readonly watchdog: Watchdog },
): Promise<{ readonly child: ChildProcess; readonly pid: number }> {
  try {
    const child = spawn(file, args, { env, stdio: 'inherit', detached: place === 'session' });
    // Tell the watchdog at once: this process may be killed at any time.
    if (child.pid !== undefined) watchdog.watch(child.pid);
    await once(child, 'spawn');
    return { child, pid: child.pid as number };
  } catch (error) {
    watchdog.dismiss();
    throw notStarted(file, error);
  }
}

interface Ending {
  /** Resolves when no process of the session is left. Kills processes that are left 10 s after `asked` has aborted. */
  ofSession(session: number): Promise<void>;
  close(): void;
}

/**
 * Sends SIGTERM as soon as `stop` aborts, and SIGKILL after the grace period. If `asked` aborts, the command itself has
 * got the signal of this process and may take its time: only the processes that it leaves behind are killed.
 */
function endWhenAsked(
  asked: AbortSignal,
  stop: AbortSignal,
  send: (signal: NodeJS.Signals) => void,
  clock: Clock,
): Ending {
  let askedMono = Number.POSITIVE_INFINITY;
  let timer: ReturnType<Clock['setTimer']> | undefined;
  const onAsked = () => {
    askedMono = clock.monotonic();
  };
  const onStop = () => {
    send('SIGTERM');
    timer = clock.setTimer(() => send('SIGKILL'), GRACE_MS);
  };
  if (asked.aborted) onAsked();
  if (stop.aborted) onStop();
  asked.addEventListener('abort', onAsked);
  stop.addEventListener('abort', onStop);
  return {
    async ofSession(session) {
      let isKilled = false;
      while (isSessionAlive(session)) {
        if (!isKilled && clock.monotonic() > askedMono + GRACE_MS) {
          isKilled = true;
          send('SIGKILL');
        }
        // A process that was started meanwhile may be in a new group.
        if (isKilled) signalSession(session, 'SIGKILL');
        await new Promise<void>((resolve) => clock.setTimer(resolve, LOOK_MS));
      }
    },
    close() {
      asked.removeEventListener('abort', onAsked);
      stop.removeEventListener('abort', onStop);
      timer?.cancel();
    },
  };
}

function notStarted(file: string, error: unknown): CommandFailed {
  const { code = 'unknown' } = error as { readonly code?: string };
  const [exitCode, remedy] = MISSING.includes(code)
    ? [NO_SUCH_COMMAND, 'correct its name, or write its path']
    : [NOT_EXECUTABLE, 'name a file that may be executed'];
  const message = `the command ${quoted(file)} cannot be started (${code}): ${remedy}`;
  return new CommandFailed(`not started (${code})`, exitCode, message);
}
