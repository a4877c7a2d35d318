import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

export interface BundledProgram {
  readonly path: string;
  remove(): Promise<void>;
}

/**
 * A program of the tests in one file, with all that it imports: so it starts in a fraction of a second.
 *
 * @param alias packages that others stand in for, by the path of those
 * @param external packages that the program can do without
 */
export async function bundledProgram(
  source: URL,
  alias: Record<string, string> = {},
  external: string[] = [],
): Promise<BundledProgram> {
  const folder = await mkdtemp(join(tmpdir(), 'single-execution-program-'));
  const path = join(folder, 'program.mjs');
  await build({
    entryPoints: [fileURLToPath(source)],
    outfile: path,
    tsconfig: join(ROOT, 'tsconfig.json'),
    bundle: true,
    alias,
    external,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    // What is CommonJS among its dependencies calls require.
    banner: {
      js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);",
    },
    logLevel: 'error',
  });
  return { path, remove: () => rm(folder, { recursive: true }) };
}
