import { existsSync } from 'node:fs';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Engines, startEngines } from '../support/backends/stage.js';
import { KINDS, kindsWith } from '../support/backends.js';
import { type BuiltPackage, builtPackage } from '../support/built-package.js';
import { type ChildPrograms, childPrograms, type Said } from '../support/child-program.js';
import { installed } from '../support/package-sets.js';
import type { ExampleFile, Order } from './example-runner.js';
import { allExamples, asModule, type Example, isOfVitest } from './examples.js';

/*
 * Runs every example of README, docs/ and the comments with the published package, on DynamoDB Local, a real Redis, an
 * Upstash bridge to it, and real databases. Compares the results that comments give: `expression; // → result`.
 */

/** Examples that cannot be run here, and where they are run. */
const RUN_ELSEWHERE: Readonly<Record<string, string>> = {
  'docs/guides/first-lock.md 1': 'imports the file that its reader has written before: first-lock.test.ts runs both',
  'src/testing/contract/contract.ts 1': "needs a store of its reader's: test/stores runs the contract",
};

const ROOT = join(import.meta.dirname, '../..');
const DOOR = /'single-execution(\/[\w-]+)?'/g;
const RESULT = /^ *(?:console\.log\((.*)\)|(.*)); \/\/ → (.*)$/gm;

const all = allExamples();
const isRunElsewhere = ({ name }: Example) => Object.hasOwn(RUN_ELSEWHERE, name);
/** All other examples but tests for Vitest, which test-examples.test.ts runs. */
const examples = all.filter((example) => !isOfVitest(example));

/** Examples with a mistake, and the problem that must be reported for each. */
const BROKEN: Readonly<Record<string, readonly [code: string, problem: string]>> = {
  'throws.md 1': ["throw new Error('at once');", 'Error: at once'],
  'result.md 1': [
    'console.log([1, new Date(0)]); // → 1, 1970-01-01T00:00:01.000Z',
    'its comment tells 1, 1970-01-01T00:00:01.000Z, and the result is 1, 1970-01-01T00:00:00.000Z',
  ],
  'unreached.md 1': ['const f = () => {\n  f(); // → 1\n};', '1 of its results were not reached'],
  'skipped.md 1': [
    `import { withSingleExecution } from 'single-execution';
     import { dynamoDBStore } from 'single-execution/dynamodb';
     const options = { store: dynamoDBStore({ tableName: 'locks' }), tick: () => new Date('2020-01-01') };
     export const handler = withSingleExecution(async () => 'sent', { name: 'send-digest', ...options });`,
    'Error: its run was skipped: stale-tick',
  ],
  'unused.md 1': ['export const anything = 1;', 'Error: it imports no door and exports anything: tell in USES'],
  'scheduled.md 1': [
    "import cron from 'node-cron';\ncron.schedule('0 0 * * *', () => Promise.reject(new Error('when it was due')));",
    'Error: when it was due',
  ],
  'stack.md 1': [
    `import { App, CfnOutput, Lazy, Stack } from 'aws-cdk-lib';
     const produce = () => { throw new Error('at synthesis'); };
     new CfnOutput(new Stack(new App(), 'Broken'), 'Output', { value: Lazy.string({ produce }) });`,
    'Error: Resolution error: at synthesis',
  ],
};
const broken = Object.entries(BROKEN).map(([name, [code]]) => ({ name, page: name, code }));

let built: BuiltPackage;
let engines: Engines;
let programs: ChildPrograms;
let said: readonly Said[];
beforeAll(async () => {
  programs = childPrograms();
  [built, engines] = await Promise.all([builtPackage(), startEngines(...KINDS)]);
  for (const kind of [...kindsWith('sql'), 'azure'] as const) await engines.on(kind).make(engines.on(kind).at());
  await addProject();
  said = await run([...examples, ...broken]);
}, 450_000);
afterAll(async () => {
  await programs?.stop();
  await Promise.all([engines?.stop(), built?.remove()]);
});

test('every example runs, and the results that it shows are true', () => {
  expect(problemsOf(examples.filter((example) => !isRunElsewhere(example)))).toEqual([]);
});

test.each(Object.entries(BROKEN))('the run of the examples finds what is wrong with %s', (name, [, problem]) => {
  expect(problemsOf(broken.filter((example) => example.name === name))).toEqual([expect.stringContaining(problem)]);
});

