import { userInfo } from 'node:os';
import { parseDuration } from '../../index.js';
import { pauseWords } from '../../operate/verdict.js';
import type { Command } from '../command.js';
import { EXIT, wrongUse } from '../exit-code.js';
import { nameIn, unknownLock } from '../known-lock.js';
import { instantOf } from '../read-value.js';
import type { Session } from '../session.js';

export const pause: Command = {
  name: 'pause',
  summary: 'let every run of a job skip, without a deployment',
  usage: 'NAME [--until T] [--by WHO]',
  operands: [1, 1],
  options: {
    until: { value: 'T', help: 'the end of the pause, an instant, or a duration from now such as 2h; by default none' },
    by: { value: 'WHO', help: 'who pauses, for people; by default the user of this process' },
  },
  about: [
    'Every call is skipped as paused until resume, or until the given time. A run in progress goes on.',
    'A name that no job has used yet can be paused too; a note says so.',
  ],
  examples: ['single-execution pause send-digest --until 2h --table locks'],
  async run(session) {
    const name = nameIn(session);
    const until = untilOf(session);
    const by = session.text('by') ?? userName();
    const lock = await session.admin.pause(name, { by, ...(until && { until }) });
    if (lock.underlyingState === 'unused')
      session.terminal.note(`no job of the name "${name}" has run: check the name`);
    if (session.has('json')) session.terminal.json(lock);
    else session.terminal.line(`"${name}" is ${lock.paused ? pauseWords(lock.paused) : lock.state}`);
    return EXIT.done;
  },
};

export const resume: Command = {
  name: 'resume',
  summary: 'end a pause',
  usage: 'NAME',
  operands: [1, 1],
  options: {},
  about: ['For a lock that is not paused, nothing changes, and the exit code is 0.'],
  examples: ['single-execution resume send-digest --table locks'],
  async run(session) {
    const name = nameIn(session);
    const result = await session.admin.resume(name);
    if (result === 'unknown') throw unknownLock(name);
    if (session.has('json')) session.terminal.json({ name, result });
    else session.terminal.line(result === 'resumed' ? `"${name}" is resumed` : `"${name}" was not paused`);
    return EXIT.done;
  },
};

function untilOf({ clock, ...line }: Session): Date | undefined {
  const text = line.text('until');
  if (text === undefined) return undefined;
  const isSpan = /^(\d|P)/i.test(text) && !/^\d{4}-|^\d{13}$/.test(text);
  const until = isSpan ? new Date(clock.now() + parseDuration(text, '--until')) : instantOf('--until', text);
  if (until.getTime() > clock.now()) return until;
  throw wrongUse(`--until is ${text}, which is over: pass a later instant`);
}

function userName(): string {
  try {
    return userInfo().username || 'operator';
  } catch {
    // A container may run as a user without a name.
    return 'operator';
  }
}
