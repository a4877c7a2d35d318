import { verdictOf } from '../../operate/verdict.js';
import type { Command } from '../command.js';
import { EXIT } from '../exit-code.js';
import { findLock } from '../known-lock.js';
import { instantOf, nameOf } from '../read-value.js';

export const why: Command = {
  name: 'why',
  summary: 'say whether a run would be skipped, and why',
  usage: 'NAME [--tick T]',
  operands: [1, 1],
  options: {
    tick: { value: 'T', help: 'the tick of the run, such as 2026-11-21T02:00:00Z; else a run without a tick' },
  },
  about: [
    'Judges as a run would, by the record of the lock and the clock of this host. Nothing is written.',
    'A name without a record exits with 3: check it, if the job has run before.',
  ],
  examples: ['single-execution why send-digest --tick 2026-11-21T02:00:00Z --table locks'],
  async run(session) {
    const name = nameOf(session.operands);
    const tick = session.text('tick');
    const at = tick === undefined ? undefined : instantOf('--tick', tick);
    const lock = await findLock(await session.admin(), name);
    const verdict = verdictOf(name, lock, session.clock.now(), at);
    if (session.has('json')) session.terminal.json(verdict);
    else session.terminal.line(verdict.sentence);
    return lock ? EXIT.done : EXIT.notFound;
  },
};
