/**
 * Measures this library beside other systems, on one machine in one run: `npx tsx bench/others.ts [--quick] [--costs]
 * [--page]`.
 * Each system is bundled and runs in a process of its own. The systems alternate block by block, so that noise affects
 * all of them alike. Each has one process on loopback, and one behind a network of each other round trip. With `--page`
 * the figures are written into docs/benchmarks.md; with `--costs` only what a run and
 * a skip cost is measured, and only the first table is written.
 */
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { startFaultProxy } from '../test/support/fault-proxy.js';
import { startTcpFaultProxy } from '../test/support/tcp-fault-proxy.js';
import { startUpstashBridge } from '../test/support/upstash-bridge.js';
import { writeCosts, writeSection } from './page.js';
import { PROBES, type Probe, probed } from './probes.js';
import { ROUND_TRIPS_MS } from './round-trips.js';
import { quantile } from './side-by-side.js';
import { ENGINES, type Engine, type Host, RIVALED, RIVALS, SYSTEMS, type System, startStage } from './systems.js';

const isQuick = process.argv.includes('--quick');
const ROUNDS = isQuick ? 1 : 12;
const CALLS = isQuick ? 5 : 40;
const WARM_UP = isQuick ? 0 : 3;
const [CONTENDERS, TICKS] = isQuick ? [5, 3] : [50, 200];
const NAMES = isQuick ? 100 : 10_000;
const STARTS = isQuick ? 1 : 15;
/** Whether to measure only what a run and a skip cost. */
const isCosts = process.argv.includes('--costs');
const NETWORKS = isQuick ? ROUND_TRIPS_MS.slice(0, 2) : ROUND_TRIPS_MS;
const PROBED_AT_ONCE = 3;
const KINDS = ['run', 'skip'] as const;

type Rows = readonly (readonly (string | number)[])[];

const stage = await startStage();
const sections: string[] = [];
// Probes mostly wait, so with `--quick` they go on beside the benchmarks. In a full run nothing disturbs the figures.
const early = isQuick && !isCosts ? probeTable() : undefined;
early?.catch(() => undefined);
const costs: (readonly string[])[] = [];
try {
  for (const engine of ENGINES) {
    const systems = SYSTEMS.filter((system) => system.engine === engine);
    const hosts = new Map<System, readonly Host[]>();
    for (const system of systems) {
      const tableName = await stage.freshTable();
      const reached: Host[] = [];
      // One after the other: the first makes the tables.
      for (const url of stage.networks[engine].slice(0, NETWORKS.length)) {
        reached.push(await stage.host(system, { url, tableName }));
      }
      hosts.set(system, reached);
    }
    const measured = await blocksOf(hosts);
    const counts = new Map<System, Counts>();
    for (const [system, blocks] of measured) counts.set(system, await countsOf(system, blocks));
    sections.push(`### ${engine}`, '', ...costTable(measured, counts), '');
    costs.push(costRow(engine, measured, counts));
    const onLoopback = new Map([...hosts].flatMap(([system, [host]]) => (host ? [[system, host] as const] : [])));
    if (!isCosts && RIVALED.some((one) => one === engine)) sections.push(...(await manyTable(onLoopback)), '');
    for (const host of [...hosts.values()].flat()) host.kill();
  }
  if (!isCosts) {
    sections.push('### Size and cold start', '', ...(await startTable()), '');
    sections.push('### When something goes wrong', '', ...(await (early ?? probeTable())), '');
  }
} finally {
  await stage.stop();
}
const kinds = KINDS.flatMap((kind) => NETWORKS.map((ms) => `${kind}: ${ms === 0 ? 'loopback' : `${ms} ms`}`));
const summary = table(['store', ...kinds, 'requests of a run and of a skip'], costs);
console.log([...summary, '', ...sections].join('\n'));
if (process.argv.includes('--page')) {
  await writeCosts(summary);
  if (!isCosts) await writeSection(sections);
}
process.exit();

/** What a host has measured in one block. */
interface Block {
  readonly cpuMs: number;
  readonly latenciesMs: readonly number[];
  /** Requests a call, of a client that counts them. */
  readonly requests: number;
}

/** The blocks of a system: of a run and of a skip, over each network. */
type Measured = Readonly<Record<'run' | 'skip', readonly (readonly Block[])[]>>;
type Blocks = ReadonlyMap<System, Measured>;

/** Lets systems, networks, runs and skips alternate. */
async function blocksOf(hosts: ReadonlyMap<System, readonly Host[]>): Promise<Blocks> {
  const all = [...hosts].flatMap(([system, reached]) => reached.map((host, n) => ({ system, host, n })));
  const empty = (reached: readonly Host[]) => reached.map((): Block[] => []);
  const blocks = new Map([...hosts].map(([system, of]) => [system, { run: empty(of), skip: empty(of) }] as const));
  for (let round = -WARM_UP; round < ROUNDS; round++) {
    // Each round begins with another one.
    const first = (round + WARM_UP) % all.length;
    for (const { system, host, n } of [...all.slice(first), ...all.slice(0, first)]) {
      for (const kind of kindsOf(system)) {
        const order = { do: 'block', kind: kind === 'run' ? 'run' : skipOf(system), calls: CALLS } as const;
        const block = (await host.order(order)) as unknown as Block;
        if (round >= 0) blocks.get(system)?.[kind][n]?.push(block);
      }
    }
  }
  return blocks;
}

