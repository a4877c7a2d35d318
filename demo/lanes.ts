import { setTimeout as sleep } from 'node:timers/promises';
import { type LockStore, withSingleExecution } from 'single-execution';
import { lambdaContext } from 'single-execution/testing';

/*
 * The race of the README, counted: the same deliveries go to two hosts whose handler is bare, and to two whose handler
 * is wrapped.
 */

interface Delivery {
  readonly atMs: number;
  readonly host: 0 | 1;
  readonly tick: number;
  /** How long its run takes. */
  readonly runMs: number;
}

const DELIVERIES: readonly [Delivery, ...Delivery[]] = [
  { atMs: 0, host: 0, tick: 1, runMs: 400 },
  { atMs: 60, host: 1, tick: 1, runMs: 400 },
  { atMs: 700, host: 0, tick: 2, runMs: 900 },
  { atMs: 1_100, host: 1, tick: 3, runMs: 400 },
  { atMs: 1_900, host: 0, tick: 4, runMs: 400 },
  { atMs: 2_600, host: 1, tick: 4, runMs: 400 },
  { atMs: 3_300, host: 1, tick: 5, runMs: 400 },
  { atMs: 3_360, host: 0, tick: 5, runMs: 400 },
];

const FIRST_TICK_MS = Date.now() - 86_400_000;

interface Run {
  readonly host: number;
  readonly tick: number;
  readonly fromMs: number;
  toMs: number;
}
interface Skip {
  readonly host: number;
  readonly atMs: number;
  readonly reason: string;
}
/** What became of the deliveries in one of the two lanes. */
export interface Lane {
  readonly runs: readonly Run[];
  readonly skips: readonly Skip[];
}

/** Plays both lanes at once. */
export async function playLanes(store: LockStore): Promise<{ readonly without: Lane; readonly within: Lane }> {
  // A first request takes longer than what is to be seen.
  await play('race', store, [{ ...DELIVERIES[0], tick: 0 }]);
  const [without, within] = await Promise.all([
    play(undefined, undefined, DELIVERIES),
    play('race', store, DELIVERIES),
  ]);
  return { without, within };
}

/** Runs of a tick that had run before, and runs that began while another was going on. */
export function doubleRuns({ runs }: Lane) {
  const earlier = (run: Run) => runs.filter((other) => other.fromMs < run.fromMs);
  return {
    again: runs.filter((run) => earlier(run).some((other) => other.tick === run.tick)),
    beside: runs.filter((run) => earlier(run).some((other) => other.toMs > run.fromMs)),
  };
}

async function play(
  name: string | undefined,
  store: LockStore | undefined,
  deliveries: readonly Delivery[],
): Promise<Lane> {
  const [runs, skips]: [Run[], Skip[]] = [[], []];
  const startMs = performance.now();
  const now = () => performance.now() - startMs;
  const bare = async ({ host, tick, runMs }: Delivery) => {
    const run: Run = { host, tick, fromMs: now(), toMs: Number.POSITIVE_INFINITY };
    runs.push(run);
    await sleep(runMs);
    run.toMs = now();
  };
  const wrapped =
    name === undefined || store === undefined
      ? bare
      : withSingleExecution(bare, {
          name,
          store,
          tick: ({ tick }: Delivery) => FIRST_TICK_MS + tick * 60_000,
          observers: [],
          onSkipped: ({ reason }) => reason,
        });
  await Promise.all(
    deliveries.map(async (delivery) => {
      await sleep(delivery.atMs);
      const reason = await wrapped(delivery, lambdaContext());
      if (reason) skips.push({ host: delivery.host, atMs: now(), reason });
    }),
  );
  return { runs, skips };
}
