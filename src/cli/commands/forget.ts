import type { Command } from '../command.js';
import { EXIT, wrongUse } from '../exit-code.js';
import { knownLock } from '../known-lock.js';
import { printTicks } from '../print-ticks.js';
import { instantOf, nameOf } from '../read-value.js';

/** The most ticks that can be open. */
const MOST_TICKS = 100;

export const forget: Command = {
  name: 'forget',
  summary: 'give up on open ticks',
  usage: 'NAME (TICK... | --all)',
  operands: [1, 1 + MOST_TICKS],
  options: { all: { help: 'all ticks that are open' } },
  about: [
    'A call for a forgotten tick is skipped as stale-tick. Prints the ticks that were open and are given up. No run may hold the lock.',
    'A tick that is newer than the newest one done stays open until a newer one is done.',
  ],
  examples: ['single-execution forget send-digest 2026-11-20T09:00:00Z --table locks'],
  async run(session) {
    const name = nameOf(session.operands);
    const given = session.operands.slice(1).map((text) => instantOf('TICK', text));
    if (given.length > 0 === session.has('all')) throw wrongUse('forget takes ticks or --all: give one of them');
    const admin = await session.admin();
    const { openTicks = [] } = await knownLock(admin, name);
    printTicks(session, await admin.forget(name, session.has('all') ? openTicks : given), 'none of them was open');
    return EXIT.done;
  },
};
