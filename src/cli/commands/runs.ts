import type { RunInfo } from '../../admin/lock-admin.js';
import { runSpan, shortInstant, toTheSecond } from '../../operate/span.js';
import type { Command } from '../command.js';
import { EXIT } from '../exit-code.js';
import { knownLock } from '../known-lock.js';
import { nameOf } from '../read-value.js';
import { resultColour } from '../state-colour.js';
import { type Cell, printTable } from '../text-table.js';

const HEADINGS = ['STATUS', 'TICK', 'LOCKED AT', 'TOOK', 'TOKEN', 'CAUGHT UP'];

export const runs: Command = {
  name: 'runs',
  summary: 'list the last ten runs of a lock, newest first',
  usage: 'NAME',
  operands: [1, 1],
  options: {},
  about: [
    'A crashed run is listed once the next run has ended; of several crashes in a row only the last one is listed. Its TOOK is unknown. A run that an operator ended is forced, and its TOOK ends then. CAUGHT UP counts the older ticks that a run ran before its own.',
  ],
  examples: ['single-execution runs send-digest --table locks'],
  async run(session) {
    const name = nameOf(session.operands);
    const { terminal } = session;
    const { runs: found } = await knownLock(await session.admin(), name);
    if (session.has('json')) terminal.json(found);
    else if (found.length === 0) terminal.note('no runs yet');
    else printTable(terminal, HEADINGS, found.map(cells));
    return EXIT.done;
  },
};

function cells({ status, tick, lockedAt, durationMs, fencingToken, caughtUp }: RunInfo): readonly Cell[] {
  return [
    { text: status, colour: resultColour(status) },
    tick ? shortInstant(tick) : '-',
    toTheSecond(lockedAt),
    durationMs === undefined ? '-' : runSpan(durationMs),
    String(fencingToken),
    caughtUp === undefined ? '-' : String(caughtUp),
  ];
}
