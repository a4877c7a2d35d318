import { grouped } from '../../support/play/grouped.js';
import type { Invariants } from '../../support/play/verdict.js';
import type { Delivery, SoakHistory } from './history.js';
import { hasStoreFailed, runsOf, shown, stoodStill } from './reading.js';

/** The share of ticks undisturbed by failures of the store that must run, in spite of all that is done to the fleet. */
const LEAST_SHARE = 0.1;

/** Of the runs with keepAlive that never stood still, so many may lose their lock because their renewals fail. */
const MOST_LOST = 0.8;
/** So few tell nothing. */
export const FEW = 5;

/** So many runs must have been awake from end to end: of one that stood still less can be asked. */
const LEAST_AWAKE = 0.2;

/** Errors that a network like this, and clocks like these, can lead to. */
const EXPECTED: readonly string[] = ['UNAVAILABLE', 'UNSETTLED', 'LATE', 'CLOCK_SKEW'].map(
  (code) => `store error: ${code}`,
);
/** An internal error of Upstash reads like a refusal by Redis. */
const OF_UPSTASH = 'store error: INVALID_REQUEST';

/** Of the whole: it goes on, and nothing goes wrong that nobody did. */
export const LIVENESS_INVARIANTS: Invariants<SoakHistory> = {
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

function isUndisturbed(tick: readonly Delivery[]): boolean {
  return tick.every((one) => one.settled && !hasStoreFailed(one));
}
