import type { Invariant } from '../../../demo/invariant.js';
import type { SoakHistory } from './history.js';
import { runsOf } from './run-invariants.js';
import { shown } from './telling.js';

/** Of the fleet's ticks, in spite of all that is done to it, so many must run. */
const LEAST_SHARE = 0.4;
/** Of all deliveries, so many may end because the store could not be reached for as long as a caller waits. */
const MOST_STORE_ERRORS = 0.1;

/** Codes that a network like this, and clocks like these, can lead to. */
const EXPECTED_CODES: readonly string[] = ['UNAVAILABLE', 'UNSETTLED', 'LATE', 'CLOCK_SKEW'];

/** Of the whole: it goes on, and nothing goes wrong that nobody did. */
export const LIVENESS_INVARIANTS: readonly Invariant<SoakHistory>[] = [
  {
    promise: 'each delivery to a worker that lives runs, or is skipped or refused for a reason that can be',
    check({ deliveries }) {
      const living = deliveries.filter(({ worker, settled }) => worker.killedMs === undefined || settled);
      const breaches = living.flatMap((delivery) => {
        const ending = delivery.settled?.ending;
        if (!ending) return [shown('never ended', delivery)];
        const isStrange =
          ending.kind === 'error' || (ending.kind === 'store error' && !EXPECTED_CODES.includes(ending.code));
        return isStrange ? [shown('ended in a way that nothing explains', delivery)] : [];
      });
      const errors = living.filter(
        ({ settled }) => settled?.ending.kind === 'store error' && settled.ending.code !== 'CLOCK_SKEW',
      );
      if (errors.length > living.length * MOST_STORE_ERRORS) {
        breaches.push(`${errors.length} of ${living.length} deliveries were told that the store failed`);
      }
      return { cases: living.length, breaches };
    },
  },
  {
    promise: `${LEAST_SHARE * 100} % of the ticks run, of each job that comes to no host ahead`,
    check(history) {
      const jobs = history.jobs.filter(({ comesToHostsAhead }) => history.store !== 'dynamodb' || !comesToHostsAhead);
      const breaches = jobs.flatMap((job) => {
        const ticks = new Set(history.deliveries.flatMap((one) => (one.job === job ? [one.tickMs] : [])));
        const ran = new Set(runsOf(history).flatMap((one) => (one.job === job ? [one.tickMs] : [])));
        return ran.size < ticks.size * LEAST_SHARE ? [`${job.name}: ${ran.size} of ${ticks.size} ticks ran`] : [];
      });
      return { cases: jobs.length, breaches };
    },
  },
  {
    promise: 'a worker ends when it is told to or killed, and has nothing to complain of',
    check({ workers }) {
      const breaches = workers.flatMap(({ name, ended, killedMs }) => {
        if (!ended) return [`${name} did not end`];
        const { code, signal, stderr } = ended;
        const isAsTold = killedMs === undefined ? code === 0 : signal === 'SIGKILL';
        return isAsTold && stderr === '' ? [] : [`${name} ended with ${code ?? signal}: ${stderr.slice(0, 2_000)}`];
      });
      return { cases: workers.length, breaches };
    },
  },
];
