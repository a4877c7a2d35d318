import { mkdir, readdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { examplesOf } from '../docs/examples.js';
import { BARE_DOORS } from '../support/doors.js';
import { nodeBinary } from '../support/node-binary.js';
import { COMPILER_VERSIONS, type CompilerVersion, tsc } from '../types/tsc.js';
import { type InstalledPackage, installedPackage, run } from './installed-package.js';
import { javaScript, made, PROGRAMS, testOnNode, WEBPACK_PROGRAMS } from './programs.js';

/*
 * Tests the package as npm would publish it, in projects like those of users: with several tools, on several versions
 * of Node.
 */

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SLOW_MS = 300_000;
const bin = (path: string) => join(ROOT, 'node_modules', path);
const JEST = join(ROOT, 'test/package/node_modules/.bin/jest');
const ALL = { ...PROGRAMS, ...WEBPACK_PROGRAMS };
const CHECKED = { target: 'ES2022', strict: true, skipLibCheck: true };

let installed: InstalledPackage;
/** The paths of the programs in {@link ALL}. */
let programs: ReadonlyMap<string, string>;
beforeAll(async () => {
  installed = await installedPackage({ declarations: true, tools: 'test/package' });
  programs = await made(installed, ALL);
}, SLOW_MS);
afterAll(() => installed?.remove());

test('maps of declarations lead to the sources, which are in the package', async () => {
  for (const door of ['src/index', 'infra/constructs/cdk']) {
    const map = join(installed.path, 'dist/types', `${door}.d.ts.map`);
    const { sources } = JSON.parse(await readFile(map, 'utf8')) as { readonly sources: readonly string[] };

    expect(sources.length).toBeGreaterThan(0);
    await Promise.all(sources.map((source) => readFile(join(map, '..', source))));
  }
});

describe.each([
  ['this Node', async () => process.execPath],
  ['Node 22', () => nodeBinary(22)],
  ['Node 24', () => nodeBinary(24)],
])('on %s', { timeout: SLOW_MS }, (_, node) => {
  testOnNode(node, Object.keys(ALL), () => ({ installed, programs }));
});

describe('row 96: the test of docs/guides/testing.md with a mocked SDK passes', { timeout: SLOW_MS }, () => {
  const VITEST = "import { expect, test } from 'vitest';\n";

  const exampleOf = (page: string, part: string) =>
    examplesOf(page, 'ts').find(({ code }) => code.includes(part))?.code ?? '';

  /** The page's test, with another line for the test runner. */
  function pageTest(runner: string): string {
    const code = exampleOf('docs/guides/testing.md', 'fakeLockTable(mock)');
    expect(code).toContain(VITEST);
    return code.replace(VITEST, runner);
  }

  /** The stack of docs/deploy/cdk.md, as the program of `cdk init` calls it. */
  const stack = () =>
    exampleOf('docs/deploy/cdk.md', 'class Jobs extends Stack')
      .replace('class Jobs', 'class AppStack')
      .replace('id: string)', 'id: string, _props: object)');
  const APP = 'npx tsc -p tsconfig.app.json && npx tsx bin/app.ts';

  const PASSED = /1 passed|# pass 1|pass 1/;

  test('in a project as `cdk init` makes it, with Jest and @swc/jest; the stack is compiled, bundled and synthesised', async () => {
    const folder = await installed.addProject('app', {});
    await mkdir(folder);
    await run(bin('.bin/cdk'), ['init', 'app', '--language', 'typescript', '--generate-only'], folder);
    await installed.addProject('app', {
      'test/digest.test.ts': pageTest(''),
      'lib/app-stack.ts': stack(),
      'src/send-digest.ts': exampleOf('README.md', "name: 'send-digest'"),
      // Leave out the project's test, because this repository does not have the types of Jest.
      'tsconfig.app.json': JSON.stringify({
        extends: './tsconfig.json',
        compilerOptions: { types: ['node'] },
        include: ['bin', 'lib', 'src'],
      }),
      // The lock file that `npm install` would write.
      'package-lock.json': '{ "lockfileVersion": 3 }',
    });
    await symlink(join(installed.path, '..'), join(folder, 'node_modules'), 'dir');

    await run(JEST, ['digest'], folder);
    const init = [join(installed.path, 'dist/cli.js'), 'init', '--name', 'nightly'];
    expect(await run(process.execPath, init, folder)).toContain('to test: npx jest nightly\n');
    await run(JEST, ['nightly'], folder);
    await run(bin('.bin/cdk'), ['synth', '--quiet', '--app', APP], folder);
    const assets = (await readdir(join(folder, 'cdk.out'))).filter((name) => /^asset\.\w+$/.test(name));
    expect(await Promise.all(assets.map((name) => readdir(join(folder, 'cdk.out', name))))).toEqual([
      ['index.mjs', 'index.mjs.map'],
    ]);
  });

  test('with ts-jest, which checks its types, in a project of CommonJS', async () => {
    const compilerOptions = { ...CHECKED, module: 'nodenext', isolatedModules: false };
    const folder = await installed.addProject('ts-jest', {
      'package.json': '{ "type": "commonjs" }',
      'jest.config.js': "module.exports = { transform: { '^.+\\\\.ts$': 'ts-jest' } };",
      'tsconfig.json': JSON.stringify({ compilerOptions }),
      'digest.test.ts': pageTest("import { expect, test } from '@jest/globals';\n"),
    });

    await run(JEST, [], folder);
  });

  test('with vitest', async () => {
    const folder = await installed.addProject('vitest', { 'digest.test.ts': pageTest(VITEST) });

    expect(await run(bin('.bin/vitest'), ['run', '--root', folder], folder)).toMatch(PASSED);
  });

  test.each(['mjs', 'cjs'] as const)('with node:test, from %s', async (kind) => {
    const runner = "import { test } from 'node:test';\nimport { expect } from 'expect';\n";
    const folder = await installed.addProject('node-test', {
      [`digest.test.${kind}`]: await javaScript(pageTest(runner), kind),
    });

    expect(await run(process.execPath, ['--test', `digest.test.${kind}`], folder)).toMatch(PASSED);
  });
});

describe('row 96: TypeScript', { timeout: SLOW_MS }, () => {
  /** Uses a type of the root, and loads every door except `cdk`, whose declarations name all services of AWS. */
  const program = [
    ...[...BARE_DOORS, 'single-execution/dynamodb'].map((door, n) => `export * as door${n} from '${door}';`),
    "import { LockStoreError, withSingleExecution } from 'single-execution';",
    "import { dynamoDBStore } from 'single-execution/dynamodb';",
    "export const handler = withSingleExecution(async (event: { readonly n: number }) => event.n, { name: 'a', store: dynamoDBStore({ tableName: 'locks' }) });",
    'export const codeOf = (error: unknown) => error instanceof LockStoreError ? error.code.toLowerCase() : 0;',
    '// @ts-expect-error A wrapped handler keeps its parameters.',
    "export const wrong = handler({ n: '1' });",
  ].join('\n');

  // TypeScript 7 has no `node10`. TypeScript 6 warns of it.
  const NODE10 = { module: 'commonjs', moduleResolution: 'node10' };

  test.each<[CompilerVersion, string, object, string[]]>([
    ['5.4', 'commonjs', NODE10, ['program.ts']],
    ['6', 'commonjs', { ...NODE10, ignoreDeprecations: '6.0' }, ['program.ts']],
    ...COMPILER_VERSIONS.flatMap((version): [CompilerVersion, string, object, string[]][] => [
      [version, 'node16', { module: 'node16' }, ['program.mts', 'program.cts']],
      [version, 'nodenext', { module: 'nodenext' }, ['program.mts', 'program.cts']],
      [version, 'bundler', { module: 'esnext', moduleResolution: 'bundler' }, ['program.ts']],
    ]),
  ])('%s, %s compiles', async (version, name, options, files) => {
    const compilerOptions = { ...CHECKED, noEmit: true, types: ['node'], ...options };
    const folder = await installed.addProject(`typescript-${version}-${name}`, {
      ...Object.fromEntries(files.map((file) => [file, program])),
      'tsconfig.json': JSON.stringify({ compilerOptions, files }),
    });

    expect(await tsc(version, folder)).toBe('');
  });
});
