import type { Command } from '../command.js';
import { EXIT } from '../exit-code.js';
import { unknownLock } from '../known-lock.js';
import { nameOf } from '../read-value.js';

export const resume: Command = {
  name: 'resume',
  summary: 'end a pause',
  usage: 'NAME',
  operands: [1, 1],
  options: {},
  about: ['For a lock that is not paused, nothing changes, and the exit code is 0.'],
  examples: ['single-execution resume send-digest --table locks'],
  async run(session) {
    const name = nameOf(session.operands);
    const result = await (await session.admin()).resume(name);
    if (result === 'unknown') throw unknownLock(name);
    if (session.has('json')) session.terminal.json({ name, result });
    else session.terminal.line(result === 'resumed' ? `"${name}" is resumed` : `"${name}" was not paused`);
    return EXIT.done;
  },
};
