import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PEERS = ['@upstash/redis', 'uncrypto'];

export interface BuiltPackage {
  /** A project outside of this repository, with the package in its node_modules. */
  readonly folder: string;
  /** Translates a program of TypeScript into the project, file by file. @returns its path */
  addProgram(path: string): Promise<string>;
  remove(): Promise<void>;
}

/**
 * The package as users install it: its own package.json, and `dist` translated file by file from the sources of today,
 * not bundled. The door of the CDK is left out.
 */
export async function builtPackage(): Promise<BuiltPackage> {
  const folder = await mkdtemp(join(tmpdir(), 'built-package-'));
  const own = join(folder, 'node_modules/single-execution');
  await mkdir(own, { recursive: true });
  await mkdir(join(folder, 'node_modules/@upstash'));
  for (const peer of PEERS) await symlink(join(ROOT, 'node_modules', peer), join(folder, 'node_modules', peer), 'dir');
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name: 'project', type: 'module', private: true }));
  await writeFile(join(own, 'package.json'), await readFile(join(ROOT, 'package.json')));
  await translate(['src/**/*.ts'], join(own, 'dist'));

  return {
    folder,
    async addProgram(path) {
      await translate([path], folder);
      return join(folder, basename(path).replace(/\.ts$/, '.js'));
    },
    remove: () => rm(folder, { recursive: true }),
  };
}

async function translate(entryPoints: string[], outdir: string): Promise<void> {
  await build({ entryPoints, outdir, absWorkingDir: ROOT, format: 'esm', target: 'es2023', logLevel: 'error' });
}
