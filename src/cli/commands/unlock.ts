import type { LockInfo } from '../../admin/lock-admin.js';
import { isTaken, stateWithoutPause } from '../../operate/lock-summary.js';
import { holderWords, shellWord } from '../../operate/verdict.js';
import type { Command } from '../command.js';
import { EXIT, failed, wrongUse } from '../exit-code.js';
import { knownLock, nameIn } from '../known-lock.js';
import { tokenOf } from '../read-value.js';
import type { Session } from '../session.js';

export const unlock: Command = {
  name: 'unlock',
  summary: 'end the run that has a lock, by force',
  usage: 'NAME [--yes --token N]',
  operands: [1, 1],
  options: {
    yes: { help: 'do not ask; needs --token' },
    token: { value: 'N', help: 'the fencing token of the run to end, from show' },
  },
  about: [
    'Shows who has the lock and for how long, and asks. If a newer run has taken the lock by then, or it is free, nothing changes and the exit code is 1.',
    'The holder is not stopped: it notices at the end of its lease, with keepAlive at its next renewal. Until then two runs may go on, and only their fencing tokens keep them apart.',
  ],
  examples: ['single-execution unlock send-digest --table locks'],
  async run(session) {
    const name = nameIn(session);
    const given = session.text('token');
    const fencingToken = given === undefined ? undefined : tokenOf(given);
    checkAsked(session, name, given);
    const lock = await knownLock(session);
    const seen = grantToEnd(lock, fencingToken);
    if (!session.has('yes')) {
      session.terminal.note(`${holderWords(lock, session.clock.now())}.`);
      if (!(await session.terminal.confirm(`End this run of ${name} by force?`))) throw failed('nothing was changed');
    }
    const result = await session.admin.forceRelease(name, { fencingToken: seen });
    if (result.status === 'unchanged') throw failed(`nothing was changed: the lock "${name}" has changed meanwhile`);
    if (session.has('json')) session.terminal.json({ name, ...result });
    else session.terminal.line(`freed "${name}"; its fencing token is ${result.fencingToken} now`);
    return EXIT.done;
  },
};

/** @throws CliError if nobody can be asked, because there is no terminal, and --yes with --token is not given */
function checkAsked(session: Session, name: string, token: string | undefined): void {
  const remedy = `look with: single-execution show ${shellWord(name)}; then pass --yes --token N`;
  if (session.has('yes') && token === undefined) throw wrongUse(`unlock --yes needs --token: ${remedy}`);
  if (!session.has('yes') && !session.terminal.isInteractive) {
    throw wrongUse(`unlock asks, and there is no terminal to ask: ${remedy}`);
  }
}

/** @throws CliError if the lock is not held, or held under another token */
function grantToEnd(lock: LockInfo, given: number | undefined): number {
  const { name, fencingToken } = lock;
  if (lock.state === 'corrupt') throw failed(`nothing was changed: ${lock.problem}`);
  if (!isTaken(lock) || fencingToken === undefined) {
    throw failed(`nothing was changed: no run has the lock "${name}"; its state is ${stateWithoutPause(lock)}`);
  }
  if (given === undefined || given === fencingToken) return fencingToken;
  throw failed(`nothing was changed: the token of "${name}" is ${fencingToken} now, not ${given}; look again`);
}
