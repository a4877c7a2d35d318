import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { type Kind, sum, type Tally } from './tally.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** A change to the library's text: in that file of src, this for that. Each text stands there exactly once. */
export type Edit = readonly [file: string, from: string, to: string];

/** The library and its worlds as one program, and how to play them. */
export interface Simulation {
  /** Plays so many worlds of a kind, in `workers` processes at a time. */
  play(kind: Kind, from: number, seeds: number, workers: number): Promise<Tally>;
  /** Plays worlds until one shows a violation. */
  playUntilViolation(kind: Kind, from: number, seeds: number): Promise<Tally>;
  dispose(): Promise<void>;
}

/** @param edits what is broken in the library before it is played */
export async function simulation(edits: readonly Edit[] = []): Promise<Simulation> {
  const folder = await mkdtemp(join(tmpdir(), 'worlds-'));
  const program = join(folder, 'worlds.mjs');
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const used = new Set<Edit>();
  await build({
    entryPoints: [join(ROOT, 'test/sim/worlds.ts')],
    outfile: program,
    bundle: true,
    platform: 'node',
    format: 'esm',
    external: ['@aws-sdk/*', 'fengari'],
    logLevel: 'silent',
    plugins: [
      {
        name: 'edits',
        setup({ onLoad }) {
          onLoad({ filter: /\/src\/.*\.ts$/ }, async ({ path }) => {
            let text = await readFile(path, 'utf8');
            for (const edit of edits) {
              const [file, from, to] = edit;
              if (!path.endsWith(`/src/${file}`)) continue;
              if (text.split(from).length !== 2) throw new Error(`${file} has not exactly one '${from}'`);
              text = text.replace(from, () => to);
              used.add(edit);
            }
            return { contents: text, loader: 'ts' };
          });
        },
      },
    ],
  });
  const unused = edits.find((edit) => !used.has(edit));
  if (unused) throw new Error(`no world uses ${unused[0]}`);

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
