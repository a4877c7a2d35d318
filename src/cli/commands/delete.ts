import type { DeleteResult } from '../../admin/lock-admin.js';
import { stateWords } from '../../operate/lock-summary.js';
import { shellWord } from '../../operate/verdict.js';
import type { Command } from '../command.js';
import { EXIT, failed, wrongUse } from '../exit-code.js';
import { knownLock, nameIn, unknownLock } from '../known-lock.js';
import { tokenOf } from '../read-value.js';
import type { Session } from '../session.js';

const UNCHANGED: Readonly<Record<Exclude<DeleteResult, 'deleted' | 'unknown'>, string>> = {
  held: 'a run has it, or its holder died and its lease is not over; wait, or end the run with unlock',
  changed: 'it has another token by now, or was paused or resumed meanwhile; look again',
};

export const deleteLock: Command = {
  name: 'delete',
  summary: 'retire the lock of a job that is gone',
  usage: 'NAME [--yes] [--token N]',
  operands: [1, 1],
  options: {
    yes: { help: 'do not ask' },
    token: { value: 'N', help: 'the fencing token that you saw; if the lock has another by now, nothing is deleted' },
  },
  about: [
    'Forgets the ticks that are done, the history and the pause, so that a duplicate of an old tick runs again. Fencing tokens keep rising. If a run has the lock, nothing changes and the exit code is 1.',
  ],
  examples: ['single-execution delete send-digest --table locks'],
  async run(session) {
    const name = nameIn(session);
    const given = session.text('token');
    const token = given === undefined ? undefined : tokenOf(given);
    checkAsked(session, name);
    const lock = await knownLock(session);
    if (!session.has('yes')) {
      session.terminal.note(`"${name}" is ${stateWords(lock)}, with token ${lock.fencingToken ?? 0}.`);
      if (!(await session.terminal.confirm(`Delete the lock ${name}?`))) throw failed('nothing was changed');
    }
    const result = await session.admin.delete(name, { fencingToken: token ?? lock.fencingToken ?? 0 });
    if (result === 'unknown') throw unknownLock(name);
    if (result !== 'deleted') throw failed(`the lock "${name}" is not deleted: ${UNCHANGED[result]}`);
    if (session.has('json')) session.terminal.json({ name, result });
    else session.terminal.line(`deleted "${name}"`);
    return EXIT.done;
  },
};

/** @throws CliError if nobody can be asked, because there is no terminal, and --yes is not given */
function checkAsked(session: Session, name: string): void {
  if (session.has('yes') || session.terminal.isInteractive) return;
  throw wrongUse(
    `delete asks, and there is no terminal to ask: look with single-execution show ${shellWord(name)}, then pass --yes`,
  );
}
