import { columns } from '../test/support/play/terminal.js';
import type { History } from './history.js';

/** One row per job: how its ticks went. */
export function summaryTable({ invocations, works }: History): string[] {
  const jobs = [...new Set(invocations.map(({ job }) => job))].sort();
  const reasons = [
    ...new Set(invocations.flatMap(({ ending }) => (ending.kind === 'skipped' ? [ending.reason] : []))),
  ].sort();
  const head = ['job', 'ticks', 'deliveries', 'ran', 'failed', 'crashed', ...reasons, 'tokens'];
  const rows = jobs.map((job) => {
    const mine = invocations.filter((invocation) => invocation.job === job);
    const count = (kind: string) => mine.filter(({ ending }) => ending.kind === kind).length;
    const tokens = works.flatMap((work) => (work.job === job && work.token !== undefined ? [work.token] : []));
    return [
      job,
      new Set(mine.flatMap(({ tickMs }) => tickMs ?? [])).size,
      mine.length,
      count('ran'),
      count('failed'),
      count('killed'),
      ...reasons.map((reason) => mine.filter(({ ending: e }) => e.kind === 'skipped' && e.reason === reason).length),
      tokens.length === 0 ? '' : `${Math.min(...tokens)} … ${Math.max(...tokens)}`,
    ].map(String);
  });
  return columns([head, ...rows]);
}
