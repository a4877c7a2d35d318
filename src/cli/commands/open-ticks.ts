import type { ForgetResult } from '../../admin/lock-admin.js';
import { fullListWords, mayLackTicks } from '../../operate/lock-summary.js';
import { shortInstant } from '../../operate/times.js';
import type { Command } from '../command.js';
import { EXIT, failed, wrongUse } from '../exit-code.js';
import { knownLock } from '../known-lock.js';
import { printTicks } from '../print.js';
import { instantOf, scheduleOf } from '../read-value.js';
import type { Session } from '../session.js';

export const open: Command = {
  name: 'open',
  summary: 'list the ticks that are not done',
  usage: 'NAME',
  operands: [1, 1],
  options: {},
  about: [
    'Ticks that failed, crashed, were ended by force, were missed or were listed by backfill, oldest first. A call for one of them runs, once.',
    'The JSON is an array of instants.',
  ],
  examples: ['single-execution open send-digest --json --table locks'],
  async run(session) {
    const lock = await knownLock(session);
    const { openTicks = [] } = lock;
    printTicks(session, openTicks, 'no open ticks');
    if (mayLackTicks(lock)) session.terminal.note(fullListWords(openTicks));
    return EXIT.done;
  },
};

export const backfill: Command = {
  name: 'backfill',
  summary: 'list the ticks of an outage as open',
  usage: 'NAME --from T --to T --schedule S [--time-zone Z]',
  operands: [1, 1],
  options: {
    from: { value: 'T', help: 'the first instant' },
    to: { value: 'T', help: 'the end of the range, exclusive' },
    schedule: { value: 'S', help: "of the job: '0 9 * * *', 'cron(0 9 * * ? *)', 'rate(5 minutes)' or 15m" },
    'time-zone': { value: 'Z', help: 'of the schedule, such as Europe/Berlin; by default UTC' },
  },
  about: [
    'Prints the listed ticks. From then on a call for each of them runs, once. Leaves out the newest tick that is done, and done ticks of the last ten runs. An older tick that is done is listed and runs again: pass a range whose ticks should all run.',
    'No run may hold the lock, and at most 100 ticks can be open; otherwise nothing changes and the exit code is 1.',
  ],
  examples: [
    "single-execution backfill send-digest --from 2026-11-20T00:00:00Z --to 2026-11-21T00:00:00Z --schedule '0 * * * *' --table locks",
  ],
  async run(session) {
    const [from, to] = [instantOf('--from', needed(session, 'from')), instantOf('--to', needed(session, 'to'))];
    if (from >= to) throw wrongUse('--from is not before --to: pass an earlier --from');
    const schedule = scheduleOf(needed(session, 'schedule'), session.text('time-zone'));
    const { name } = await knownLock(session);
    const listed = await session.admin.backfill(name, { from, to, schedule }).catch((error: Error) => {
      // A RangeError says that more ticks would be open than a lock can list.
      throw error instanceof RangeError ? failed(error.message) : error;
    });
    printTicks(session, listed, 'no ticks to list in this range');
    return EXIT.done;
  },
};

function needed(session: Session, option: string): string {
  const value = session.text(option);
  if (value !== undefined) return value;
  throw wrongUse(`backfill needs --${option}: single-execution backfill ${backfill.usage}`);
}

/** The most ticks that can be open. */
const MOST_TICKS = 100;

export const forget: Command = {
  name: 'forget',
  summary: 'give up open ticks',
  usage: 'NAME (TICK... | --all)',
  operands: [1, 1 + MOST_TICKS],
  options: { all: { help: 'all ticks that are open' } },
  about: [
    'Prints the ticks that are given up: from then on a call for one of them is skipped as stale-tick. No run may hold the lock.',
    'A tick that is newer than the newest one done cannot be given up yet: it leaves the list, but a call for it still runs until a newer tick is done. The exit code is 1 if there is such a tick.',
    'The JSON is {"givenUp": [...], "stillRun": [...]}, with instants.',
  ],
  examples: ['single-execution forget send-digest 2026-11-20T09:00:00Z --table locks'],
  async run(session) {
    const [name = '', ...ticks] = session.operands;
    const given = ticks.map((text) => instantOf('TICK', text));
    if (given.length > 0 === session.has('all')) throw wrongUse('forget takes ticks or --all: pass one of them');
    const { openTicks = [] } = await knownLock(session);
    const result = await session.admin.forget(name, session.has('all') ? openTicks : given);
    if (session.has('json')) session.terminal.json(result);
    else printForgotten(session, result);
    return result.stillRun.length > 0 ? EXIT.failed : EXIT.done;
  },
};

function printForgotten(session: Session, { givenUp, stillRun }: ForgetResult): void {
  if (givenUp.length > 0 || stillRun.length === 0) printTicks(session, givenUp, 'none of them was open');
  for (const tick of stillRun) {
    session.terminal.note(
      `${shortInstant(tick)} is not given up: it is newer than the newest tick done, so a call for it still runs until a newer tick is done; then forget it again if it is open`,
    );
  }
}
