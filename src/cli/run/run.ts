import { hostname } from 'node:os';
import { withStore } from '../../core/options/policy.js';
import { DeadlineError } from '../../core/public/errors.js';
import type { LockEvent } from '../../core/public/events.js';
import type { Execution } from '../../core/public/execution.js';
import type { Outcome } from '../../core/public/outcome.js';
import { run as runLocked } from '../../core/run/engine.js';
import { defined } from '../../core/values/defined.js';
import { shortInstant } from '../../operate/span.js';
import type { Command, Environment, Session } from '../command.js';
import { CliError, EXIT } from '../exit-code.js';
import { storeAddress } from '../store/open-store.js';
import {
  CommandFailed,
  exitCodeOf,
  listenForSignals,
  placeOfCommand,
  runCommand,
  type Signals,
} from './child-command.js';
import { type RunOrder, runOrder } from './run-order.js';

export const run: Command = {
  name: 'run',
  summary: 'run a command at most once per scheduled time, and never two at once',
  usage:
    '--name N [--tick T | --schedule S [--time-zone Z]] [--keep-alive] [--at-most D] [--at-least D] [--quiet] -- COMMAND [ARGUMENT...]',
  operands: [0, 0],
  options: {
    name: { value: 'N', help: 'of the lock' },
    tick: { value: 'T', help: 'the scheduled time that this run is for, or nearest with --schedule; else none' },
    schedule: {
      value: 'S',
      help: "of the job, such as '0 9 * * *': the tick is its instant that is due by this clock",
    },
    'time-zone': { value: 'Z', help: 'of the schedule, such as Europe/Berlin; else UTC' },
    'keep-alive': { help: 'renew the lease while the command runs, for 24 h at most; the default without --at-most' },
    'at-most': { value: 'D', help: 'the lease, such as 15m: how long the lock outlives a host that dies; else 30s' },
    'at-least': { value: 'D', help: 'hold the lock at least this long after the start of a run that succeeds' },
    quiet: { help: 'write no line for a skip; the exit code is still 75' },
  },
  about: [
    'The command finds SINGLE_EXECUTION_NAME, SINGLE_EXECUTION_FENCING_TOKEN and, for a run with a tick, SINGLE_EXECUTION_TICK in its environment. It has the streams of this process. Signals are forwarded to it. If no stream is a terminal, its child processes get them too, and the lock is free once all of them have ended. The lines of run itself go to stderr, with --json as JSON.',
    'The exit code is that of the command, or 128 + n if signal n has ended it. A tick is done when its command exits with 0; otherwise it stays open, and a call for it runs.',
    '75: skipped, the command did not run. 69: the store could not be reached or refused the call, the command did not run. 70: the lock was lost before the command ended.',
    'When the lock is lost, the command is sent SIGTERM, and SIGKILL 10 s later. Another run may start meanwhile: the resource that the command writes to must refuse an older fencing token.',
  ],
  examples: [
    "single-execution run --name backup --schedule '0 2 * * *' --table locks -- ./backup.sh",
    'single-execution run --name import --tick 2026-11-21T02:00:00Z --at-most 15m --table locks -- node import.js',
  ],
  async run(session) {
    const seen = { lost: false, started: false };
    const stop = new AbortController();
    const observe = (event: LockEvent) => {
      tell(session, event);
      if (event.type !== 'lost') return;
      seen.lost = true;
      stop.abort();
    };
    const order = runOrder(session, [observe]);
    // Report wrong use before the store can fail.
    storeAddress(session, session.env);
    const place = placeOfCommand();
    const signals = listenForSignals(place);
    const note = (words: string) => session.terminal.note(`single-execution: ${words}`);
    const task = (execution: Execution) => {
      seen.started = true;
      execution.signal.addEventListener('abort', () => {
        // If this process was asked to end, the command got that signal too.
        if (!isShutdown(execution.signal.reason)) stop.abort();
      });
      const env = commandEnvironment(session.env, execution);
      return runCommand(order.command, env, { place, signals, stop: stop.signal, clock: session.clock, note });
    };
    try {
      const { exitCode } = await execute(task, order, session, signals);
      return seen.lost ? EXIT.lost : exitCode;
    } catch (error) {
      if (seen.lost) return EXIT.lost;
      if (error instanceof CommandFailed) return failedCode(session, error);
      if (isShutdown(error) || (signals.asked.aborted && !seen.started))
        return exitCodeOf(String(signals.asked.reason));
      if (seen.started || (error instanceof CliError && error.exitCode === EXIT.wrongUse)) throw error;
      throw new CliError(`the command did not run: ${(error as Error).message}`, EXIT.outOfReach);
    } finally {
      signals.close();
    }
  },
};

