/**
 * Two kinds of the same work take turns in one process, a block each, so that noise disturbs both alike. Figures are
 * the medians of blocks. A ratio is the median of the ratios of neighbouring blocks, with their quartiles: a change
 * that moves it by less than these is no gain.
 */
const WARM_UP_CALLS = 600;

/** What a piece of work costs, the mean and the median of a block. */
interface Block {
  readonly cpuMs: number;
  readonly p50Ms: number;
}

export type Work = () => Promise<unknown>;

/** How often the two kinds take turns, and how many pieces of work each does in its turn. */
export interface Turns {
  readonly rounds: number;
  /** @default 40 */
  readonly perBlock?: number;
}

/** Prints what both kinds cost, per piece of work. */
export async function compare(title: string, turns: Turns, kinds: Record<'bare' | 'ours', Work>): Promise<void> {
  const { rounds, perBlock = 40 } = turns;
  const warmUpBlocks = Math.min(rounds, Math.ceil(WARM_UP_CALLS / perBlock));
  for (let i = 0; i < warmUpBlocks; i++) for (const work of Object.values(kinds)) await block(work, perBlock);
  const bare: Block[] = [];
  const ours: Block[] = [];
  for (let round = 0; round < rounds; round++) {
    // Who goes first alternates too.
    const pair = round % 2 === 0 ? (['bare', 'ours'] as const) : (['ours', 'bare'] as const);
    for (const kind of pair) (kind === 'bare' ? bare : ours).push(await block(kinds[kind], perBlock));
  }
  const row = (figure: keyof Block) => {
    const ratios = ours.map((b, i) => b[figure] / (bare[i]?.[figure] ?? Number.NaN));
    return {
      bare: quantile(figures(bare, figure), 0.5).toFixed(3),
      ours: quantile(figures(ours, figure), 0.5).toFixed(3),
      ratio: quantile(ratios, 0.5).toFixed(2),
      quartiles: `${quantile(ratios, 0.25).toFixed(2)} to ${quantile(ratios, 0.75).toFixed(2)}`,
    };
  };
  process.stdout.write(`${title}\n`);
  console.table({ 'CPU, ms': row('cpuMs'), 'latency p50, ms': row('p50Ms') });
}

async function block(work: Work, times: number): Promise<Block> {
  const latencies: number[] = [];
  const cpu = process.cpuUsage();
  for (let i = 0; i < times; i++) {
    const start = performance.now();
    await work();
    latencies.push(performance.now() - start);
  }
  const { user, system } = process.cpuUsage(cpu);
  return { cpuMs: (user + system) / 1_000 / times, p50Ms: quantile(latencies, 0.5) };
}

const figures = (blocks: readonly Block[], figure: keyof Block): number[] => blocks.map((b) => b[figure]);

/** The value below which this part of all values lies. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}
