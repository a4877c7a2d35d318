import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import type { Clock } from '../../core/values/clock.js';
import { describe } from '../../core/values/describe.js';
import type { Environment } from '../command.js';

/** How long a command that was told to end may take, before it is killed. */
const GRACE_MS = 10_000;
const FORWARDED = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2'] as const;
/** What a terminal sends to the command as well. */
const FROM_KEYBOARD: readonly string[] = ['SIGINT', 'SIGQUIT'];
const ENDING: readonly string[] = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT'];
/** As a shell says it: there is no such command, or it cannot be executed. */
const [NO_SUCH_COMMAND, NOT_EXECUTABLE] = [127, 126];
const MISSING = ['ENOENT', 'ENOTDIR'];

/** A command that has not succeeded. Its name stands in the record of the lock. */
export class CommandFailed extends Error {
  override readonly name: string;
  readonly exitCode: number;

  constructor(why: string, exitCode: number, message = `the command ended with ${why}`) {
    super(message);
    this.name = why;
    this.exitCode = exitCode;
  }
}

/** The exit code of a process that a signal has ended. */
export function exitCodeOf(signal: string): number {
  return 128 + (constants.signals[signal as NodeJS.Signals] ?? 0);
}

/** Signals that are sent to this process, until it closes. */
export interface Signals {
  /** Aborts at the first one that asks this process to end; the reason is its name. */
  readonly asked: AbortSignal;
  /** Called with each of them, from now on. */
  forwardTo(child: ChildProcess): void;
  close(): void;
}

export function listenForSignals(isTerminal: boolean): Signals {
  const asked = new AbortController();
  let receiver: ChildProcess | undefined;
  const listeners = FORWARDED.map((signal) => {
    const listener = () => {
      if (ENDING.includes(signal)) asked.abort(signal);
      if (!(isTerminal && FROM_KEYBOARD.includes(signal))) receiver?.kill(signal);
    };
    process.on(signal, listener);
    return () => process.off(signal, listener);
  });
  return {
    asked: asked.signal,
    forwardTo(child) {
      receiver = child;
    },
    close() {
      for (const stop of listeners) stop();
    },
  };
}

/**
 * Runs a command to its end, on the streams of this process.
 *
 * @param stop once it aborts, the command is told to end, and killed if it does not within 10 s
 * @throws CommandFailed unless it exits with 0
 */
export async function runCommand(
  [file = '', ...args]: readonly string[],
  env: Environment,
  { signals, stop, clock }: { readonly signals: Signals; readonly stop: AbortSignal; readonly clock: Clock },
): Promise<void> {
  const child = begun(file, args, env);
  const ended = once(child, 'exit') as Promise<[number | null, string | null]>;
  signals.forwardTo(child);
  const killing = killOnce(child, stop, clock);
  try {
    const [code, signal] = await ended;
    if (signal !== null) throw new CommandFailed(signal, exitCodeOf(signal));
    if (code !== 0) throw new CommandFailed(`exit code ${code}`, code ?? 1);
  } catch (error) {
    throw error instanceof CommandFailed ? error : notStarted(file, error);
  } finally {
    killing.stop();
  }
}

/** @throws CommandFailed where the system refuses at once: some errors come so, others as an event */
function begun(file: string, args: readonly string[], env: Environment): ChildProcess {
  try {
    return spawn(file, args, { env, stdio: 'inherit' });
  } catch (error) {
    throw notStarted(file, error);
  }
}

/** SIGTERM as soon as the signal aborts, and SIGKILL after the grace period. */
function killOnce(child: ChildProcess, stop: AbortSignal, clock: Clock): { stop(): void } {
  let timer: ReturnType<Clock['setTimer']> | undefined;
  const kill = () => {
    child.kill('SIGTERM');
    timer = clock.setTimer(() => child.kill('SIGKILL'), GRACE_MS);
  };
  if (stop.aborted) kill();
  stop.addEventListener('abort', kill);
  return {
    stop() {
      stop.removeEventListener('abort', kill);
      timer?.cancel();
    },
  };
}

function notStarted(file: string, error: unknown): CommandFailed {
  const { code = 'unknown' } = error as { readonly code?: string };
  const [exitCode, remedy] = MISSING.includes(code)
    ? [NO_SUCH_COMMAND, 'correct its name, or give its path']
    : [NOT_EXECUTABLE, 'give a file that may be executed'];
  const message = `the command ${describe(file)} cannot be started (${code}): ${remedy}`;
  return new CommandFailed(`not started (${code})`, exitCode, message);
}