async function execute(
  task: (execution: Execution) => Promise<void>,
  { name, tickMs, leaseMs, settings }: RunOrder,
  session: Session,
  signals: Signals,
): Promise<{ readonly exitCode: number }> {
  const { store } = await session.store();
  const lockedBy = `${hostname()} process ${process.pid}`;
  const order = { name, lockedBy, leaseMs, ...defined({ tickMs }), shutdown: signals.asked };
  const outcome: Outcome<void> = await runLocked(task, order, withStore(settings, store));
  return { exitCode: outcome.status === 'skipped' ? EXIT.skipped : EXIT.done };
}

function isShutdown(reason: unknown): boolean {
  return reason instanceof DeadlineError && reason.code === 'SHUTDOWN';
}

function commandEnvironment(env: Environment, { name, tick, fencingToken }: Execution): Environment {
  return {
    ...env,
    SINGLE_EXECUTION_NAME: name,
    SINGLE_EXECUTION_FENCING_TOKEN: String(fencingToken),
    // Do not inherit the tick of an outer run.
    SINGLE_EXECUTION_TICK: tick?.toISOString(),
  };
}

function failedCode({ terminal }: Session, { message, exitCode }: CommandFailed): number {
  if (exitCode === 126 || exitCode === 127) terminal.note(`single-execution: ${message}`);
  return exitCode;
}

/** Writes the events that an operator must see. */
function tell({ terminal, has, text }: Session, event: LockEvent): void {
  // A tick that the user gave need not be printed.
  const words = wordsFor(event, text('schedule') === undefined ? undefined : event.tick);
  if (words === undefined || (event.type === 'skipped' && has('quiet'))) return;
  if (has('json')) terminal.noteJson({ ...event, ...('error' in event ? { error: errorWords(event.error) } : {}) });
  else terminal.note(`single-execution: "${event.name}" ${words}`);
}

function wordsFor(event: LockEvent, tick: Date | undefined): string | undefined {
  switch (event.type) {
    case 'acquired':
      return tick && `runs for its tick ${shortInstant(tick)}`;
    case 'skipped': {
      const { reason, holder } = event;
      const by = holder && reason === 'locked' ? ` by ${holder.lockedBy} until ${holder.lockUntil}` : '';
      return `skipped: ${reason}${by}${tick ? `, tick ${shortInstant(tick)}` : ''}`;
    }
    case 'lost':
      return 'lost its lock before the command ended; ending the command';
    case 'extend-failed':
      return `could not renew its lease: ${errorWords(event.error)}`;
    case 'release-failed':
      return `could not be released: ${errorWords(event.error)}`;
    case 'recovered':
      return 'takes over from a run that crashed';
    case 'missed':
      return `missed ${event.ticks.length + event.others} ticks before this one: ${event.others > 0 ? '…, ' : ''}${event.ticks.map(shortInstant).join(', ')}`;
    case 'given-up':
      return `gives up ${event.ticks.length + event.others} ticks: ${event.others > 0 ? '…, ' : ''}${event.ticks.map(shortInstant).join(', ')}`;
    case 'clock-skew':
      return `has a clock that is off by ${event.minMs} to ${event.maxMs} ms`;
    default:
      return undefined;
  }
}

function errorWords(error: unknown): string {
  return error instanceof Error ? error.message : typeof error;
}
