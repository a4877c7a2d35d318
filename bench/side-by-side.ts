import { setTimeout as sleep } from 'node:timers/promises';

/*
 * Different kinds of the same work alternate in one process, one block each, so that noise affects all of them alike.
 * Each figure is the median over blocks. Each ratio is the median of the ratios of neighbouring blocks, printed with
 * its quartiles. A change of the ratio that is smaller than the distance between its quartiles is noise.
 */
const WARM_UP_CALLS = 600;

/** The cost of a piece of work in one block: the mean of its CPU, and the median of its latency. */
interface Block {
  readonly cpuMs: number;
  readonly p50Ms: number;
}

export type Work = () => Promise<unknown>;

/** How many blocks each kind has, and how many pieces of work a block has. */
export interface Turns {
  readonly rounds: number;
  /** The pieces of work in a block. @default 40 */
  readonly perBlock?: number;
  /** A pause before each piece of work, which is not measured. @default 0 */
  readonly pauseMs?: number;
}

/** Prints the cost of our kind of a piece of work, beside the cost of each other kind. */
export async function compare<Other extends string>(
  title: string,
  turns: Turns,
  kinds: Record<Other | 'ours', Work>,
): Promise<void> {
  const { rounds, perBlock = 40, pauseMs = 0 } = turns;
  const names = Object.keys(kinds) as (Other | 'ours')[];
  const measure = (name: Other | 'ours') => block(kinds[name], perBlock, pauseMs);
  const warmUpBlocks = Math.min(rounds, Math.ceil(WARM_UP_CALLS / perBlock));
  for (let i = 0; i < warmUpBlocks; i++) for (const name of names) await measure(name);
  const blocks = new Map(names.map((name) => [name, [] as Block[]]));
  for (let round = 0; round < rounds; round++) {
    // The order of the kinds is reversed in every second round.
    for (const name of round % 2 === 0 ? names : names.toReversed()) blocks.get(name)?.push(await measure(name));
  }
  const ours = blocks.get('ours') ?? [];
  process.stdout.write(`${title}\n`);
  for (const [name, others] of blocks) {
    if (name === 'ours') continue;
    const row = (figure: keyof Block) => {
      const ratios = ours.map((b, i) => b[figure] / (others[i]?.[figure] ?? Number.NaN));
      return {
        [name]: quantile(figures(others, figure), 0.5).toFixed(3),
        ours: quantile(figures(ours, figure), 0.5).toFixed(3),
        ratio: quantile(ratios, 0.5).toFixed(2),
        quartiles: `${quantile(ratios, 0.25).toFixed(2)} to ${quantile(ratios, 0.75).toFixed(2)}`,
      };
    };
    console.table({ 'CPU, ms': row('cpuMs'), 'latency p50, ms': row('p50Ms') });
  }
}

async function block(work: Work, times: number, pauseMs: number): Promise<Block> {
  const latencies: number[] = [];
  let cpuMs = 0;
  for (let i = 0; i < times; i++) {
    if (pauseMs > 0) await sleep(pauseMs);
    const cpu = process.cpuUsage();
    const start = performance.now();
    await work();
    latencies.push(performance.now() - start);
    const { user, system } = process.cpuUsage(cpu);
    cpuMs += (user + system) / 1_000;
  }
  return { cpuMs: cpuMs / times, p50Ms: quantile(latencies, 0.5) };
}

const figures = (blocks: readonly Block[], figure: keyof Block): number[] => blocks.map((b) => b[figure]);

/** Returns a quantile: the value below which the given part of all values lies. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}
