import { columns } from '../test/support/play/terminal.js';
import type { History, Invocation, Work } from './history.js';

/** One line of the evening as it goes by. */
export function timelineRow(
  { id, job, tickMs, fromMs, toMs, ending }: Invocation,
  work: Work | undefined,
  remarks: readonly (string | false | undefined)[],
): string {
  const tick = tickMs === undefined ? '(by hand)' : new Date(tickMs).toISOString().slice(5, 16).replace('T', ' ');
  const how = ending.kind === 'skipped' ? `skipped ${ending.reason}` : ending.kind;
  const details = [
    ...remarks,
    ending.kind === 'failed' && ending.error,
    ending.kind === 'skipped' && ending.reason === 'locked' && `held by ${ending.lockedBy?.split(' ').at(-1)}`,
    work?.token && `token ${work.token}`,
    ending.kind !== 'skipped' && `${Math.round(toMs - fromMs)} ms`,
  ];
  return row(toMs, job, tick, `#${id}`, how.padEnd(26), details.filter(Boolean).join(', '));
}

export function row(atMs: number, job: string, tick: string, id: string, ...what: readonly string[]): string {
  const time = `${(atMs / 1_000).toFixed(1)}s`;
  return [time.padStart(6), job.padEnd(20), tick.padEnd(11), id.padEnd(4), ...what].join('  ').trimEnd();
}

/** One row a job: how its ticks went. */
export function summaryTable({ invocations, works }: History): string[] {
  const reasons = [...new Set(invocations.flatMap(({ ending: e }) => (e.kind === 'skipped' ? [e.reason] : [])))].sort();
  const head = ['job', 'ticks', 'deliveries', 'ran', 'failed', 'killed', ...reasons, 'tokens'];
  const rows = [...new Set(invocations.map(({ job }) => job))].sort().map((job) => {
    const mine = invocations.filter((invocation) => invocation.job === job);
    const count = (word: string) =>
      mine.filter(({ ending: e }) => (e.kind === 'skipped' ? e.reason : e.kind) === word).length;
    const tokens = works.flatMap((work) => (work.job === job && work.token !== undefined ? [work.token] : []));
    const ticks = new Set(mine.flatMap(({ tickMs }) => tickMs ?? [])).size;
    const counts = ['ran', 'failed', 'killed', ...reasons].map(count);
    return [job, ticks, mine.length, ...counts, `${Math.min(...tokens)} … ${Math.max(...tokens)}`].map(String);
  });
  return columns([head, ...rows]);
}
