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
 */
export async function bundledProgram(source: URL, alias: Record<string, string> = {}): Promise<BundledProgram> {
  const folder = await mkdtemp(join(tmpdir(), 'single-execution-program-'));
  const path = join(folder, 'program.mjs');
  await build({
    entryPoints: [fileURLToPath(source)],
    outfile: path,
    tsconfig: join(ROOT, 'tsconfig.json'),
    bundle: true,
    alias,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    // What is CommonJS among its dependencies calls require.
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    logLevel: 'error',
  });
  return { path, remove: () => rm(folder, { recursive: true }) };
}