function p50(blocks: readonly Block[] | undefined, part = 0.5): string {
  if (blocks === undefined || blocks.length === 0) return '–';
  const latencies = blocks.flatMap(({ latenciesMs }) => latenciesMs);
  return quantile(latencies, part).toFixed(2);
}

/** The p50 of our run and of our skip over each network, and their requests; in brackets those of the lock by hand. */
function costRow(engine: Engine, blocks: Blocks, counts: ReadonlyMap<System, Counts>): string[] {
  const [ours, byHand] = [...blocks.values()];
  const [sent = '', sentByHand] = [...counts.values()].map(({ run, skip }) => `${run?.requests} and ${skip?.requests}`);
  const cells = KINDS.flatMap((kind) =>
    NETWORKS.map((_, n) => (ours?.[kind][n] === undefined ? '–' : `${p50(ours[kind][n])} (${p50(byHand?.[kind][n])})`)),
  );
  return [engine, ...cells, `${sent} (${sentByHand})`];
}

/** Makes a table of requests, write units, CPU and latencies of one run and of one skip. */
function costTable(blocks: Blocks, counts: ReadonlyMap<System, Counts>): string[] {
  const rows: (string | number)[][] = [];
  for (const [system, measured] of blocks) {
    for (const kind of KINDS) {
      const [onLoopback = [], ...slow] = measured[kind];
      if (onLoopback.length === 0) {
        rows.push([system.name, kind, ...Array.from({ length: 6 }, () => '–'), 'waits for a lease']);
        continue;
      }
      const { requests = 0, writes = 0 } = counts.get(system)?.[kind] ?? {};
      const cpu = quantile(
        onLoopback.map(({ cpuMs }) => cpuMs),
        0.5,
      );
      const overNetworks = NETWORKS.slice(1).map((_, n) => p50(slow[n]));
      const units = system.engine === 'DynamoDB' ? writes : '–';
      const times = [cpu.toFixed(2), p50(onLoopback), ...overNetworks, p50(onLoopback, 0.99)];
      rows.push([system.name, kind, requests, units, ...times]);
    }
  }
  const overNetworks = NETWORKS.slice(1).map((ms) => `p50 over ${ms} ms`);
  return table(['system', '', 'requests', 'write units', 'CPU, ms', 'p50, ms', ...overNetworks, 'p99, ms'], rows);
}

type Count = Readonly<Record<'requests' | 'writes', number>>;
type Counts = Readonly<Partial<Record<'run' | 'skip', Count>>>;

/**
 * Counts the requests and writes of one run and of one skip, with proxies. One write of an item as small as a lock
 * is one write unit.
 */
async function countsOf(system: System, { run, skip }: Measured): Promise<Counts> {
  // The clients of databases count what they send. In a first block they may also prepare.
  const counted = (kind: Measured['run']) => ({ requests: kind[0]?.at(-1)?.requests ?? 0, writes: 0 });
  if (!RIVALS.includes(system)) return { run: counted(run), skip: counted(skip) };
  let commands = 0;
  const dynamoDB = await startFaultProxy(stage.urls.DynamoDB);
  const upstash = await startUpstashBridge({ redisPort: stage.redisPort });
  const redis = await startTcpFaultProxy(stage.redisPort, () => {
    commands++;
    return undefined;
  });
  const redisUrl = `redis://127.0.0.1:${redis.port}`;
  const urls = { ...stage.urls, DynamoDB: dynamoDB.endpoint, Redis: redisUrl, Upstash: upstash.url };
  const host = await stage.host(system, { url: urls[system.engine], tableName: await stage.freshTable() });
  const soFar = () => ({
    requests: dynamoDB.requests().length + upstash.requests().length + commands,
    writes: dynamoDB.requests().filter(({ operation }) => /^(Put|Update|Delete)Item$/.test(operation)).length,
  });
  const counts: Partial<Record<'run' | 'skip', Count>> = {};
  for (const kind of kindsOf(system)) {
    const order = { do: 'block', kind: kind === 'run' ? 'run' : skipOf(system) } as const;
    await host.order({ ...order, calls: 2 });
    const start = soFar();
    await host.order({ ...order, calls: 2 });
    const few = soFar();
    await host.order({ ...order, calls: 12 });
    const many = soFar();
    // Both differences include the requests before and after a block, which cancel out.
    const each = (figure: keyof Count) => (many[figure] - few[figure] - (few[figure] - start[figure])) / 10;
    counts[kind] = { requests: each('requests'), writes: each('writes') };
  }
  host.kill();
  await Promise.all([dynamoDB.stop(), upstash.stop(), redis.stop()]);
  return counts;
}

