import type { Command } from '../command.js';
import { EXIT } from '../exit-code.js';
import { knownLock } from '../known-lock.js';
import { printTicks } from '../print-ticks.js';
import { nameOf } from '../read-value.js';

export const open: Command = {
  name: 'open',
  summary: 'list the ticks that are not done',
  usage: 'NAME',
  operands: [1, 1],
  options: {},
  about: [
    'Ticks that failed, crashed, were ended by force, never came or were listed by backfill, oldest first. A call for one of them runs, once.',
    'The JSON is an array of instants.',
  ],
  examples: ['single-execution open send-digest --json --table locks'],
  async run(session) {
    const { openTicks = [] } = await knownLock(await session.admin(), nameOf(session.operands));
    printTicks(session, openTicks, 'no open ticks');
    return EXIT.done;
  },
};
