import { hostname } from 'node:os';
import {
  type ExecuteOptions,
  type Execution,
  executeWithLock,
  type LockEvent,
  LockStoreError,
  RunEndedError,
} from '../../index.js';
import { loggerObserver } from '../../observe/observe.js';
import { dueTick, reportMisfit, shortInstant, strayWords } from '../../operate/times.js';
import type { Command } from '../command.js';
import { CliError, EXIT, isWrongUse, messageWithCause, quoted, wrongUse } from '../exit-code.js';
import type { Environment } from '../option.js';
import { given, instantOf, scheduleOf } from '../read-value.js';
import type { Session } from '../session.js';
import { namedStore } from '../store/kinds.js';
import { CommandFailed, exitCodeOf, listenForSignals, placeOfCommand, runCommand } from './child-command.js';
import { tickFrom } from './kubernetes-tick.js';

export const run: Command = {
  name: 'run',
  summary: 'run a command at most once per scheduled time, and never two at once',
  usage:
    '--name N [--tick T | --tick-from kubernetes] [--schedule S [--time-zone Z]] [--now] [--keep-alive] [--at-most D] [--at-least D] [--quiet] -- COMMAND [ARGUMENT...]',
  operands: [0, 0],
  options: {
    name: { value: 'N', help: 'of the lock' },
    tick: { value: 'T', help: 'the scheduled time that this run is for, or nearest with --schedule; by default none' },
    'tick-from': {
      value: 'kubernetes',
      help: 'the scheduled time is in the name of the Job of a CronJob, which JOB_NAME holds; a Job made by hand is a run by hand',
    },
    schedule: {
      value: 'S',
      help: "of the job, such as '0 9 * * *': the tick is its instant that is due by this clock; '0 9 * * * except 2026-12-25' skips that day",
    },
    'time-zone': { value: 'Z', help: 'of the schedule, such as Europe/Berlin; by default UTC' },
    now: { help: 'run by hand: without a tick, whatever the schedule, and without a change to its ticks' },
    'keep-alive': { help: 'renew the lease while the command runs, for 24 h at most; the default without --at-most' },
    'at-most': {
      value: 'D',
      help: 'the lease, such as 15m: how long the lock outlives a host that dies; by default 30s',
    },
    'at-least': { value: 'D', help: 'hold the lock at least this long after the start of a run that succeeds' },
    quiet: { help: 'write lines for problems only, and none for a skip; the exit code is still 75' },
  },
  about: [
    'The command finds SINGLE_EXECUTION_NAME, SINGLE_EXECUTION_FENCING_TOKEN and, for a run with a tick, SINGLE_EXECUTION_TICK in its environment. It has the streams of this process. Signals are forwarded to it. If no stream is a terminal, its child processes get them too, and the lock is free once all of them have ended. The lines of run itself go to stderr, with --json as JSON.',
    'The exit code is that of the command, or 128 + n if signal n has ended it. A tick is done when its command exits with 0; otherwise it stays open, and a call for it runs.',
    '75: skipped, the command did not run. 69: the store could not be reached or refused the call, the command did not run. 70: the lock was lost before the command ended.',
    'When the lock is lost, the command is sent SIGTERM, and SIGKILL 10 s later. Another run may start meanwhile: the resource that the command writes to must refuse an older fencing token.',
  ],
  examples: [
    "single-execution run --name backup --schedule '0 2 * * *' --table locks -- ./backup.sh",
    "single-execution run --name backup --tick-from kubernetes --schedule '0 2 * * *' --table locks -- ./backup.sh",
    "single-execution run --name backup --schedule '0 2 * * *' --now --table locks -- ./backup.sh",
    'single-execution run --name import --tick 2026-11-21T02:00:00Z --at-most 15m --table locks -- node import.js',
  ],
  async run(session) {
    const note = (words: string) => session.terminal.note(`single-execution: ${words}`);
    const { command, ...order } = orderOf(session, note);
    // Report wrong use before the store can fail.
    const named = namedStore(session, session.env);
    const seen = { lost: false, started: false };
    const stop = new AbortController();
    const observe = ({ type }: LockEvent) => {
      if (type !== 'lost') return;
      seen.lost = true;
      stop.abort();
    };
    const place = placeOfCommand();
    const signals = listenForSignals(place);
    const caution = named.kind.caution?.(named);
    if (caution !== undefined) note(caution);
    const task = (execution: Execution) => {
      seen.started = true;
      noteMisfit(execution, order.schedule, session.clock, note);
      execution.signal.addEventListener('abort', () => {
        // If this process was asked to end, the command got that signal too.
        if (!isShutdown(execution.signal.reason)) stop.abort();
      });
      const env = commandEnvironment(session.env, execution);
      return runCommand(command, env, { place, signals, stop: stop.signal, clock: session.clock, note });
    };
    try {
      const observers = [observe, ...operatorsLines(session)];
      const { status } = await executeWithLock(task, { ...order, observers, signal: signals.asked });
      if (seen.lost) return EXIT.lost;
      return status === 'skipped' ? EXIT.skipped : EXIT.done;
    } catch (error) {
      if (seen.lost) return EXIT.lost;
      if (error instanceof CommandFailed) return failedCode(session, error);
      if (seen.started) throw error;
      if (signals.asked.aborted) return exitCodeOf(String(signals.asked.reason));
      throw notBegun(error);
    } finally {
      signals.close();
    }
  },
};

