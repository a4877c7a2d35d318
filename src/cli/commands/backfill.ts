import type { Command, Session } from '../command.js';
import { EXIT, wrongUse } from '../exit-code.js';
import { knownLock } from '../known-lock.js';
import { printTicks } from '../print-ticks.js';
import { instantOf, nameOf, scheduleOf } from '../read-value.js';

export const backfill: Command = {
  name: 'backfill',
  summary: 'list the ticks of an outage as open',
  usage: 'NAME --from T --to T --schedule S [--time-zone Z]',
  operands: [1, 1],
  options: {
    from: { value: 'T', help: 'the first instant' },
    to: { value: 'T', help: 'the end of the range, exclusive' },
    schedule: { value: 'S', help: "of the job: '0 9 * * *', 'cron(0 9 * * ? *)', 'rate(5 minutes)' or 15m" },
    'time-zone': { value: 'Z', help: 'of the schedule, such as Europe/Berlin; else UTC' },
  },
  about: [
    'Prints the listed ticks. From then on a call for each of them runs, once. Leaves out the newest tick that is done, and done ticks of the last ten runs. An older tick that is done is listed and runs again: give a range whose ticks should all run.',
    'No run may hold the lock, and at most 100 ticks can be open; otherwise nothing changes and the exit code is 1.',
  ],
  examples: [
    "single-execution backfill send-digest --from 2026-11-20T00:00:00Z --to 2026-11-21T00:00:00Z --schedule '0 * * * *' --table locks",
  ],
  async run(session) {
    const name = nameOf(session.operands);
    const [from, to] = [instantOf('--from', needed(session, 'from')), instantOf('--to', needed(session, 'to'))];
    if (from >= to) throw wrongUse('--from is not before --to: give an earlier --from');
    const schedule = scheduleOf(needed(session, 'schedule'), session.text('time-zone'));
    const admin = await session.admin();
    await knownLock(admin, name);
    printTicks(session, await admin.backfill(name, { from, to, schedule }), 'no ticks to list in this range');
    return EXIT.done;
  },
};

function needed(session: Session, option: string): string {
  const value = session.text(option);
  if (value !== undefined) return value;
  throw wrongUse(`backfill needs --${option}: single-execution backfill ${backfill.usage}`);
}
