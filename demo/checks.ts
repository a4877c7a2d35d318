import type { Invariants } from '../test/support/play/verdict.js';
import type { Scene, Work } from './evening.js';
import { doubleRuns, type Lane } from './lanes.js';

/** What the race and the evening have left to be looked at. */
export interface Seen {
  /** The lane of the race whose handler is wrapped. */
  readonly lane: Lane;
  readonly scenes: readonly Scene[];
  /** In the order in which they ended. */
  readonly works: readonly Work[];
}

export const CHECKS: Invariants<Seen> = {
  'the race: with the wrapper no tick runs twice, and no run beside another'({ lane }) {
    const { again, beside } = doubleRuns(lane);
    const breaches = [...again, ...beside].map(({ tick, host }) => `tick ${tick} on host ${host + 1}`);
    return { cases: lane.runs.length, breaches };
  },

  'each situation ends as it should'({ scenes }) {
    const breaches = scenes.flatMap(({ title, wanted, deliveries }) => {
      const endings = deliveries.map(({ ending }) => ending);
      const isRight = endings.length === wanted.length && endings.every((ending, n) => wanted[n]?.test(ending));
      return isRight ? [] : [`${title}: ${endings.join(', ')}`];
    });
    return { cases: scenes.length, breaches };
  },

  'never two runs at work at once'({ works }) {
    const inOrder = byStart(works);
    const breaches = inOrder
      .filter(({ fromMs }, n) => inOrder.slice(0, n).some(({ toMs }) => toMs > fromMs))
      .map(({ token }) => `the run with token ${token} began beside another`);
    return { cases: works.length, breaches };
  },

  'each tick is done at most once'({ works }) {
    const done = works.filter(({ isDone }) => isDone).map(({ tickMs }) => tickMs);
    const breaches = done
      .filter((tickMs, n) => done.indexOf(tickMs) < n)
      .map((tickMs) => `tick ${new Date(tickMs).toISOString()} was done again`);
    return { cases: done.length, breaches };
  },

  'fencing tokens rise from run to run'({ works }) {
    const tokens = byStart(works).map(({ token }) => token);
    const breaches = tokens
      .filter((token, n) => !(token > (tokens[n - 1] ?? 0)))
      .map((token) => `token ${token} is not above the one before`);
    return { cases: tokens.length, breaches };
  },
};

const byStart = (works: readonly Work[]) => [...works].sort((a, b) => a.fromMs - b.fromMs);
