import { grouped, neighbours } from '../../support/play/grouped.js';
import type { Invariants } from '../../support/play/verdict.js';
import type { SoakHistory } from './history.js';
import { awakeMs, besideSuccessor, byJob, runsOf, shown, stoodStill, type WithRun } from './reading.js';

/** Rounding, and the few instructions between an instant and its being read. */
const READING_MS = 20;

/** Of handlers at work: one at a time, under tokens that rise, and none beyond its lease. */
export const RUN_INVARIANTS: Invariants<SoakHistory> = {
  'never two handlers of a job at work at once, but beside one that stands still'(history) {
    const runs = runsOf(history);
    const breaches = besideSuccessor(history).flatMap(([one, next]) => {
      const { worker } = withoutLock(one, next);
      const awake = awakeMs(worker, next.run.beganMs, Math.min(one.run.endedMs, next.run.endedMs));
      return awake > READING_MS ? [shown(`two at work for ${Math.round(awake)} ms`, one, next)] : [];
    });
    return { cases: runs.length, breaches };
  },

  'a handler is asked to stop before its lease is over; one that stands still, as soon as it goes on'(history) {
    const runs = runsOf(history);
    const overdue = runs.filter(({ job }) => !job.keepAlive).flatMap(beyondItsLease);
    const untold = besideSuccessor(history).filter(([one, next]) => {
      const { run, worker } = withoutLock(one, next);
      // One that ends in the very turn in which it goes on may do so before it is told.
      const isTold = run.aborted?.reason === 'LockLostError' || awakeMs(worker, next.run.beganMs, run.endedMs) === 0;
      return !isTold && run.endedMs !== worker.killedMs;
    });
    const breaches = [...overdue, ...untold.map((pair) => shown('its signal has not aborted', ...pair))];
    return { cases: runs.filter(({ run }) => run.aborted).length, breaches };
  },

  'a handler that asks its signal before each write writes nothing after its lease, but one that was under way'({
    writes,
    deliveries,
  }) {
    const byId = new Map(runsOf({ deliveries }).map((run) => [run.id, run]));
    const late = [...writes.values()].flat().filter(({ delivery, atMs, isAccepted }) => {
      const writer = byId.get(delivery);
      return writer && (!isAccepted || (!writer.job.keepAlive && atMs > leaseEndMs(writer)));
    });
    const byWriter = [...grouped(late, ({ delivery }) => String(delivery)).values()];
    const breaches = byWriter.flatMap((ofWriter) =>
      ofWriter.length > 1
        ? [shown(`${ofWriter.length} writes after its lease`, byId.get(ofWriter[0]?.delivery ?? 0))]
        : [],
    );
    return { cases: byId.size, breaches };
  },

  'fencing tokens rise from grant to grant'(history) {
    const breaches = byJob(history.deliveries).flatMap((deliveries) => {
      const granted = deliveries.filter((one) => one.granted);
      const tokens = grouped(granted, (one) => String(one.granted?.token));
      const twice = [...tokens.values()].filter(({ length }) => length > 1);
      // One that stood still between its grant and its start comes late, without having been at work.
      const runs = runsOf({ deliveries }).filter(
        ({ worker, receivedMs, run }) => !stoodStill(worker, receivedMs ?? 0, run.beganMs),
      );
      const fallen = neighbours(runs).filter(([one, next]) => next.run.token <= one.run.token);
      return [
        ...twice.map((same) => shown(`token ${same[0]?.granted?.token} was granted twice`, ...same)),
        ...fallen.map(([one, next]) => shown(`token ${next.run.token} came after ${one.run.token}`, one, next)),
      ];
    });
    return { cases: history.deliveries.filter(({ granted }) => granted).length, breaches };
  },

  'each write comes under the token of its run, and is refused only of one who stood still'({ writes, deliveries }) {
    const byId = new Map(deliveries.map((delivery) => [delivery.id, delivery]));
    const all = [...writes.values()].flat();
    const breaches = all.flatMap(({ token, delivery: id, atMs, isAccepted }) => {
      const writer = byId.get(id);
      if (writer?.run?.token !== token) return [shown(`a write came under token ${token}`, writer)];
      if (isAccepted || stoodStill(writer.worker, writer.receivedMs ?? 0, atMs)) return [];
      return [shown(`a write of token ${token} was refused at @${Math.round(atMs)}`, writer)];
    });
    const refused = grouped(
      all.filter(({ isAccepted }) => !isAccepted),
      ({ delivery }) => String(delivery),
    );
    const untold = runsOf({ deliveries }).filter(
      ({ id, settled, run }) => settled && run.refused !== (refused.get(String(id))?.length ?? 0),
    );
    const unheard = untold.map((writer) => shown(`it was told of ${writer.run.refused} refused writes`, writer));
    return { cases: all.length, breaches: [...breaches, ...unheard] };
  },
};

/** Of two at work the one with the smaller token has lost the lock: the first, or one that stood still and began late. */
function withoutLock(one: WithRun, next: WithRun): WithRun {
  return one.run.token < next.run.token ? one : next;
}

/** When the lease of a run without keepAlive is over at the latest. */
function leaseEndMs({ granted, job, run }: WithRun): number {
  return (granted?.atMs ?? run.beganMs) + job.lockAtMostForMs;
}

function beyondItsLease(delivery: WithRun): string[] {
  const { worker, run } = delivery;
  const awake = awakeMs(worker, leaseEndMs(delivery), run.endedMs);
  return awake > 0 ? [shown(`at work for ${Math.round(awake)} ms beyond its lease`, delivery)] : [];
}
