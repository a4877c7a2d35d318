import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import type { Kind } from './regime.js';
import { sum, type Tally } from './tally.js';
import type { WorldsOrder } from './worlds.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Bundles the library and the simulated worlds, and plays them. */
export interface Simulation {
  /** Plays this many worlds of a kind, shared among `workers` processes at a time. */
  play(kind: Kind, from: number, seeds: number, workers: number): Promise<Tally>;
  /** Plays worlds with the bug of this name until a world shows it, at most `seeds` of them. */
  playUntilViolation(bug: string, kind: Kind, from: number, seeds: number): Promise<Tally>;
  dispose(): Promise<void>;
}

export async function simulation(): Promise<Simulation> {
  const folder = await mkdtemp(join(tmpdir(), 'worlds-'));
  const program = join(folder, 'worlds.mjs');
  await build({
    entryPoints: [join(ROOT, 'test/sim/worlds.ts')],
    outfile: program,
    bundle: true,
    platform: 'node',
    format: 'esm',
    external: ['@aws-sdk/*', 'fengari'],
    logLevel: 'silent',
  });
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));

  const run = async (order: WorldsOrder): Promise<Tally> => {
    const args = [program, JSON.stringify(order)];
    const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 64 * 1_048_576 });
    return JSON.parse(stdout) as Tally;
  };
  return {
    async play(kind, from, seeds, workers) {
      const share = Math.ceil(seeds / workers);
      const parts = Array.from({ length: workers }, (_, i) => Math.min(share, seeds - i * share));
      return sum(
        kind,
        await Promise.all(parts.filter((n) => n > 0).map((n, i) => run({ kind, from: from + i * share, seeds: n }))),
      );
    },
    playUntilViolation: (bug, kind, from, seeds) => run({ kind, from, seeds, bug }),
    dispose: () => rm(folder, { recursive: true, force: true }),
  };
}
