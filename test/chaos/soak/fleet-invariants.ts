import type { Invariants } from '../../support/play/verdict.js';
import { isNextGrant } from './facts.js';
import { grouped, neighbours } from './grouped.js';
import type { Delivery, SoakHistory } from './history.js';
import { hasStoreFailed, isRecorded, runsOf, shown, stoodStill } from './reading.js';

/**
 * The largest fraction of runs after a crash that may not be told of it: an acquire whose first answer was lost does
 * not know of the crash.
 */
const MOST_UNTOLD = 0.1;
/** The largest fraction of grants that may be left without a runner: see docs/protocol.md, "What can remain". */
const MOST_REMAINDER = 0.002;

/** The smallest fraction of ticks that must run, counting only ticks for which no call failed at the store. */
const LEAST_SHARE = 0.1;

/**
 * The largest fraction of runs with keepAlive that may lose their lock, because renewals fail. Runs that stood still do
 * not count.
 */
const MOST_LOST = 0.8;
/** Up to this many cases may be chance. */
const FEW = 5;

/** The smallest fraction of runs that must not stand still at all: of other runs less can be checked. */
const LEAST_AWAKE = 0.2;

/** Errors that a bad network and wrong clocks can cause. */
const EXPECTED: readonly string[] = ['UNAVAILABLE', 'UNSETTLED', 'LATE', 'CLOCK_SKEW'].map(
  (code) => `store error: ${code}`,
);
/** An internal error of Upstash reads like an error of Redis. */
const OF_UPSTASH = 'store error: INVALID_REQUEST';

/**
 * Promises about the whole fleet: crashes are reported to the next run, few grants have no runner, jobs go on, and no
 * worker ends by itself.
 */
export const FLEET_INVARIANTS: Invariants<SoakHistory> = {
  'a crash is reported to the next run, and no other end is told as one'(history) {
    const ofJobs = grouped(runsOf(history), ({ job }) => job.name);
    const runs = [...ofJobs.values()].map((ofJob) => ofJob.toSorted((a, b) => a.run.token - b.run.token));
    const crashed = runs.flat().filter(hasDied);
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
    const breaches = isTooMany ? untold.map((pair) => shown('the run after it was told of nobody', ...pair)) : [];
    return { cases: crashed.length, breaches: [...toldWrong, ...breaches] };
  },

  [`a lock is left without a runner in two of a thousand grants at most, or ${FEW} of few`](history) {
    const left = leftWithoutRunner(history);
    const cases = history.deliveries.filter(({ granted }) => granted).length;
    const isTooMany = left.length > Math.max(FEW, cases * MOST_REMAINDER);
    return { cases, breaches: isTooMany ? left.map((one) => shown('held the lock after its end', one)) : [] };
  },

  'each delivery to a worker that lives runs, or is skipped or refused for a reason that can be'({
    deliveries,
    store,
  }) {
    const expected = store === 'upstash' ? [...EXPECTED, OF_UPSTASH] : EXPECTED;
    const living = deliveries.filter(({ worker, settled }) => worker.killedMs === undefined || settled);
    const breaches = living.flatMap((delivery) => {
      const ending = delivery.settled?.ending;
      if (!ending) return [shown('never ended', delivery)];
      const isStrange = /^(store )?error/.test(ending) && !expected.includes(ending);
      const hasBegun = ending.startsWith('not begun') && delivery.run !== undefined;
      return isStrange || hasBegun ? [shown('ended in a way that nothing explains', delivery)] : [];
    });
    return { cases: living.length, breaches };
  },

  [`each job goes on: ${LEAST_SHARE * 100} % of its undisturbed ticks run`]({ store, deliveries }) {
    const ticks = [...grouped(deliveries, ({ job, tickMs }) => `${job.name} ${tickMs}`).values()].filter(isUndisturbed);
    const ofJob = grouped(ticks, ([first]) => first?.job.name ?? '');
    const breaches = [...ofJob].flatMap(([name, all]) => {
      const ran = all.filter((tick) => tick.some(({ run }) => run)).length;
      const isBlocked = store === 'dynamodb' && all[0]?.[0]?.job.comesToHostsAhead;
      return ran < all.length * LEAST_SHARE && !isBlocked ? [`${name}: ${ran} of ${all.length} ticks ran`] : [];
    });
    return { cases: ticks.length, breaches };
  },

  'with keepAlive runs that take longer than their lease outlive it'(history) {
    const kept = runsOf(history).filter(({ job }) => job.keepAlive);
    const long = kept.filter(
      ({ worker, job, worksMs, receivedMs = 0, run }) =>
        worksMs > job.lockAtMostForMs &&
        run.endedMs !== worker.killedMs &&
        !stoodStill(worker, receivedMs, run.endedMs),
    );
    const lost = long.filter(({ run }) => run.aborted);
    const isTooMany = lost.length > Math.max(FEW, long.length * MOST_LOST);
    return { cases: kept.length, breaches: isTooMany ? lost.map((one) => shown('lost its lock', one)) : [] };
  },

  [`${LEAST_AWAKE * 100} % of the runs never stand still, so that all can be asked of them`](history) {
    const runs = runsOf(history);
    const awake = runs.filter(({ worker, receivedMs = 0, run }) => !stoodStill(worker, receivedMs, run.endedMs));
    const isTooFew = awake.length < runs.length * LEAST_AWAKE;
    return { cases: runs.length, breaches: isTooFew ? [`${awake.length} of ${runs.length} runs were awake`] : [] };
  },

  'a worker ends when it is told to or killed, and not by itself'({ workers }) {
    const breaches = workers.flatMap(({ name, ended, killedMs }) => {
      if (!ended) return [`${name} did not end`];
      const { code, signal, stderr } = ended;
      const isAsTold = killedMs === undefined ? code === 0 : signal === 'SIGKILL';
      return isAsTold ? [] : [`${name} ended with ${code ?? signal}: ${stderr.slice(0, 2_000)}`];
    });
    return { cases: workers.length, breaches };
  },
};

/** Deliveries skipped as locked, each with the delivery that held the lock. */
function lockedSkips({ deliveries }: SoakHistory): { skip: Delivery; by: Delivery | undefined }[] {
  const byId = new Map(deliveries.map((delivery) => [String(delivery.id), delivery]));
  return deliveries.flatMap((skip) => {
    if (skip.settled?.ending !== 'skipped: locked') return [];
    const by = byId.get(skip.settled.holder?.lockedBy ?? '');
    return [{ skip, by: by?.job === skip.job ? by : undefined }];
  });
}

/**
 * Deliveries that held the lock after their end, or under another token than they were told of. Not counted are those
 * whose call failed at the store, and those whose lease was over before they were told, which is like a crash.
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

/** Whether a run's successor was told the truth about it. If nobody knows how the run ended, any status is true. */
function saysTrue(status: string, before: Delivery): boolean {
  if (hasDied(before)) return status === 'crashed' || before.run?.endedMs !== before.worker.killedMs;
  return !isRecorded(before) || status === 'succeeded';
}

function isUndisturbed(tick: readonly Delivery[]): boolean {
  return tick.every((one) => one.settled && !hasStoreFailed(one));
}