/** Makes the result table of two load tests: many contenders for each tick, and a store with many locks. */
async function manyTable(hosts: ReadonlyMap<System, Host>): Promise<string[]> {
  const rows: (string | number)[][] = [];
  for (const [system, host] of hosts) {
    if (system.waits) {
      rows.push([system.name, ...Array.from({ length: 6 }, () => '–')]);
      continue;
    }
    const counts = { ran: 0, skipped: 0, failed: 0 };
    const startedMs = performance.now();
    for (let n = 0; n < TICKS; n++) {
      const order = { do: 'contend', tickMs: Date.now() - 86_400_000 + n * 1_000, contenders: CONTENDERS } as const;
      const { outcomes } = (await host.order(order)) as unknown as { outcomes: (keyof typeof counts)[] };
      for (const outcome of outcomes) counts[outcome]++;
    }
    const seconds = (performance.now() - startedMs) / 1_000;
    const p50OfRun = async () =>
      p50([(await host.order({ do: 'block', kind: 'run', calls: CALLS })) as unknown as Block]);
    const few = await p50OfRun();
    await host.order({ do: 'grow', names: NAMES });
    const { ran, skipped, failed } = counts;
    rows.push([system.name, ran, skipped, failed, seconds.toFixed(1), few, await p50OfRun()]);
  }
  const names = NAMES.toLocaleString('en-US');
  const head = [`${CONTENDERS} at once, ${TICKS} ticks: ran`, 'skipped', 'failed', 's', 'p50 of a run, ms'];
  return table(['system', ...head, `with ${names} names more`], rows);
}

async function startTable(): Promise<string[]> {
  const times = new Map<System, number[]>();
  for (let n = 0; n < STARTS; n++) {
    for (const system of RIVALS) {
      const startedMs = performance.now();
      const host = await stage.host(system, { tableName: await stage.freshTable() });
      await host.order({ do: 'deliver', name: `cold ${n} ${system.file}`, tickMs: Date.now() - 60_000, taskMs: 0 });
      times.set(system, [...(times.get(system) ?? []), performance.now() - startedMs]);
      host.kill();
    }
  }
  const rows = RIVALS.map((system) => [
    system.engine,
    system.name,
    times.has(system) ? quantile(times.get(system) ?? [], 0.5).toFixed(0) : '–',
  ]);
  const sizes = await Promise.all(RIVALS.map(sizeOf));
  return table(
    ['', 'system', 'min + gzip, kB', 'first run after process start, ms'],
    rows.map(([engine = '', name = '', ms = ''], n) => [engine, name, sizes[n] ?? '', ms]),
  );
}

/** Returns the minified and gzipped size of a system in kB, without the client that a user has anyway. */
async function sizeOf({ exports }: System): Promise<string> {
  if (exports.length === 0) return '–';
  const { outputFiles } = await build({
    stdin: { contents: exports.join('\n'), resolveDir: join(import.meta.dirname, 'systems'), loader: 'ts' },
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    platform: 'node',
    target: 'es2023',
    treeShaking: true,
    external: ['@aws-sdk/*', 'aws-sdk', 'ioredis', 'ioredis-5', '@upstash/redis', 'knex', 'kysely'],
    logLevel: 'error',
  });
  return (gzipSync(outputFiles[0]?.contents ?? '').length / 1_000).toFixed(1);
}

async function probeTable(): Promise<string[]> {
  const systems = isQuick ? RIVALS.filter(({ engine }) => engine === 'Upstash') : RIVALS;
  const rows: string[][] = [];
  for (let n = 0; n < systems.length; n += PROBED_AT_ONCE) {
    const some = systems.slice(n, n + PROBED_AT_ONCE);
    const seen = await Promise.all(some.map((system) => probed(stage, system)));
    rows.push(...some.map(({ engine, name }, i) => [engine, name, ...Object.values(seen[i] ?? {})]));
  }
  const told = Object.entries(PROBES).map(([probe, what]: [string, string]) => `- **${probe}**: ${what}`);
  return [...told, '', ...table(['', 'system', ...(Object.keys(PROBES) as Probe[])], rows)];
}

function kindsOf({ waits }: System): readonly ('run' | 'skip')[] {
  return waits ? ['run'] : KINDS;
}

/**
 * Returns how a system skips a duplicate. Most systems know no ticks, so they skip a duplicate only while the lock is
 * held.
 */
function skipOf({ file }: System): 'locked' | 'done' {
  return file === 'powertools' ? 'done' : 'locked';
}

function table(head: readonly string[], rows: Rows): string[] {
  const line = (cells: readonly (string | number)[]) => `| ${cells.join(' | ')} |`;
  return [line(head), `|${head.map(() => '---|').join('')}`, ...rows.map(line)];
}
