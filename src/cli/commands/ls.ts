import type { LockInfo } from '../../admin/lock-admin.js';
import { parseDuration } from '../../index.js';
import { withDueTicks } from '../../operate/due-ticks.js';
import {
  isIdle,
  type LockSummary,
  lockSummary,
  missedCount,
  missedTicksOf,
  openCount,
} from '../../operate/lock-summary.js';
import { shortInstant, shortSpan, tickWords, toTheSecond } from '../../operate/times.js';
import type { Command } from '../command.js';
import { EXIT, wrongUse } from '../exit-code.js';
import { type Cell, printTable, resultCell, stateCell } from '../print.js';
import type { Session } from '../session.js';

const LOOK_EVERY_MS = 2_000;
const HEADINGS = ['NAME', 'STATE', 'HOLDER', 'TICK', 'AGE', 'LEFT', 'LAST', 'LAST TICK', 'OPEN', 'FAILURES', 'NEXT'];

export const ls: Command = {
  name: 'ls',
  summary: 'list the locks',
  usage: '[--watch] [--idle D]',
  operands: [0, 0],
  options: {
    watch: { help: 'show the list anew every 2 seconds, until Ctrl-C' },
    idle: { value: 'D', help: 'only locks that were not used for this long, such as 90d' },
  },
  about: [
    'One line a lock: its state and, if a run has it, the holder, the tick of that run, the time since it took the lock (AGE) and the time until others may take it (LEFT). While an operator pauses a job, its state is paused, followed by the state without the pause.',
    'LAST is the result of the last run that has ended, and LAST TICK its tick. A run that an operator ended is forced.',
    'OPEN counts the ticks that are not done: they failed, crashed, were ended by force or were missed. Missed are those that were due during the last ten runs and had no run of their own: their calls never came, or were skipped, for example while the job was paused. A record keeps the newest eight: 8+ means that older ones may be forgotten. FAILURES counts the runs since the last success.',
    'NEXT is the next tick of the schedule in the record, or for how long a tick is overdue; see single-execution check --help. A record has its schedule from the first call with a tick, if the text of the schedule takes at most 100 bytes and the tool can read it.',
    'The times are compared with the clock of this host. DynamoDB reads the whole table.',
  ],
  examples: ['single-execution ls --table locks', 'single-execution ls --table locks --idle 90d'],
  async run(session) {
    const idle = session.text('idle');
    const idleMs = idle === undefined ? undefined : parseDuration(idle, '--idle');
    const isWatch = session.has('watch');
    if (isWatch && session.has('json')) throw wrongUse('--watch and --json exclude each other: leave one of them out');
    if (isWatch && !session.terminal.isInteractive) throw wrongUse('--watch needs a terminal: leave it out');
    if (isWatch) return watch(session, idleMs);
    const locks = await listed(session, idleMs);
    if (session.has('json'))
      session.terminal.json(locks.map((lock) => ({ ...withDueTicks(lock), missedTicks: missedTicksOf(lock) })));
    else print(session, locks);
    return EXIT.done;
  },
};

async function listed({ clock, admin }: Session, idleMs: number | undefined): Promise<readonly LockInfo[]> {
  const locks = await admin.list();
  return idleMs === undefined ? locks : locks.filter((lock) => isIdle(lock, clock.now(), idleMs));
}

/** Prints the list again and again until Ctrl-C. */
async function watch(session: Session, idleMs: number | undefined): Promise<never> {
  for (;;) {
    const locks = await listed(session, idleMs);
    session.terminal.clear();
    session.terminal.line({ text: toTheSecond(new Date(session.clock.now())), colour: 'dim' });
    print(session, locks);
    await new Promise<void>((resolve) => session.clock.setTimer(resolve, LOOK_EVERY_MS));
  }
}

function print({ terminal, clock }: Session, locks: readonly LockInfo[]): void {
  if (locks.length === 0) {
    terminal.note('no locks');
    return;
  }
  const now = clock.now();
  printTable(
    terminal,
    HEADINGS,
    locks.map((lock) => cells(lockSummary(withDueTicks(lock), now), now)),
  );
}

function cells(lock: LockSummary, nowMs: number): readonly Cell[] {
  const { name, holder = '-', ageMs, leftMs, lastResult, lastTick, isLastManual, failuresInARow } = lock;
  return [
    name,
    stateCell(lock),
    holder,
    tickWords(lock) ?? '-',
    ageMs === undefined ? '-' : shortSpan(ageMs),
    leftMs === undefined ? '-' : shortSpan(leftMs),
    lastResult ? resultCell(lastResult) : '-',
    lastTick ? shortInstant(lastTick) : isLastManual ? 'now' : '-',
    openWords(lock),
    failuresInARow === 0 ? '-' : { text: String(failuresInARow), colour: 'red' },
    nextCell(lock, nowMs),
  ];
}

function nextCell({ due: { overdueTick, nextTick, scheduleProblem } }: LockSummary, nowMs: number): Cell {
  if (overdueTick) return { text: `overdue ${shortSpan(nowMs - overdueTick.getTime())}`, colour: 'red' };
  if (scheduleProblem !== undefined) return { text: 'unreadable', colour: 'red' };
  return nextTick ? shortInstant(nextTick) : '-';
}

function openWords(lock: LockSummary): string {
  if (lock.openTicks.length === 0) return '-';
  const count = openCount(lock);
  return lock.missedTicks.length === 0 ? count : `${count} (${missedCount(lock)} missed)`;
}
