import { neighbours } from '../../support/play/grouped.js';
import type { Invariants } from '../../support/play/verdict.js';
import { LATE_MS } from '../bad-network.js';
import type { Delivery, SoakHistory } from './history.js';
import { FEW } from './liveness-invariants.js';
import type { SoakJob } from './plan.js';
import { byJob, byToken, hasStoreFailed, isRecorded, runsOf, shown } from './reading.js';

/** Rounding to whole milliseconds, on both sides. */
const ROUNDING_MS = 20;
/**
 * How much longer a lease may last than was asked for. On DynamoDB the store adds its padding, and the server's clock
 * shows whole seconds only.
 */
const BEYOND_LEASE_MS = 3_000;
/** A busy machine can keep a request back for so long. */
const BUSY_MS = 5_000;
/** Of the runs after a crash, most that may not be told of it: an acquire whose first answer was lost does not know. */
const MOST_UNTOLD = 0.1;
/** Most of all grants that may be left without a runner: see docs/protocol.md, "What can remain". */
const MOST_REMAINDER = 0.002;

/** Of locks: for whom they are held, and for how long. */
export const HOLD_INVARIANTS: Invariants<SoakHistory> = {
  'a crash blocks its job for its lease, 3 s and what its clock was ahead at most, and is told'(history) {
    const runs = byJob(runsOf(history)).map(byToken);
    const crashed = runs.flat().filter(hasDied);
    const blocked = lockedSkips(history).filter(({ by, skip }) => by && hasDied(by) && isAfter(skip, by, history));
    const toldWrong = runs.flatMap((ofJob) =>
      ofJob.flatMap((next) => {
        const { previous } = next.run;
        const before = previous && ofJob.find(({ run }) => run.token === previous.token);
        if (!before || saysTrue(previous.status, before)) return [];
        return [shown(`the run after it was told that it ${previous.status}`, before, next)];
      }),
    );
    const untold = runs
      .flatMap((ofJob) => neighbours(ofJob))
      .filter(([one, next]) => hasDied(one) && isNextGrant(history, one, next) && !next.run.previous);
    const isTooMany = untold.length > Math.max(FEW, crashed.length * MOST_UNTOLD);
    const breaches = [
      ...blocked.map(({ by, skip }) => shown('skipped for a dead holder', by, skip)),
      ...toldWrong,
      ...(isTooMany ? untold.map((pair) => shown('the run after it was told of nobody', ...pair)) : []),
    ];
    return { cases: crashed.length, breaches };
  },

  "none is skipped as 'locked' but for another that can hold the lock"(history) {
    const skips = lockedSkips(history);
    const breaches = skips.flatMap(({ skip, by }) => {
      if (!by) return [shown('locked by nobody', skip)];
      if (by.id === skip.id) return [shown('locked by itself', skip)];
      if (hasDied(by) || !isAfter(skip, by, history)) return [];
      return [shown('locked by one whose lease was over', by, skip)];
    });
    return { cases: skips.length, breaches };
  },

  [`a lock is left without a runner in two of a thousand grants at most, or ${FEW} of few`](history) {
    const left = leftWithoutRunner(history);
    const cases = history.deliveries.filter(({ granted }) => granted).length;
    const isTooMany = left.length > Math.max(FEW, cases * MOST_REMAINDER);
    return { cases, breaches: isTooMany ? left.map((one) => shown('held the lock after its end', one)) : [] };
  },

  'lockAtLeastFor is kept, where clocks are true'(history) {
    const isTrue = ({ worker }: Delivery) => history.store !== 'dynamodb' || worker.aheadMs === 0;
    const spaced = history.deliveries.filter(({ job, granted }) => job.lockAtLeastForMs > 0 && granted);
    const pairs = byJob(spaced).flatMap((ofJob) => {
      return neighbours(ofJob.toSorted((a, b) => (a.granted?.token ?? 0) - (b.granted?.token ?? 0)));
    });
    const cases = pairs.filter(([one, next]) => {
      return isRecorded(one) && isTrue(one) && isTrue(next) && isNextGrant(history, one, next);
    });
    const breaches = cases.flatMap(([one, next]) => {
      const earliestMs = (one.receivedMs ?? 0) + one.job.lockAtLeastForMs - ROUNDING_MS;
      const atMs = next.granted?.atMs ?? Number.POSITIVE_INFINITY;
      return atMs < earliestMs ? [shown(`granted ${Math.round(earliestMs - atMs)} ms too early`, one, next)] : [];
    });
    return { cases: cases.length, breaches };
  },
};

