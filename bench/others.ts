/**
 * Measures this library beside other systems, on one machine in one run: `npx tsx bench/others.ts [--quick] [--page]`.
 * Each system is bundled and runs in a process of its own. The systems alternate block by block, so that noise affects
 * all of them alike. With `--page` the figures are written into docs/benchmarks.md.
 */
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { startFaultProxy } from '../test/support/fault-proxy.js';
import { startTcpFaultProxy } from '../test/support/tcp-fault-proxy.js';
import { startUpstashBridge } from '../test/support/upstash-bridge.js';
import { writeSection } from './page.js';
import { PROBES, type Probe, probed } from './probes.js';
import { quantile } from './side-by-side.js';
import { ENGINES, type Host, SYSTEMS, type System, startStage } from './systems.js';

const isQuick = process.argv.includes('--quick');
const ROUNDS = isQuick ? 1 : 20;
const CALLS = isQuick ? 5 : 40;
const WARM_UP = isQuick ? 0 : 3;
const [CONTENDERS, TICKS] = isQuick ? [5, 3] : [50, 200];
const NAMES = isQuick ? 100 : 10_000;
const STARTS = isQuick ? 1 : 15;
const PROBED_AT_ONCE = 3;
const KINDS = ['run', 'skip'] as const;

type Rows = readonly (readonly (string | number)[])[];

const stage = await startStage();
const sections: string[] = [];
// Probes mostly wait, so with `--quick` they go on beside the benchmarks. In a full run nothing disturbs the figures.
const early = isQuick ? probeTable() : undefined;
early?.catch(() => undefined);
try {
  for (const engine of ENGINES) {
    const systems = SYSTEMS.filter((system) => system.engine === engine);
    const hosts = new Map<System, Host>();
    for (const system of systems) hosts.set(system, await stage.host(system, { tableName: await stage.freshTable() }));
    sections.push(`### ${engine}`, '', ...(await costTable(hosts)), '', ...(await manyTable(hosts)), '');
    for (const host of hosts.values()) host.kill();
  }
  sections.push('### Size and cold start', '', ...(await startTable()), '');
  sections.push('### When something goes wrong', '', ...(await (early ?? probeTable())), '');
} finally {
  await stage.stop();
}
console.log(sections.join('\n'));
if (process.argv.includes('--page')) await writeSection(sections);
process.exit();

/** Makes a table of requests, write units, CPU and latencies of one run and of one skip. */
async function costTable(hosts: ReadonlyMap<System, Host>): Promise<string[]> {
  const blocks = new Map<string, { readonly cpuMs: number; readonly latenciesMs: readonly number[] }[]>();
  const systems = [...hosts];
  for (let round = -WARM_UP; round < ROUNDS; round++) {
    // Each round begins with another system.
    for (let n = 0; n < systems.length; n++) {
      const [system, host] = systems[(n + round + WARM_UP) % systems.length] ?? [];
      if (!system || !host) continue;
      for (const kind of kindsOf(system)) {
        const order = { do: 'block', kind: kind === 'run' ? 'run' : skipOf(system), calls: CALLS } as const;
        const block = (await host.order(order)) as unknown as { cpuMs: number; latenciesMs: number[] };
        const key = `${system.file} ${kind}`;
        if (round >= 0) blocks.set(key, [...(blocks.get(key) ?? []), block]);
      }
    }
  }
  const rows: (string | number)[][] = [];
  for (const [system] of systems) {
    const counts = await countsOf(system);
    for (const kind of KINDS) {
      const measured = blocks.get(`${system.file} ${kind}`);
      if (!measured) {
        rows.push([system.name, kind, '–', '–', '–', '–', 'waits for a lease']);
        continue;
      }
      const { requests = 0, writes = 0 } = counts[kind] ?? {};
      const latencies = measured.flatMap(({ latenciesMs }) => latenciesMs);
      const cpu = quantile(
        measured.map(({ cpuMs }) => cpuMs),
        0.5,
      );
      const times = [cpu, quantile(latencies, 0.5), quantile(latencies, 0.99)].map((ms) => ms.toFixed(2));
      rows.push([system.name, kind, requests, system.engine === 'DynamoDB' ? writes : '–', ...times]);
    }
  }
  return table(['system', '', 'requests', 'write units', 'CPU, ms', 'p50, ms', 'p99, ms'], rows);
}

type Count = Readonly<Record<'requests' | 'writes', number>>;

/**
 * Counts the requests and writes of one run and of one skip, with proxies. One write of an item as small as a lock
 * is one write unit.
 */
async function countsOf(system: System): Promise<Readonly<Partial<Record<'run' | 'skip', Count>>>> {
  let commands = 0;
  const dynamoDB = await startFaultProxy(stage.urls.DynamoDB);
  const upstash = await startUpstashBridge({ redisPort: stage.redisPort });
  const redis = await startTcpFaultProxy(stage.redisPort, () => {
    commands++;
    return undefined;
  });
  const urls = { DynamoDB: dynamoDB.endpoint, Redis: `redis://127.0.0.1:${redis.port}`, Upstash: upstash.url };
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
    const p50 = async () => {
      const { latenciesMs } = await host.order({ do: 'block', kind: 'run', calls: CALLS });
      return quantile(latenciesMs as readonly number[], 0.5).toFixed(2);
    };
    const few = await p50();
    await host.order({ do: 'grow', names: NAMES });
    const { ran, skipped, failed } = counts;
    rows.push([system.name, ran, skipped, failed, seconds.toFixed(1), few, await p50()]);
  }
  const names = NAMES.toLocaleString('en-US');
  const head = [`${CONTENDERS} at once, ${TICKS} ticks: ran`, 'skipped', 'failed', 's', 'p50 of a run, ms'];
  return table(['system', ...head, `with ${names} names more`], rows);
}

async function startTable(): Promise<string[]> {
  const times = new Map<System, number[]>();
  for (let n = 0; n < STARTS; n++) {
    for (const system of SYSTEMS) {
      const startedMs = performance.now();
      const host = await stage.host(system, { tableName: await stage.freshTable() });
      await host.order({ do: 'deliver', name: `cold ${n} ${system.file}`, tickMs: Date.now() - 60_000, taskMs: 0 });
      times.set(system, [...(times.get(system) ?? []), performance.now() - startedMs]);
      host.kill();
    }
  }
  const rows = SYSTEMS.map((system) => [
    system.engine,
    system.name,
    times.has(system) ? quantile(times.get(system) ?? [], 0.5).toFixed(0) : '–',
  ]);
  const sizes = await Promise.all(SYSTEMS.map(sizeOf));
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
  const systems = isQuick ? SYSTEMS.filter(({ engine }) => engine === 'Upstash') : SYSTEMS;
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
