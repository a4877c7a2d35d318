import { type Duration, LockStoreError, parseDuration, type Schedule } from '../../index.js';
import { type CheckedJob, lookAtJobs, readAt, summaryOf } from '../../operate/due-ticks.js';
import { stateWords } from '../../operate/lock-summary.js';
import { shortInstant, shortSpan } from '../../operate/times.js';
import type { Command } from '../command.js';
import { CliError, EXIT, isWrongUse, messageWithCause, quoted, wrongUse } from '../exit-code.js';
import { didYouMean } from '../nearest-name.js';
import { type Cell, printTable } from '../print.js';
import { instantOf, scheduleOf } from '../read-value.js';
import type { Session } from '../session.js';

const HEADINGS = ['NAME', 'STATE', 'OVERDUE', 'DONE', 'NEXT'];
const MOST_NAMES = 1_000;

export const check: Command = {
  name: 'check',
  summary: 'say whether a job is overdue, for a monitor',
  usage: '[NAME...] [--schedule S] [--time-zone Z] [--grace D] [--since T]',
  operands: [0, MOST_NAMES],
  options: {
    schedule: { value: 'S', help: "of the named jobs, such as '0 9 * * *' or 15m; by default the one in the record" },
    'time-zone': { value: 'Z', help: 'of --schedule, such as Europe/Berlin; by default UTC' },
    grace: { value: 'D', help: 'how old a tick must be before it can be overdue; by default 15m' },
    since: { value: 'T', help: 'when a job without a success became due: ticks up to this instant do not count' },
  },
  about: [
    'A job is overdue if a tick of its schedule is older than --grace, no tick at or after it is done, no run has the lock for it, and the job is not paused. A job that has not succeeded yet is overdue from the tick of its first run, and a job that never ran is overdue at once. Without names, checks all jobs whose record has a schedule.',
    'Exits with 0 if no job is overdue; with 1 if one is, or if its record or its schedule cannot be read; with 3 if there is nothing to check, for example in a wrong table; with 69 if the store did not answer or refused the call.',
    'The JSON is that of healthRoute of single-execution/admin: { status, jobs }. DynamoDB reads the whole table if no job is named.',
  ],
  examples: ['single-execution check --table locks', 'single-execution check send-digest --grace 1h --table locks'],
  async run(session) {
    const order = orderOf(session);
    const checked = await answered(() => lookAtJobs(session.admin, order.jobs, order.usual));
    const unscheduled = checked.find(({ lock }) => !order.schedule && lock && !canJudge(lock));
    if (unscheduled) {
      throw wrongUse(
        `the record of ${quoted(unscheduled.health.name)} has no schedule: pass --schedule, such as '0 9 * * *' or 1h`,
      );
    }
    const { status, jobs } = summaryOf(checked);
    if (session.has('json')) session.terminal.json({ status, jobs });
    else print(session, checked, jobs);
    if (status === 'empty')
      session.terminal.note('nothing to check: no record has a schedule; see single-execution ls');
    await noteProblems(session, checked);
    return status === 'empty' ? EXIT.notFound : status === 'ok' ? EXIT.done : EXIT.failed;
  },
};

/** What to check. @throws CliError, TypeError or RangeError for invalid options */
function orderOf(session: Session) {
  const [expression, timeZone, grace, since] = ['schedule', 'time-zone', 'grace', 'since'].map((option) =>
    session.text(option),
  );
  const names = [...new Set(session.operands)];
  if (expression === undefined && timeZone !== undefined) throw wrongUse('--time-zone needs --schedule: pass both');
  if (expression !== undefined && names.length === 0) throw wrongUse('--schedule needs a NAME: name its jobs');
  if (grace !== undefined) parseDuration(grace, '--grace');
  const schedule: Schedule | Duration | undefined =
    expression === undefined ? undefined : scheduleOf(expression, timeZone);
  return {
    schedule,
    jobs: names.length === 0 ? undefined : names.map((name) => ({ name, ...(schedule && { schedule }) })),
    usual: {
      ...(grace !== undefined && { grace }),
      ...(since !== undefined && { since: instantOf('--since', since) }),
    },
  };
}

const canJudge = ({ schedule, state }: NonNullable<CheckedJob['lock']>): boolean =>
  schedule !== undefined || state === 'corrupt';

/** @throws CliError with the exit code of a store that is out of reach, so that it is not taken for an overdue job */
async function answered<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    const isInvalidName = error instanceof LockStoreError && error.code === 'INVALID_NAME';
    if (isInvalidName || isWrongUse(error)) throw error;
    throw new CliError(`nothing was checked: ${messageWithCause(error as Error)}`, EXIT.outOfReach);
  }
}

function print({ terminal }: Session, checked: readonly CheckedJob[], jobs: readonly CheckedJob['health'][]): void {
  if (jobs.length === 0) return;
  const lockOf = new Map(checked.map(({ lock, health }) => [health.name, lock]));
  printTable(
    terminal,
    HEADINGS,
    jobs.map((job) => cells(job, lockOf.get(job.name))),
  );
}

function cells(job: CheckedJob['health'], lock: CheckedJob['lock']): readonly Cell[] {
  const { name, state, doneTick, nextTick } = job;
  return [
    name,
    stateWords(lock ?? { state }),
    overdueCell(job, lock),
    doneTick ? shortInstant(doneTick) : '-',
    nextTick ? shortInstant(nextTick) : '-',
  ];
}

function overdueCell({ overdueTick, problem, state }: CheckedJob['health'], lock: CheckedJob['lock']): Cell {
  if (problem !== undefined || state === 'corrupt') return { text: 'unknown', colour: 'red' };
  if (!overdueTick) return '-';
  if (!lock || state === 'unused') return { text: 'never ran', colour: 'red' };
  const span = shortSpan(readAt(lock).getTime() - overdueTick.getTime());
  return { text: `${span}, since ${shortInstant(overdueTick)}`, colour: 'red' };
}

/** Says what is wrong with a job, and which name was meant by one that no lock has. */
async function noteProblems({ terminal, admin }: Session, checked: readonly CheckedJob[]): Promise<void> {
  for (const { health } of checked)
    if (health.problem !== undefined) terminal.note(`single-execution: ${health.problem}`);
  const unknown = checked.filter(({ lock }) => !lock).map(({ health }) => health.name);
  if (unknown.length === 0) return;
  // A list is a kindness here: a role may lack the right to it.
  const names = await admin.list().then(
    (locks) => locks.map(({ name }) => name),
    () => [],
  );
  for (const name of unknown) {
    terminal.note(`single-execution: no lock ${quoted(name)}: it never ran, or is deleted${didYouMean(name, names)}`);
  }
}
