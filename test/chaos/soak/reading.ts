import { stoodStill as stoodStillOn } from '../../support/history/invariants.js';
import type { Delivery, Run, SoakHistory, Worker } from './history.js';

/*
 * How the invariants and the summary read a history.
 */

export type WithRun = Delivery & { readonly run: Run };

/** Deliveries whose handler was called, in the order in which they began. */
export function runsOf({ deliveries }: Pick<SoakHistory, 'deliveries'>): WithRun[] {
  return deliveries
    .filter((delivery): delivery is WithRun => delivery.run !== undefined)
    .sort((a, b) => a.run.beganMs - b.run.beganMs);
}

/** Whether a run succeeded, and knows that its success is on record. */
export function isRecorded({ settled }: Delivery): boolean {
  return settled?.ending === 'ran: released';
}

/** Whether the delivery's call failed at the store, so that it is unknown what the store did. */
export function hasStoreFailed({ settled }: Delivery): boolean {
  return settled?.ending.startsWith('store error') === true;
}

/** Within this time after a process goes on, or after its first timer, all its timers have fired. */
const CATCH_UP_MS = 300;

/** The times in which a worker stood still or had just gone on. */
export function standstillsOf({ name, stops, stalls }: Worker) {
  return [...stops, ...stalls].map(({ fromMs, toMs }) => ({ host: name, fromMs, toMs: toMs + CATCH_UP_MS }));
}

/** Whether a worker stood still, or had just gone on, at some moment between two instants. */
export function stoodStill(worker: Worker, fromMs: number, toMs: number): boolean {
  return stoodStillOn({ standstills: standstillsOf(worker) }, worker.name, [fromMs, toMs]);
}

export function shown(what: string, ...deliveries: readonly (Delivery | undefined)[]): string {
  const lines = deliveries.flatMap((delivery) => (delivery ? [tell(delivery)] : []));
  return [what, ...lines].join('\n        ');
}

function tell({ id, job, tickMs, worker, receivedMs, granted, run, settled }: Delivery): string {
  const { name, aheadMs, stops, stalls, killedMs } = worker;
  const clock = aheadMs === 0 ? '' : ` (clock ${aheadMs > 0 ? '+' : ''}${aheadMs} ms)`;
  const from = receivedMs ?? 0;
  const to = settled?.atMs ?? killedMs ?? Number.POSITIVE_INFINITY;
  const stills = [...stops, ...stalls].filter(({ fromMs, toMs }) => fromMs < to && from < toMs);
  const holder = settled?.holder ? ` ${JSON.stringify(settled.holder)}` : '';
  const parts = [
    `#${id} ${job.name}, tick ${new Date(tickMs).toISOString().slice(11, 19)}, on ${name}${clock}`,
    receivedMs !== undefined && `received ${ms(receivedMs)}`,
    granted && `granted token ${granted.token} ${ms(granted.atMs)}`,
    run && `began ${ms(run.beganMs)}`,
    ...stills.map(({ fromMs, toMs }) => `stood still ${ms(fromMs)} to ${ms(toMs)}`),
    run?.aborted && `${run.aborted.reason} ${ms(run.aborted.atMs)}`,
    run && `ended ${ms(run.endedMs)}`,
    settled ? `${settled.ending}${holder} ${ms(settled.atMs)}` : killedMs && `killed ${ms(killedMs)}`,
  ];
  return parts.filter((part) => part).join(', ');
}

function ms(atMs: number): string {
  return Number.isFinite(atMs) ? `@${Math.round(atMs)}` : 'never';
}
