import { setTimeout as sleep } from 'node:timers/promises';
import { withSingleExecution } from 'single-execution';
import { dynamoDBStore } from 'single-execution/dynamodb';
import { lambdaContext } from 'single-execution/testing';
import type { Paint } from '../test/support/play/terminal.js';
import { LOCK_TABLE } from './data.js';

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

const TICKS = new Set(DELIVERIES.map(({ tick }) => tick)).size;
const COLUMN_MS = 70;
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
interface Lane {
  readonly runs: readonly Run[];
  readonly skips: readonly Skip[];
}

/** Plays both lanes at once, over the lock table of the demo. @returns the picture, and what was counted */
export async function twoLanes(paint: Paint): Promise<string[]> {
  // A first request takes longer than what is to be seen.
  const store = dynamoDBStore({ tableName: LOCK_TABLE });
  await play('race', store, [{ ...DELIVERIES[0], tick: 0 }]);
  const [without, within] = await Promise.all([
    play(undefined, undefined, DELIVERIES),
    play('race', store, DELIVERIES),
  ]);
  return [
    'A tick is the scheduled time that a delivery stands for. A trigger can deliver it twice.',
    `The same ${DELIVERIES.length} deliveries of ${TICKS} ticks go to two hosts, without and with the wrapper:`,
    '',
    ...drawn('without', without, paint),
    ...drawn('with', within, paint),
    '',
    counted('without', without, paint),
    counted('with   ', within, paint),
    '',
    '  █ a run  · a skip. The third tick comes while the second is still at work.',
    '',
  ];
}

async function play(
  name: string | undefined,
  store: ReturnType<typeof dynamoDBStore> | undefined,
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

/** A line for each host: its runs as bars, its skips as dots. What ran before, or beside another, is bad. */
function drawn(name: string, { runs, skips }: Lane, paint: Paint): string[] {
  const columns = Math.ceil(4_000 / COLUMN_MS);
  return [0, 1].map((host) => {
    const cells = Array.from({ length: columns }, (_, n) => {
      const atMs = n * COLUMN_MS;
      const run = runs.find((one) => one.host === host && one.fromMs <= atMs + COLUMN_MS && atMs < one.toMs);
      if (run) return isBad(run, runs) ? paint.bad('█') : paint.good('█');
      const skip = skips.some((one) => one.host === host && Math.floor(one.atMs / COLUMN_MS) === n);
      return skip ? paint.dim('·') : ' ';
    });
    return `  ${(host === 0 ? name : '').padEnd(8)} host ${host + 1}  ${cells.join('')}`.trimEnd();
  });
}

const isBad = (run: Run, runs: readonly Run[]): boolean =>
  runs.some((other) => other.fromMs < run.fromMs && (other.tick === run.tick || other.toMs > run.fromMs));

function counted(name: string, { runs, skips }: Lane, paint: Paint): string {
  const twice = runs.length - new Set(runs.map(({ tick }) => tick)).size;
  const together = runs.filter((run) => runs.some((other) => other.fromMs < run.fromMs && other.toMs > run.fromMs));
  const reasons = [...new Set(skips.map(({ reason }) => reason))].map(
    (reason) => `${skips.filter((skip) => skip.reason === reason).length} ${reason}`,
  );
  const skipped = skips.length > 0 ? `; ${skips.length} skipped (${reasons.join(', ')})` : '';
  const words = `${runs.length} runs: ${twice} ticks ran twice, ${together.length} runs began beside another${skipped}`;
  return `  ${name}  ${(twice + together.length > 0 ? paint.bad : paint.good)(words)}`;
}
