import { lockFacts, missedTicksOf } from '../../operate/lock-summary.js';
import type { Command } from '../command.js';
import { EXIT } from '../exit-code.js';
import { knownLock } from '../known-lock.js';
import { nameOf } from '../read-value.js';
import { printFacts } from '../text-table.js';

export const show: Command = {
  name: 'show',
  summary: 'show all facts of one lock',
  usage: 'NAME',
  operands: [1, 1],
  options: {},
  about: [
    'State, pause, the holder or the last one with its tick, fencing token, and the result of the last run that has ended, with its tick or else its token. The JSON is the LockInfo of lockAdmin, with missedTicks: the open ticks that were due during the last ten runs, but that none of these runs was for.',
  ],
  examples: ['single-execution show send-digest --table locks'],
  async run(session) {
    const name = nameOf(session.operands);
    const lock = await knownLock(await session.admin(), name);
    if (session.has('json')) session.terminal.json({ ...lock, missedTicks: missedTicksOf(lock) });
    else printFacts(session.terminal, lockFacts(lock, session.clock.now()));
    return EXIT.done;
  },
};
