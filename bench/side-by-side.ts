/**
 * Two kinds of the same work take turns in one process, a block each, so that noise disturbs both alike. Figures are
 * the medians of blocks, and a ratio is the median of the ratios of neighbouring blocks.
 */
const PER_BLOCK = 40;
const WARM_UP_BLOCKS = 5;

interface Block {
  readonly cpuMs: number;
  readonly p50Ms: number;
}

/** Prints what both kinds cost, per piece of work, after so many rounds. */
export async function compare(
  title: string,
  rounds: number,
  kinds: Record<'bare' | 'ours', () => Promise<unknown>>,
): Promise<void> {
  for (let warmUp = 0; warmUp < WARM_UP_BLOCKS; warmUp++) for (const work of Object.values(kinds)) await block(work);
  const bare: Block[] = [];
  const ours: Block[] = [];
  for (let round = 0; round < rounds; round++) {
    // Who goes first alternates too.
    const pair = round % 2 === 0 ? (['bare', 'ours'] as const) : (['ours', 'bare'] as const);
    for (const kind of pair) (kind === 'bare' ? bare : ours).push(await block(kinds[kind]));
  }
  const row = (figure: keyof Block) => ({
    bare: median(bare.map((b) => b[figure])).toFixed(3),
    ours: median(ours.map((b) => b[figure])).toFixed(3),
    ratio: median(ours.map((b, i) => b[figure] / (bare[i]?.[figure] ?? Number.NaN))).toFixed(2),
  });
  process.stdout.write(`${title}\n`);
  console.table({ 'CPU, ms': row('cpuMs'), 'latency p50, ms': row('p50Ms') });
}

async function block(work: () => Promise<unknown>): Promise<Block> {
  const latencies: number[] = [];
  const cpu = process.cpuUsage();
  for (let i = 0; i < PER_BLOCK; i++) {
    const start = performance.now();
    await work();
    latencies.push(performance.now() - start);
  }
  const { user, system } = process.cpuUsage(cpu);
  return { cpuMs: (user + system) / 1_000 / PER_BLOCK, p50Ms: median(latencies) };
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
