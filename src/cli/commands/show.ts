import type { RunInfo } from '../../admin/lock-admin.js';
import { withDueTicks } from '../../operate/due-ticks.js';
import { lockFacts, missedTicksOf, overdueWords } from '../../operate/lock-summary.js';
import { runSpan, tickWords, toTheSecond } from '../../operate/times.js';
import { verdictOf } from '../../operate/verdict.js';
import type { Command } from '../command.js';
import { EXIT } from '../exit-code.js';
import { findLock, knownLock, nameIn } from '../known-lock.js';
import { type Cell, printFacts, printTable, resultCell } from '../print.js';
import { instantOf } from '../read-value.js';

export const show: Command = {
  name: 'show',
  summary: 'show all facts of one lock',
  usage: 'NAME',
  operands: [1, 1],
  options: {},
  about: [
    'State, pause, the holder or the last one with its tick, fencing token, and the result of the last run that has ended, with its tick or else its token. If the record has a schedule: the schedule, its next tick, and the tick that is overdue. The JSON is the LockInfo of lockAdmin, with nextTick, overdueTick and missedTicks: the open ticks that were due during the last ten runs and had no run of their own.',
  ],
  examples: ['single-execution show send-digest --table locks'],
  async run(session) {
    const lock = withDueTicks(await knownLock(session));
    if (session.has('json')) session.terminal.json({ ...lock, missedTicks: missedTicksOf(lock) });
    else printFacts(session.terminal, lockFacts(lock, session.clock.now()));
    return EXIT.done;
  },
};

const HEADINGS = ['STATUS', 'TICK', 'LOCKED AT', 'TOOK', 'TOKEN', 'CAUGHT UP'];

export const runs: Command = {
  name: 'runs',
  summary: 'list the last ten runs of a lock, newest first',
  usage: 'NAME',
  operands: [1, 1],
  options: {},
  about: [
    'A crashed run is listed once the next run has ended; of several crashes in a row only the last one is listed. Its TOOK is unknown. A run that an operator ended is forced, and its TOOK ends then. The TICK of a run by hand is now. CAUGHT UP counts the older ticks that a run ran before its own.',
  ],
  examples: ['single-execution runs send-digest --table locks'],
  async run(session) {
    const { terminal } = session;
    const { runs: found } = await knownLock(session);
    if (session.has('json')) terminal.json(found);
    else if (found.length === 0) terminal.note('no runs yet');
    else printTable(terminal, HEADINGS, found.map(cells));
    return EXIT.done;
  },
};

function cells(run: RunInfo): readonly Cell[] {
  const { status, lockedAt, durationMs, fencingToken, caughtUp } = run;
  return [
    resultCell(status),
    tickWords(run) ?? '-',
    toTheSecond(lockedAt),
    durationMs === undefined ? '-' : runSpan(durationMs),
    String(fencingToken),
    caughtUp === undefined ? '-' : String(caughtUp),
  ];
}

export const why: Command = {
  name: 'why',
  summary: 'say whether a run would be skipped, and why',
  usage: 'NAME [--tick T]',
  operands: [1, 1],
  options: {
    tick: { value: 'T', help: 'the tick of the run, such as 2026-11-21T02:00:00Z; by default a run without a tick' },
  },
  about: [
    'Judges as a run would, by the record of the lock and by the clock of the store, or else by that of this host. Nothing is written.',
    'A name without a record exits with 3: check it, if the job has run before.',
  ],
  examples: ['single-execution why send-digest --tick 2026-11-21T02:00:00Z --table locks'],
  async run(session) {
    const name = nameIn(session);
    const tick = session.text('tick');
    const at = tick === undefined ? undefined : instantOf('--tick', tick);
    const lock = await findLock(session.admin, name);
    const verdict = verdictOf(name, lock, session.clock.now(), at);
    const { overdueTick } = lock ? withDueTicks(lock) : {};
    if (session.has('json')) session.terminal.json({ ...verdict, ...(overdueTick && { overdueTick }) });
    else session.terminal.line(verdict.sentence);
    if (overdueTick && !session.has('json')) {
      session.terminal.line(
        `The job is overdue: its tick ${overdueWords(overdueTick, session.clock.now())}, is not done.`,
      );
    }
    return lock ? EXIT.done : EXIT.notFound;
  },
};
