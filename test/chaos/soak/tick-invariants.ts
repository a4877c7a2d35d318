import { grouped } from '../../support/play/grouped.js';
import type { Invariants } from '../../support/play/verdict.js';
import type { Delivery, SoakHistory } from './history.js';
import { byJob, byToken, hasStoreFailed, isRecorded, runsOf, shown, type WithRun } from './reading.js';

/** How a delivery ends whose tick is done. */
const DONE: readonly unknown[] = ['skipped: already-executed', 'skipped: stale-tick'];

/** Of ticks: what is done is done, and what is said to be done was done. */
export const TICK_INVARIANTS: Invariants<SoakHistory> = {
  'no tick runs that is done, nor one older than a done one that nobody had begun'(history) {
    const recorded = runsOf(history).filter((run) => run.job.tickMark === 'success' && isRecorded(run));
    const breaches = byJob(runsOf(history)).flatMap((ofJob) => {
      const done = new Map<number, WithRun>();
      let newest: WithRun | undefined;
      return byToken(ofJob).flatMap((next) => {
        const isStale = newest && next.tickMs < newest.tickMs && !canHaveBegun(next, history);
        const before = done.get(next.tickMs) ?? (isStale ? newest : undefined);
        if (next.job.tickMark === 'success' && isRecorded(next)) {
          done.set(next.tickMs, next);
          if (!newest || newest.tickMs < next.tickMs) newest = next;
        }
        return before ? [shown('a tick ran that was done', before, next)] : [];
      });
    });
    return { cases: recorded.length, breaches };
  },

  "with tickMark 'start' a tick is granted once at most"({ deliveries }) {
    const granted = deliveries.filter((one) => one.job.tickMark === 'start' && one.granted);
    const ofTick = grouped(granted, ({ job, tickMs }) => `${job.name} ${tickMs}`);
    const twice = [...ofTick.values()].filter(({ length }) => length > 1);
    return { cases: granted.length, breaches: twice.map((same) => shown('a tick was granted twice', ...same)) };
  },

  'nobody is told that a tick is done which no run can have done'({ deliveries, store }) {
    const told = deliveries.filter(({ settled }) => DONE.includes(settled?.ending));
    const ofJob = new Map(
      byJob(deliveries).map((all) => [all[0]?.job.name, all.filter((one) => canHaveDone(one, store))]),
    );
    const breaches = told.flatMap((skip) => {
      const isStale = skip.settled?.ending === 'skipped: stale-tick';
      const isTrue = ofJob
        .get(skip.job.name)
        ?.some(({ id, tickMs }) => id !== skip.id && (isStale ? tickMs > skip.tickMs : tickMs === skip.tickMs));
      return isTrue ? [] : [shown('told that it is done, and nobody did it', skip)];
    });
    return { cases: told.length, breaches };
  },
};

/** Whether the tick of a run may be open: an earlier delivery of it may have been granted the lock. */
function canHaveBegun({ id, job, tickMs, run }: WithRun, { deliveries, store }: SoakHistory): boolean {
  return deliveries.some(
    (one) =>
      one.job.name === job.name &&
      one.tickMs === tickMs &&
      one.id !== id &&
      (one.receivedMs ?? Number.POSITIVE_INFINITY) < run.beganMs &&
      canHaveHeld(one, store),
  );
}

/** Whether a delivery may have marked its tick as done. With `start` the grant does, even if nobody was told of it. */
function canHaveDone(one: Delivery, store: SoakHistory['store']): boolean {
  return one.job.tickMark === 'success' ? one.run?.hasReturned === true : canHaveHeld(one, store);
}

/** Whether a delivery may have been granted the lock, be it that its worker was never told of the grant. */
function canHaveHeld(one: Delivery, store: SoakHistory['store']): boolean {
  const { job, granted, settled, receivedMs = 0, worker } = one;
  if (granted || !settled || hasStoreFailed(one)) return true;
  // Its answer stayed away until its lease was over: the next one found a crash. On DynamoDB the lease of a clock
  // behind ends early.
  const leaseMs = job.lockAtMostForMs + (store === 'dynamodb' ? Math.min(0, worker.aheadMs) : 0);
  return settled.atMs - receivedMs >= leaseMs;
}