/** What to run, under which lock. @throws CliError, TypeError or RangeError for invalid options */
function orderOf(
  session: Session,
  note: (words: string) => void,
): ExecuteOptions & { readonly command: readonly string[] } {
  const { rest: command = [], clock, store } = session;
  const [name, expression] = ['name', 'schedule'].map((option) => session.text(option));
  if (name === undefined) throw wrongUse('run needs --name: pass a name for the lock');
  if (command.length === 0) throw wrongUse('run needs a command: put it behind --, as in run --name N -- backup.sh');
  if (command[0] === '') throw wrongUse("the command behind -- is '': name it first, as in -- backup.sh");
  if (expression === undefined && session.has('time-zone')) throw wrongUse('--time-zone needs --schedule: pass both');
  const schedule = expression === undefined ? undefined : scheduleOf(expression, session.text('time-zone'));
  return {
    command,
    name,
    store,
    clock,
    lockedBy: `${hostname()} process ${process.pid}`,
    // The duration of a command is unknown, so without a chosen lease the lock is kept alive.
    keepAlive: session.has('keep-alive') || !session.has('at-most'),
    ...given(session, { 'at-most': 'lockAtMostFor', 'at-least': 'lockAtLeastFor' }),
    ...(schedule && { schedule }),
    // Whoever writes a day behind `except` wants no run on it. A caller of the library has an option for that.
    ...(isWithExceptions(schedule) && { offSchedule: 'skip' as const }),
    ...tickOf(session, schedule, note),
  };
}

/** The tick of a run, as the command line names it. @throws CliError, TypeError or RangeError for invalid options */
function tickOf(
  session: Session,
  schedule: ExecuteOptions['schedule'],
  note: (words: string) => void,
): Pick<ExecuteOptions, 'tick' | 'isManual'> {
  const { clock } = session;
  const [tick, source] = ['tick', 'tick-from'].map((option) => session.text(option));
  if (tick !== undefined && source !== undefined) throw wrongUse('--tick and --tick-from exclude each other: pass one');
  if (tick !== undefined && session.has('now')) {
    throw wrongUse(`--tick ${quoted(tick)} and --now exclude each other: a run by hand has no tick; pass one of them`);
  }
  if (tick === 'nearest' && schedule === undefined) throw wrongUse('--tick nearest needs --schedule: pass both');
  if (tick !== undefined && tick !== 'nearest' && schedule !== undefined) {
    throw wrongUse(`--tick ${quoted(tick)} and --schedule exclude each other: pass one of them`);
  }
  if (session.has('now')) return BY_HAND;
  if (source !== undefined) {
    const at = tickFrom(source, session.env, clock.now(), note);
    if (at && typeof schedule === 'object' && !isWithExceptions(schedule)) {
      const stray = strayWords(String(session.text('name')), schedule, at);
      if (stray) note(`${stray}: pass the --schedule and the --time-zone of the CronJob`);
    }
    return at ? { tick: at } : BY_HAND;
  }
  const due = schedule && dueTick(typeof schedule === 'object' ? schedule : undefined, clock);
  const at = due ?? (tick === undefined || schedule ? undefined : instantOf('--tick', tick));
  return at ? { tick: at } : {};
}

const isWithExceptions = (schedule: ExecuteOptions['schedule']) => String(schedule).includes(' except ');

/** A run that stands for no tick of its schedule. */
const BY_HAND = { isManual: true } as const;

/** Notes that this run and the one before come at the same distance from a tick: the schedule has another time zone, say. */
function noteMisfit(
  { name, previous, tick }: Execution,
  schedule: ExecuteOptions['schedule'],
  clock: Session['clock'],
  note: (words: string) => void,
): void {
  if (typeof schedule !== 'object' || tick === undefined || previous === undefined) return;
  reportMisfit(name, schedule, [previous.lockedAt, new Date(clock.now())], note);
}

/** The error of a call that has not begun its command. */
function notBegun(error: unknown): Error {
  const cause = error instanceof LockStoreError && error.cause instanceof CliError ? error.cause : (error as Error);
  return isWrongUse(cause)
    ? cause
    : new CliError(`the command did not run: ${messageWithCause(cause)}`, EXIT.outOfReach);
}

function isShutdown(reason: unknown): boolean {
  return reason instanceof RunEndedError && reason.code === 'SHUTDOWN';
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

/** Observers that write the lines of the log that an operator must see, and the tick that the schedule chose. */
function operatorsLines({ terminal, has, text }: Session): ((event: LockEvent) => unknown)[] {
  // The user gave the tick: it need not be printed.
  const isGiven = text('schedule') === undefined && text('tick-from') === undefined;
  const tickOf = ({ tick }: LockEvent) => (tick && !isGiven ? shortInstant(tick) : undefined);
  const write = (message: string, { lockEvent: event }: { readonly lockEvent: LockEvent }) => {
    // The error of an acquire is printed when the command line fails with it.
    if (event.type === 'acquire-failed' || (event.type === 'skipped' && has('quiet'))) return;
    if (has('json')) return terminal.noteJson(event);
    const tick = event.type === 'skipped' ? tickOf(event) : undefined;
    terminal.note(`single-execution: ${[message, ...moreOf(event), ...(tick ? [`tick ${tick}`] : [])].join(': ')}`);
  };
  const printTick = (event: LockEvent) => {
    const tick = tickOf(event);
    if (event.type !== 'acquired' || has('quiet') || !(tick || event.isManual)) return;
    if (has('json')) terminal.noteJson(event);
    else terminal.note(`single-execution: lock "${event.name}": runs ${tick ? `for its tick ${tick}` : 'by hand'}`);
  };
  return [printTick, loggerObserver({ info: has('quiet') ? () => {} : write, warn: write, error: write })];
}

/** What an event adds to its line of the log: its error or its ticks. */
function moreOf(event: LockEvent): string[] {
  if ('error' in event) return [String(event.error)];
  return 'ticks' in event ? [`${event.others > 0 ? '…, ' : ''}${event.ticks.map(shortInstant).join(', ')}`] : [];
}