/** Deliveries that were skipped as locked, and the one that they were told of. */
function lockedSkips({ deliveries }: SoakHistory): { skip: Delivery; by: Delivery | undefined }[] {
  const byId = new Map(deliveries.map((delivery) => [String(delivery.id), delivery]));
  return deliveries.flatMap((skip) => {
    if (skip.settled?.ending !== 'skipped: locked') return [];
    const by = byId.get(skip.settled.holder?.lockedBy ?? '');
    return [{ skip, by: by?.job === skip.job ? by : undefined }];
  });
}

/**
 * Deliveries that held the lock after they had been told that they do not, and of no failure of the store either, or
 * under another token than the one they were told of. One whose lease was over before it was told is like one that
 * crashed.
 */
export function leftWithoutRunner(history: SoakHistory): Delivery[] {
  const left = lockedSkips(history).flatMap(({ skip, by }) => {
    if (!by?.settled || hasStoreFailed(by)) return [];
    const isAnother = by.granted && skip.settled?.holder?.fencingToken !== by.granted.token;
    const isAfterEnd = (skip.receivedMs ?? 0) > by.settled.atMs;
    return isAnother || (!by.granted && isAfterEnd) ? [by] : [];
  });
  return [...new Set(left)];
}

/** Whether a delivery was killed before it knew that its lock was free again. */
function hasDied({ settled, worker }: Delivery): boolean {
  return settled === undefined && worker.killedMs !== undefined;
}

/** Whether a skip began when the lock can no longer have been held by that one. */
function isAfter(skip: Delivery, by: Delivery, { store, startedAt }: SoakHistory): boolean {
  const { granted, settled, worker, job } = by;
  const endMs = settled?.atMs ?? worker.killedMs ?? Number.POSITIVE_INFINITY;
  const leaseMs = isRecorded(by) ? 0 : job.lockAtMostForMs;
  // A request that was late can grant the lock after its sender was told that its connection broke.
  const lateMs = granted ? 0 : LATE_MS;
  const aheadMs = store === 'dynamodb' ? Math.max(0, worker.aheadMs) : 0;
  const askedMs = skip.receivedMs ?? 0;
  if (askedMs <= endMs + leaseMs + lateMs + aheadMs + BEYOND_LEASE_MS + ROUNDING_MS) return false;
  return store === 'dynamodb' || !isLeased(skip, job, startedAt + askedMs, startedAt + endMs);
}

/**
 * Whether the record that refused a delivery was held by the server's own clock, under a lease that its holder can have
 * asked for before its end. A machine that is busy can have a request granted when its sender is gone.
 */
function isLeased(skip: Delivery, { lockAtMostForMs, keepAlive }: SoakJob, askedAt: number, endAt: number) {
  const holder = skip.settled?.holder;
  if (!holder) return false;
  const [lockedAt, lockUntil] = [Date.parse(holder.lockedAt), Date.parse(holder.lockUntil)];
  const leasedAt = keepAlive ? lockUntil - lockAtMostForMs : lockedAt;
  // A grant may come however late: it has begun under a token of its own. Renewals of it end with its holder.
  const isInTime = leasedAt === lockedAt || leasedAt <= endAt + LATE_MS + BUSY_MS + ROUNDING_MS;
  return askedAt <= lockUntil + ROUNDING_MS && lockUntil <= leasedAt + lockAtMostForMs && isInTime;
}

/** On DynamoDB tokens tell whether one that nobody knows of came between them. On Redis all locks go by one clock. */
function isNextGrant({ store }: SoakHistory, one: Delivery, next: Delivery): boolean {
  return store !== 'dynamodb' || next.granted?.token === (one.granted?.token ?? 0) + 1;
}

/** Whether a run was what its successor was told of it. What nobody knows can be either. */
function saysTrue(status: string, before: Delivery): boolean {
  if (hasDied(before)) return status === 'crashed' || before.run?.endedMs !== before.worker.killedMs;
  return !isRecorded(before) || status === 'succeeded';
}
