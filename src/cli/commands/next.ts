import { comingTicks } from '../../operate/times.js';
import { rate } from '../../schedule/schedule.js';
import type { Command } from '../command.js';
import { EXIT } from '../exit-code.js';
import { printTicks } from '../print.js';
import { scheduleOf, wholeOf } from '../read-value.js';

const USUAL_COUNT = 5;
const MOST = 1_000;

export const next: Command = {
  name: 'next',
  summary: 'list the coming ticks of a schedule',
  usage: 'SCHEDULE [--time-zone Z] [--count N]',
  operands: [1, 1],
  options: {
    'time-zone': { value: 'Z', help: 'of the schedule, such as Europe/Berlin; by default UTC' },
    count: { value: 'N', help: `how many, 1 to ${MOST}; by default ${USUAL_COUNT}` },
  },
  shared: { store: false },
  about: [
    "A crontab such as '0 9 * * MON-FRI' (or six fields with seconds first), an expression of EventBridge such as 'cron(0 9 ? * MON-FRI *)', or a rate such as 'rate(15 minutes)' or 15m, which counts from now. The ticks are shown in UTC.",
    'The JSON is an array of instants.',
  ],
  examples: ["single-execution next '0 9 * * MON-FRI' --time-zone Europe/Berlin --count 3"],
  async run(session) {
    const count = wholeOf('--count', session.text('count') ?? String(USUAL_COUNT), 1, MOST);
    const read = scheduleOf(session.operands[0] ?? '', session.text('time-zone'));
    const schedule = typeof read === 'object' ? read : rate(read);
    printTicks(
      session,
      comingTicks(schedule, session.clock.now(), count),
      'the schedule has no more ticks: its years are over',
    );
    return EXIT.done;
  },
};
