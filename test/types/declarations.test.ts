import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addDeclarations, buildPackage } from '../support/built-package.js';
import { BARE_DOORS } from '../support/doors.js';
import { COMPILER_VERSIONS, type CompilerVersion, tsc } from './tsc.js';

/** A project without the DOM, Node's types and `esnext.disposable`, which checks the declarations of packages. */
const PROJECT = {
  compilerOptions: {
    target: 'ES2022',
    lib: ['ES2022'],
    types: [],
    module: 'nodenext',
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    skipDefaultLibCheck: true,
    noEmit: true,
  },
};

const HANDLE = `import { acquireLock } from 'single-execution';
export async function migrate(options: Parameters<typeof acquireLock>[0]) {
  await using lock = await acquireLock(options);
  const { signal }: { signal: AbortSignal } = lock;
  return signal;
}`;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'declarations-'));
  const own = join(folder, 'node_modules/single-execution');
  await buildPackage(own);
  await addDeclarations(own, 'tsconfig.build.json');
}, 300_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

const DOORS: Readonly<Record<string, string>> = {
  'single-execution': 'async (_event, _context, { tick }) => tick?.getTime()',
  'single-execution/cloudflare': 'async (_controller, _env, _ctx, { tick }) => tick?.getTime()',
  'single-execution/azure': 'async (_timer, _context, { tick }) => tick?.getTime()',
  'single-execution/http': 'async (_request, _context, { tick }) => Response.json(tick)',
  'single-execution/process': 'async () => 1',
};
const WRONG: Readonly<Record<string, string>> = {
  lockAtMost: "'5m'",
  lockAtMostFor: 'true',
  tick: "'nearst'",
  keepAlive: "'yes'",
};

describe.each(COMPILER_VERSIONS)('TypeScript %s', (version) => {
  test('every door but those of the AWS SDK and the CDK compiles without the DOM, Node’s types and esnext.disposable', async () => {
    const lines = BARE_DOORS.map((door, n) => `export * as door${n} from '${door}';`);
    expect(await compile(version, 'bare', lines.join('\n'))).toBe('');
  });

  test('a handle is disposed by `await using`, and its signal is the AbortSignal of the platform, where the project has them', async () => {
    expect(await compile(version, 'handle', HANDLE, { lib: ['ES2022', 'ESNext.Disposable', 'DOM'] })).toBe('');
  });

  test('row 224: each door reports a wrong option at that option, and nothing else', async () => {
    const calls = Object.values(DOORS).flatMap((handler, n) =>
      Object.entries(WRONG).map(([option, value]) => {
        const needed = Object.entries({ tick: "'none'", lockAtMostFor: '1' }).filter(([name]) => name !== option);
        const options = [...needed, [option, value]].map((pair) => pair.join(': '));
        return `door${n}.withSingleExecution(${handler}, { name: 'x', store,\n${options.join(',\n')},\n});`;
      }),
    );
    const imports = Object.keys(DOORS).map((door, n) => `import * as door${n} from '${door}';`);
    const store = ["import { memoryStore } from 'single-execution/memory';", 'const store = memoryStore();'];
    const text = [...imports, ...store, ...calls].join('\n');
    const messages = await compile(version, 'wrong', text, { lib: ['ES2022', 'DOM'] });
    const reported = [...messages.matchAll(/program\.mts\((\d+),/g)].map(
      ([, line]) => text.split('\n')[Number(line) - 1],
    );

    expect(reported.map((line) => line?.split(':')[0])).toEqual(Object.keys(DOORS).flatMap(() => Object.keys(WRONG)));
    expect(messages.match(/Did you mean to write 'lockAtMostFor'\?/g)).toHaveLength(Object.keys(DOORS).length);
  });
});

/** @returns the messages of tsc */
async function compile(version: CompilerVersion, name: string, program: string, more: object = {}): Promise<string> {
  const project = join(folder, `${name}-${version}`);
  await mkdir(project);
  await writeFile(join(project, 'program.mts'), program);
  const { compilerOptions } = PROJECT;
  await writeFile(
    join(project, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: { ...compilerOptions, ...more }, files: ['program.mts'] }),
  );
  return tsc(version, project);
}
