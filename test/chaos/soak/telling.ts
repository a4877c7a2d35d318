import type { Delivery } from './history.js';

/** A breach with the piece of history that shows it. */
export function shown(what: string, ...deliveries: readonly (Delivery | undefined)[]): string {
  const lines = deliveries.flatMap((delivery) => (delivery ? [tell(delivery)] : []));
  return [what, ...lines].join('\n        ');
}

/** A delivery in one line, for people. */
function tell({ id, job, tickMs, worker, receivedMs, granted, run, settled }: Delivery): string {
  const { name, aheadMs, stops, stalls, killedMs } = worker;
  const clock = aheadMs === 0 ? '' : ` (clock ${aheadMs > 0 ? '+' : ''}${aheadMs} ms)`;
  const from = receivedMs ?? 0;
  const to = settled?.atMs ?? killedMs ?? Number.POSITIVE_INFINITY;
  const stills = [...stops, ...stalls].filter(({ fromMs, toMs }) => fromMs < to && from < toMs);
  const parts = [
    `#${id} ${job.name}, tick ${new Date(tickMs).toISOString().slice(11, 19)}, on ${name}${clock}`,
    receivedMs !== undefined && `received ${ms(receivedMs)}`,
    granted && `granted token ${granted.token} ${ms(granted.atMs)}`,
    run && `began ${ms(run.beganMs)}`,
    ...stills.map(({ fromMs, toMs }) => `stood still ${ms(fromMs)} to ${ms(toMs)}`),
    run?.aborted && `${run.aborted.reason} ${ms(run.aborted.atMs)}`,
    run && `ended ${ms(run.endedMs)}`,
    settled ? `${JSON.stringify(settled.ending)} ${ms(settled.atMs)}` : killedMs && `killed ${ms(killedMs)}`,
  ];
  return parts.filter((part) => part).join(', ');
}

function ms(atMs: number): string {
  return Number.isFinite(atMs) ? `@${Math.round(atMs)}` : 'never';
}
