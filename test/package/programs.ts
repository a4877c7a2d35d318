import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type BuildOptions, build, transform } from 'esbuild';
import { type InstalledPackage, run } from './installed-package.js';

const sourceOf = (path: string) => readFile(new URL(path, import.meta.url), 'utf8');

export async function javaScript(text: string, kind: 'mjs' | 'cjs'): Promise<string> {
  const format = kind === 'mjs' ? 'esm' : 'cjs';
  return (await transform(text, { loader: 'ts', format, target: 'es2022' })).code;
}

/** Puts a program of this folder into a project, as JavaScript. @returns the program's path */
export async function plain(installed: InstalledPackage, source: string, kind: 'mjs' | 'cjs'): Promise<string> {
  const text = await javaScript(await sourceOf(source), kind);
  return join(await installed.addProject(`plain-${source}`, { [`main.${kind}`]: text }), `main.${kind}`);
}

type Program = (installed: InstalledPackage) => Promise<string>;

const BANNER = "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);";

/** Ways in which a program can be deployed. Each returns the path of the file to run. */
export const PROGRAMS = {
  'as plain files, from an ES module': (installed) => plain(installed, 'program.ts', 'mjs'),
  'as plain files, from CommonJS': (installed) => plain(installed, 'program.ts', 'cjs'),
  'in a bundle of esbuild, an ES module': (installed) =>
    bundled(installed, 'bundle.mjs', { format: 'esm', mainFields: ['module', 'main'], banner: { js: BANNER } }),
  'in a bundle of esbuild, CommonJS': (installed) => bundled(installed, 'bundle.cjs', { format: 'cjs' }),
} as const satisfies Readonly<Record<string, Program>>;

export const WEBPACK_PROGRAMS = {
  'in a bundle of webpack, from an ES module': (installed) => packed(installed, 'mjs'),
  'in a bundle of webpack, from CommonJS': (installed) => packed(installed, 'cjs'),
} as const satisfies Readonly<Record<string, Program>>;

export async function made(
  installed: InstalledPackage,
  programs: Readonly<Record<string, Program>>,
): Promise<ReadonlyMap<string, string>> {
  const paths = Object.entries(programs).map(async ([way, make]) => [way, await make(installed)] as const);
  return new Map(await Promise.all(paths));
}

async function bundled(installed: InstalledPackage, file: string, options: BuildOptions): Promise<string> {
  const folder = await installed.addProject('esbuild', { 'main.ts': await sourceOf('program.ts') });
  const [main, outfile] = [join(folder, 'main.ts'), join(folder, file)];
  await build({
    ...options,
    entryPoints: [main],
    outfile,
    bundle: true,
    minify: true,
    platform: 'node',
    target: 'node20',
  });
  return outfile;
}

/** Bundles with webpack, without the packages, which would take long. Exits with 1 if webpack reports anything. */
const WEBPACK = `
const [, entry, path, filename] = process.argv;
const packages = ['@aws-sdk/client-dynamodb', '@aws-sdk/lib-dynamodb', 'aws-sdk-client-mock'];
const externals = Object.fromEntries(packages.map((name) => [name, 'commonjs ' + name]));
require('webpack')({ mode: 'production', target: 'node20', entry, output: { path, filename }, externals }, (error, stats) => {
  const problems = error ?? stats.toString({ all: false, errors: true, warnings: true });
  if (problems) console.error(problems);
  process.exitCode = problems ? 1 : 0;
});`;

async function packed(installed: InstalledPackage, kind: 'mjs' | 'cjs'): Promise<string> {
  const entry = await plain(installed, 'program.ts', kind);
  const folder = join(entry, '..');
  const filename = `webpack-${kind}.cjs`;
  await run(process.execPath, ['-e', WEBPACK, entry, folder, filename], folder);
  return join(folder, filename);
}