test('a result is marked with an arrow, so that it is compared', () => {
  const unmarked = all.filter(({ code }) => /; \/\/ (?!→ )/.test(code));
  expect(unmarked.map(({ name }) => name)).toEqual([]);
  expect(all.flatMap(({ code }) => [...code.matchAll(RESULT)]).length).toBeGreaterThan(8);
});

test('no use of an export is left over', () => {
  expect(said.at(-1)).toEqual({ said: 'unused', uses: [] });
});

test('what is run elsewhere cannot be run here', () => {
  const elsewhere = examples.filter(isRunElsewhere);
  expect(elsewhere.map(({ name }) => name)).toEqual(Object.keys(RUN_ELSEWHERE));
  for (const example of elsewhere) expect(problemsOf([example])).not.toEqual([]);
});

function problemsOf(those: readonly Example[]): string[] {
  return those.flatMap(({ name }) => {
    const end = said.find((line) => line['said'] === 'ends' && line['name'] === name);
    const problems = (end?.['problems'] ?? ['it did not end']) as string[];
    return problems.map((problem) => `${name}: ${problem}`);
  });
}

/** Adds the packages that the examples import and the files that they name, beside the package. */
async function addProject(): Promise<void> {
  const modules = join(built.folder, 'node_modules');
  const imported = all.flatMap(({ code }) => [...code.matchAll(/from '((?:@[\w-]+\/)?[\w-]+)[/']/g)]);
  const added = new Set(['single-execution', '@upstash/redis']);
  const clients = await installed('test/clients');
  for (const [, name = ''] of imported) {
    if (added.has(name)) continue;
    added.add(name);
    await mkdir(dirname(join(modules, name)), { recursive: true });
    const own = [ROOT, clients].map((folder) => join(folder, 'node_modules', name)).find(existsSync);
    await symlink(own ?? name, join(modules, name), 'dir');
  }
  for (const folder of ['src', 'dist']) await mkdir(join(built.folder, folder));
  for (const file of ['send-digest.ts', 'src/send-digest.ts', 'dist/send-digest.js', 'package-lock.json']) {
    await writeFile(join(built.folder, file), '');
  }
}

async function run(those: readonly Example[]): Promise<readonly Said[]> {
  const [redis, upstash] = [engines.on('redis').server, engines.on('upstash').server];
  const dynamoDB = new URL(engines.on('dynamodb').endpoint);
  const files = await Promise.all(those.map(fileOf));
  const order: Order = {
    examples: files,
    ports: { 6379: redis.port, 8000: Number(dynamoDB.port), 10002: engines.on('azure').server.port },
    redisUrls: [redis.url, upstash.url],
  };
  for (const its of ['example-uses.ts', 'objects-in-memory.ts', 'stay-here.ts'])
    await built.addProgram(join(import.meta.dirname, its));
  const runner = await built.addProgram(join(import.meta.dirname, 'example-runner.ts'));
  const program = programs.start(runner, order, [], {
    ...Object.assign({}, ...KINDS.map((kind) => engines.on(kind).env)),
    // The address of Azurite with its usual port. Its client takes no other address without TLS.
    AZURE_STORAGE_CONNECTION_STRING: 'UseDevelopmentStorage=true',
    AzureWebJobsStorage: 'UseDevelopmentStorage=true',
    CRON_SECRET: 'secret-of-the-examples',
    CHECK_IN_URL: 'https://example.com/check-in',
    SINGLE_EXECUTION_SCHEDULE: 'cron(0 2 * * ? *)',
    // Variables that the cdk command sets. Bundling and the check of templates are off: test/infra tests them.
    CDK_OUTDIR: join(built.folder, 'cdk.out'),
    CDK_VALIDATION: 'false',
    CDK_CONTEXT_JSON: JSON.stringify({ 'aws:cdk:bundling-stacks': [] }),
  });
  const { stderr, code } = await program.ended;
  expect(code, `${JSON.stringify(program.said().at(-1))}\n${stderr}`).toBe(0);
  return program.said();
}

async function fileOf({ name, code }: Example): Promise<ExampleFile> {
  const told = [...code.matchAll(RESULT)];
  const checked = code.replaceAll(RESULT, (_, logged, bare, result) => {
    return `shows(${JSON.stringify(result)}, ${logged ?? bare});`;
  });
  const path = join(built.folder, `${name.replaceAll(/\W/g, '-')}.mjs`);
  await writeFile(path, await asModule({ name, code: checked }));
  const doors = [...new Set([...code.matchAll(DOOR)].map(([, door = '']) => door))];
  return { name, path, doors, results: told.length, lockTable: code.includes("sortKey: 'sk'") ? 'jobs' : 'locks' };
}
