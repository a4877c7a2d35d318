import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { App, Stack } from 'aws-cdk-lib';
import { Runtime } from 'aws-cdk-lib/aws-lambda';
import { type BundlingOptions, OutputFormat } from 'aws-cdk-lib/aws-lambda-nodejs';
import type { SingleExecutionFunctionProps } from 'single-execution/cdk';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundlingOf } from '../../infra/constructs/bundling.js';
import { digest } from './digest.js';

/*
 * Bundles of users' handlers with ES modules and CommonJS packages, which use the globals of their module system.
 * esbuild makes each bundle, and a separate process loads it.
 */

const ROOT = join(import.meta.dirname, '../..');
const project = mkdtempSync(join(tmpdir(), 'bundling-'));
const legacy = join(project, 'node_modules/legacy');

beforeAll(() => {
  mkdirSync(legacy, { recursive: true });
  mkdirSync(join(project, 'node_modules/.bin'));
  symlinkSync(join(ROOT, 'node_modules/esbuild/bin/esbuild'), join(project, 'node_modules/.bin/esbuild'));
  writeFileSync(join(legacy, 'package.json'), JSON.stringify({ name: 'legacy', main: 'index.cjs' }));
  writeFileSync(
    join(legacy, 'index.cjs'),
    "const name = 'node:' + 'fs'; exports.reads = () => require(name).existsSync(__dirname) && require('node:fs').existsSync(__filename);",
  );
  writeFileSync(join(project, 'package-lock.json'), JSON.stringify({ lockfileVersion: 3 }));
  writeFileSync(join(project, 'modern.ts'), "export const label: string = await Promise.resolve('ready');\n");
});
afterAll(() => rmSync(project, { recursive: true }));

/** Bundles a handler as a deployment would. @returns the files of the asset, the path of its code, and the code */
function bundleOf(source: string, props: Partial<SingleExecutionFunctionProps>) {
  const outdir = mkdtempSync(join(project, 'out-'));
  const entry = join(outdir, 'handler.ts');
  writeFileSync(entry, source);
  const app = new App({ outdir: join(outdir, 'cdk.out'), builtinCloudFormationValidation: false });
  const stack = new Stack(app, 'Jobs');
  const own = { entry, projectRoot: project, depsLockFilePath: join(project, 'package-lock.json') };
  digest({ ...own, ...props }, stack);
  const { directory } = app.synth();
  const asset = join(directory, readdirSync(directory).find((name) => name.startsWith('asset.')) ?? '');
  const files = readdirSync(asset).sort();
  const index = join(asset, files.find((name) => /^index\.m?js$/.test(name)) ?? '');
  return { files, index, code: readFileSync(index, 'utf8') };
}

/** @returns the files of the asset, and what its handler answers */
async function answerOf(source: string, bundling?: BundlingOptions): Promise<{ files: string[]; answer: unknown }> {
  const { files, index } = bundleOf(source, bundling ? { bundling } : {});
  const load = `import(${JSON.stringify(index)}).then(async (m) => console.log(JSON.stringify(await m.handler())))`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', load], {
    cwd: dirname(index),
  });
  return { files, answer: JSON.parse(stdout) };
}

test.each([
  [Runtime.NODEJS_22_X, 'node22'],
  [Runtime.NODEJS_24_X, 'node24'],
])('a bundle for $name is made for $1, but for what its user says', (runtime, target) => {
  expect(bundlingOf(runtime).target).toBe(target);
  expect(bundlingOf(runtime, { target: 'es2022' }).target).toBe('es2022');
});

test.each([Runtime.NODEJS, Runtime.PYTHON_3_12])(
  'a runtime without a version of Node.js is refused: $name',
  (runtime) => {
    expect(() => bundlingOf(runtime)).toThrow(
      new TypeError(`runtime is '${runtime.name}': pass one of Node.js with its version, such as Runtime.NODEJS_24_X`),
    );
  },
);

test('syntax that a runtime does not know is rewritten', () => {
  const source = 'export class Job { static { globalThis.job = Job; } } export const handler = async () => 1;';

  expect(bundleOf(source, { runtime: Runtime.NODEJS_14_X }).code).not.toContain('static{');
});

test('a package of CommonJS finds what it asks for, beside a module with top-level await', async () => {
  const source = `
    import { reads } from 'legacy';
    import { label } from '${join(project, 'modern.ts')}';
    export const handler = async () => [label, reads()];`;

  expect(await answerOf(source)).toEqual({ files: ['index.mjs', 'index.mjs.map'], answer: ['ready', true] });
});

test('declarations of the handler do not meet those of the bundle of the same names, and a banner comes after it', async () => {
  const source = `
    import { createRequire } from 'node:module';
    import { dirname } from 'node:path';
    import { fileURLToPath } from 'node:url';
    import { reads } from 'legacy';
    const require = createRequire(import.meta.url);
    const __dirname = dirname(fileURLToPath(import.meta.url));
    export const handler = async () =>
      [typeof require('node:fs').existsSync, __dirname.length > 0, reads(), globalThis.greeting];`;
  const { answer } = await answerOf(source, { minify: false, banner: 'globalThis.greeting = "hello";' });

  expect(answer).toEqual(['function', true, true, 'hello']);
});

test('a bundle of CommonJS, where the user wants one, has no module syntax in it', async () => {
  const source = `import { reads } from 'legacy'; export const handler = async () => reads();`;

  expect(await answerOf(source, { format: OutputFormat.CJS, sourceMap: false })).toEqual({
    files: ['index.js'],
    answer: true,
  });
});
