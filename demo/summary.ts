import { columns } from '../test/support/play/terminal.js';
import type { History, Invocation } from './history.js';

/** One line of the evening as it goes by. */
export function timelineRow(invocation: Invocation): string {
  const { id, job, tickMs, retryOf, fromMs, toMs, ending, error, lockedBy, isToldOfCrash, work } = invocation;
  const tick = tickMs === undefined ? '(by hand)' : new Date(tickMs).toISOString().slice(5, 16).replace('T', ' ');
  const details = [
    retryOf && `retry of #${retryOf}`,
    isToldOfCrash && 'told of a crash',
    error,
    ending === 'skipped locked' && `held by ${lockedBy?.split(' ').at(-1)}`,
    work?.token && `token ${work.token}`,
    !ending.startsWith('skipped') && `${Math.round(toMs - fromMs)} ms`,
  ];
  return row(toMs, job, tick, `#${id}`, ending.padEnd(26), details.filter(Boolean).join(', '));
}

export function row(atMs: number, job: string, tick: string, id: string, ...what: readonly string[]): string {
  const time = `${(atMs / 1_000).toFixed(1)}s`;
  return [time.padStart(6), job.padEnd(20), tick.padEnd(11), id.padEnd(4), ...what].join('  ').trimEnd();
}

/** One row a job: how its ticks went. */
export function summaryTable({ invocations }: History): string[] {
  const skips = [...new Set(invocations.map(({ ending }) => ending))].filter((ending) => ending.startsWith('skipped'));
  const endings = ['ran', 'failed', 'killed', ...skips.sort()];
  const jobs = [...new Set(invocations.map(({ job }) => job))].sort();
  const rows = jobs.map((job) => {
    const mine = invocations.filter((invocation) => invocation.job === job);
    const ticks = new Set(mine.flatMap(({ tickMs }) => tickMs ?? [])).size;
    const counts = endings.map((ending) => mine.filter((one) => one.ending === ending).length);
    const tokens = mine.flatMap(({ work }) => work?.token ?? []);
    return [job, ticks, mine.length, ...counts, `${Math.min(...tokens)} … ${Math.max(...tokens)}`].map(String);
  });
  return columns([
    ['job', 'ticks', 'deliveries', ...endings.map((name) => name.replace('skipped ', '')), 'tokens'],
    ...rows,
  ]);
}
