import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { type OutputOptions, rolldown } from 'rolldown';
import config from '../../rolldown.config.js';
import { onceARun } from './once-a-run.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc');
const PEERS = ['@upstash/redis', 'uncrypto'];
const PUBLISHED = [
  'package.json',
  'README.md',
  'CHANGELOG.md',
  'LICENSE',
  'src',
  'infra/constructs',
  'infra/templates',
];

export interface BuiltPackage {
  /** A project outside this repository, with the package in its node_modules. */
  readonly folder: string;
  /** Translates a TypeScript program into the project, file by file. @returns the path of the translated program */
  addProgram(path: string): Promise<string>;
  remove(): Promise<void>;
}

/** The package as users install it, but without its declarations, in a project that also has Upstash's client. */
export async function builtPackage(): Promise<BuiltPackage> {
  const folder = await mkdtemp(join(tmpdir(), 'built-package-'));
  await mkdir(join(folder, 'node_modules/@upstash'), { recursive: true });
  for (const peer of PEERS) await symlink(join(ROOT, 'node_modules', peer), join(folder, 'node_modules', peer), 'dir');
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name: 'project', type: 'module', private: true }));
  await buildPackage(join(folder, 'node_modules/single-execution'));

  return {
    folder,
    async addProgram(path) {
      await build({ entryPoints: [path], outdir: folder, format: 'esm', target: 'es2023', logLevel: 'error' });
      return join(folder, basename(path).replace(/\.ts$/, '.js'));
    },
    remove: () => rm(folder, { recursive: true }),
  };
}

/** Writes the published files into a folder: the modules of `dist`, but not its declarations. */
export async function buildPackage(folder: string): Promise<void> {
  await cp(await onceARun('package', buildModules), folder, { recursive: true });
}

async function buildModules(folder: string): Promise<void> {
  for (const part of PUBLISHED) await cp(join(ROOT, part), join(folder, part), { recursive: true });
  for (const { output, ...input } of config) {
    const bundle = await rolldown({ ...input, cwd: folder });
    for (const one of output as OutputOptions[]) await bundle.write({ ...one, dir: join(folder, 'dist') });
    await bundle.close();
  }
}

/** Adds the declarations that a tsconfig describes, without checking their sources. */
export async function addDeclarations(folder: string, project: string): Promise<void> {
  for (const file of ['tsconfig.json', 'tsconfig.build.json', project]) await cp(join(ROOT, file), join(folder, file));
  const args = [TSC, '-p', join(folder, project), '--noCheck', '--typeRoots', join(ROOT, 'node_modules/@types')];
  await promisify(execFile)(process.execPath, args);
}
