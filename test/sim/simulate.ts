import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brokenProgram, type SeededBug } from '../support/seeded-bug.js';
import { type Kind, sum, type Tally } from './tally.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** The library and its worlds as one program, and how to play them. */
export interface Simulation {
  /** Plays so many worlds of a kind, in `workers` processes at a time. */
  play(kind: Kind, from: number, seeds: number, workers: number): Promise<Tally>;
  /** Plays worlds until one shows a violation. */
  playUntilViolation(kind: Kind, from: number, seeds: number): Promise<Tally>;
  dispose(): Promise<void>;
}

/** @param bug what is broken in the library before it is played */
export async function simulation(bug: SeededBug = { name: 'none', edits: [] }): Promise<Simulation> {
  const text = await brokenProgram(join(ROOT, 'test/sim/worlds.ts'), bug, ['@aws-sdk/*', 'fengari']);
  const folder = await mkdtemp(join(tmpdir(), 'worlds-'));
  const program = join(folder, 'worlds.mjs');
  await writeFile(program, text);
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));

  const run = async ({ stage, regime }: Kind, from: number, seeds: number, ...more: string[]): Promise<Tally> => {
    const args = [
      program,
      '--stage',
      stage,
      '--regime',
      regime,
      '--from',
      String(from),
      '--seeds',
      String(seeds),
      ...more,
    ];
    const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 64 * 1_048_576 });
    return JSON.parse(stdout) as Tally;
  };
  return {
    async play(kind, from, seeds, workers) {
      const share = Math.ceil(seeds / workers);
      const parts = Array.from({ length: workers }, (_, i) => Math.min(share, seeds - i * share));
      return sum(kind, await Promise.all(parts.filter((n) => n > 0).map((n, i) => run(kind, from + i * share, n))));
    },
    playUntilViolation: (kind, from, seeds) => run(kind, from, seeds, '--until-violation'),
    dispose: () => rm(folder, { recursive: true, force: true }),
  };
}
