import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type BuildOptions, build, transform } from 'esbuild';
import { expect, test } from 'vitest';
import { DOORS } from '../support/doors.js';
import { type InstalledPackage, run } from './installed-package.js';

const sourceOf = (path: string) => readFile(new URL(path, import.meta.url), 'utf8');

export async function javaScript(text: string, kind: 'mjs' | 'cjs'): Promise<string> {
  const format = kind === 'mjs' ? 'esm' : 'cjs';
  return (await transform(text, { loader: 'ts', format, target: 'es2022' })).code;
}

/** Puts a program of this folder into a project, as JavaScript. @returns the program's path */
async function plain(installed: InstalledPackage, source: string, kind: 'mjs' | 'cjs'): Promise<string> {
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
  const always = { bundle: true, minify: true, platform: 'node', target: 'node20' } as const;
  await build({ ...options, ...always, entryPoints: [main], outfile });
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

/** The package in a user's project, and the paths of the programs in it, by the way in which each was made. */
interface Published {
  readonly installed: InstalledPackage;
  readonly programs: ReadonlyMap<string, string>;
}

/**
 * The tests of the package that must pass on every version of Node.
 *
 * @param node the path of a Node
 * @param ways the programs to run
 * @param published called in each test, after the package has been installed
 */
export function testOnNode(node: () => Promise<string>, ways: readonly string[], published: () => Published): void {
  const execute = async (path: string) => JSON.parse(await run(await node(), [path], join(path, '..')));

  test.each(ways)('row 96: a handler runs once per tick %s', async (way) => {
    const path = published().programs.get(way) ?? '';

    expect(await execute(path)).toMatchObject(['send-digest', { reason: 'already-executed' }]);
  });

  test('row 96: every door exports the same as an ES module and as CommonJS', async () => {
    const names = async (kind: 'mjs' | 'cjs', load: (door: string) => string) => {
      const text = `const doors = [${Object.keys(DOORS).map(load)}];
        process.stdout.write(JSON.stringify(doors.map((door) => Object.keys(door).sort())));`;
      const project = await published().installed.addProject('doors', { [`doors.${kind}`]: text });
      return execute(join(project, `doors.${kind}`));
    };
    const exported = await names('mjs', (door) => `await import('${door}')`);

    expect(exported[0]).toContain('withSingleExecution');
    expect(await names('cjs', (door) => `require('${door}')`)).toEqual(exported);
  });

  test('row 95: an ES module and a CommonJS one in one process know each other’s errors and runs', async () => {
    const both = { nested: { value: { isCurrent: true, inner: 'executed' } }, isError: true, isAnother: false };

    const seen = await execute(await plain(published().installed, 'two-copies.ts', 'mjs'));
    expect(seen).toMatchObject({ areTwo: true, fromEsModule: both, fromCommonJs: both });
  });
}
