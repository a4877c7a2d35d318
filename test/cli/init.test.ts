import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { resourcesOfSst } from '../infra/templates/read-sst.js';
import { declaredByTerraform } from '../infra/templates/read-terraform.js';
import { type Engines, startEngines } from '../support/backends/stage.js';
import { kindsWith } from '../support/backends.js';
import { type BuiltPackage, builtPackage } from '../support/built-package.js';
import { checkedProgram, problemsOf, SMALL_CDK } from '../support/checked-program.js';
import { innerCli } from '../support/inner-cli.js';
import { heard } from '../support/last-words.js';
import { DATABASE_CLIENTS } from './stage.js';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const templateOf = (file: string) => readFileSync(join(ROOT, 'infra/templates', file), 'utf8');
const SHELL = { PATH: process.env['PATH'] };
const TEMPLATES: Readonly<Record<string, string>> = {
  cdk: templateOf('cdk/send-digest-stack.ts'),
  sam: templateOf('sam/template.yaml'),
  serverless: templateOf('serverless/serverless.yml'),
  sst: templateOf('sst/send-digest.sst.ts'),
  terraform: templateOf('terraform/main.tf'),
};
let built: BuiltPackage;
const DATABASES = kindsWith('sql');
let databases: Engines;
const folders: string[] = [];
beforeAll(async () => {
  [built, databases] = await Promise.all([builtPackage(), startEngines(...DATABASES, 'azure')]);
  const modules = join(built.folder, 'node_modules');
  for (const name of ['@aws-sdk', '@azure', 'croner', ...DATABASE_CLIENTS]) {
    await symlink(join(ROOT, 'node_modules', name), join(modules, name), 'dir');
  }
});
afterAll(async () => {
  await Promise.all([built?.remove(), databases?.stop(), ...folders.map((folder) => rm(folder, { recursive: true }))]);
});

/** Runs init in a folder with these files. */
async function initIn(files: Readonly<Record<string, string>>, ...args: string[]) {
  const folder = await mkdtemp(join(tmpdir(), 'init-'));
  folders.push(folder);
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return initAgain(folder, ...args);
}

/** Runs init in a folder as it is. */
async function initAgain(folder: string, ...args: string[]) {
  const before = await textsIn(folder);
  const end = await innerCli(['init', ...args], {}, { cwd: folder });
  const after = await textsIn(folder);
  const written = Object.keys(after).filter((name) => !(name in before));
  const changed = Object.keys(before).filter((name) => after[name] !== before[name]);
  return { ...end, folder, written, changed };
}

/** The text of each file in a folder, by its name. */
async function textsIn(folder: string): Promise<Readonly<Record<string, string>>> {
  const names = (await readdir(folder)).sort();
  const read = async (name: string) => [name, await readFile(join(folder, name), 'utf8')] as const;
  return Object.fromEntries(await Promise.all(names.map(read)));
}

const PROVIDERS = 'terraform {\n  required_providers {}\n}\n';
const PACKAGE = '{"name":"@acme/Send_Digest"}';

/** What init finds in a folder, what it is asked for, and the files that it writes. */
test.each<[string, Record<string, string>, args: string, written: string]>([
  ['an empty folder', {}, '--name job', 'job-stack.ts job.mjs job.test.mjs'],
  [
    'a CDK app with a name',
    { 'cdk.json': '{}', 'tsconfig.json': '{}', 'package.json': PACKAGE },
    '',
    'send-digest-stack.ts send-digest.test.ts send-digest.ts',
  ],
  ['a SAM app', { 'template.yaml': '' }, '--name job', 'job.mjs job.template.yaml job.test.mjs'],
  ['the Serverless Framework', { 'serverless.ts': '' }, '--name job', 'job.mjs job.serverless.yml job.test.mjs'],
  ['TypeScript', { 'tsconfig.json': '{}' }, '--name job --infra sst', 'job.sst.ts job.test.ts job.ts sst.config.ts'],
  ['an app of SST', { 'sst.config.ts': '' }, '--name job', 'job.mjs job.sst.ts job.test.mjs'],
  ['a Terraform module', { 'main.tf': '' }, '--name job', 'job.mjs job.test.mjs job.tf versions.tf'],
  ['a Terraform module with its providers', { 'main.tf': PROVIDERS }, '--name job', 'job.mjs job.test.mjs job.tf'],
  ['a file for the versions', { 'versions.tf': '' }, '--name job', 'job.mjs job.test.mjs job.tf'],
  ['a CDK app', { 'cdk.json': '{}' }, '--name job --infra sam', 'job.mjs job.template.yaml job.test.mjs'],
  ['a CDK app', { 'cdk.json': '{}' }, '--name job --store postgres', 'job.cron.mjs job.mjs job.test.mjs'],
  ['TypeScript', { 'tsconfig.json': '{}' }, '--name job --store sqlite', 'job.cron.ts job.test.ts job.ts'],
  ['an empty folder', {}, '--name job --store azure', 'host.json job.mjs job.test.mjs job.timer.mjs'],
  [
    'an app of Azure Functions',
    { 'host.json': '{}', 'tsconfig.json': '{}' },
    '--name job --store azure',
    'job.test.ts job.timer.ts job.ts',
  ],
])('init finds out what to write: in %s (%j) by %s', async (_, files, args, expected) => {
  const { code, stderr, written } = await initIn(files, ...args.split(' ').filter(Boolean));

  expect({ code, stderr, written }).toEqual({ code: 0, stderr: '', written: expected.split(' ') });
});

test.each([
  ['dynamodb', ['@aws-sdk/client-dynamodb'], ['@aws-sdk/lib-dynamodb', 'esbuild']],
  ['postgres', ['pg', 'typescript'], ['@types/pg', 'croner']],
  ['sqlite', [], ['@libsql/client', 'croner']],
  ['azure', [], ['@azure/functions', '@azure/data-tables']],
])('init names the packages that are missing for %s', async (store, present, missing) => {
  const dependencies = Object.fromEntries(['single-execution', ...present].map((name) => [name, '*']));
  const files = { 'package.json': JSON.stringify({ name: 'job', dependencies }), 'main.tf': '' };

  expect(JSON.parse((await initIn(files, '--store', store, '--json')).stdout)).toMatchObject({ missing });
  const [first] = JSON.parse((await initIn({}, '--name', 'job', '--store', store, '--json')).stdout).missing;
  expect(first).toBe('single-execution');
});

test.each([
  [['--store', 'oracle'], `--store is 'oracle': pass ${['dynamodb', ...DATABASES, 'azure'].join(', ')}`],
  [['--infra', 'pulumi'], "--infra is 'pulumi': pass cdk, sam, terraform, serverless, sst"],
  [['--store', 'sqlite', '--infra', 'cdk'], '--infra is for --store dynamodb: leave out --infra, or --store sqlite'],
])('init refuses %j', async (args, message) => {
  const { code, stderr, written } = await initIn({}, '--name', 'job', ...args);

  expect({ code, stderr, written }).toEqual({ code: 2, stderr: `single-execution: ${message}\n`, written: [] });
});

test.each([
  [undefined, '', "*.timer.mjs'"],
  ['index.js', '', "{index.js,*.timer.mjs}'"],
  ['src/{index,functions/*}.js', 'typescript', "{src/{index,functions/*}.js,dist/*.timer.js}'"],
  ['dist/*.timer.js', 'typescript', undefined],
])('init says how Azure finds the function: main is %j', async (main, dependency, expected) => {
  const manifest = JSON.stringify({ main, devDependencies: { [dependency]: '*' } });
  const { stdout } = await initIn({ 'package.json': manifest }, '--name', 'job', '--store', 'azure');

  expect(/^to load it: npm pkg set main='(.*)$/m.exec(stdout)?.[1]).toBe(expected);
});

test.each<[string, Record<string, string>, object, string]>([
  ['nothing', {}, {}, 'node --test job.test.mjs'],
  ['TypeScript', { 'tsconfig.json': '{}' }, {}, 'npx tsx --test job.test.ts'],
  ['vitest', {}, { devDependencies: { vitest: '*' } }, 'npx vitest run job'],
  ['Jest', {}, { devDependencies: { jest: '*' } }, 'NODE_OPTIONS=--experimental-vm-modules npx jest job'],
  ['Jest and TypeScript', { 'tsconfig.json': '{}' }, { devDependencies: { jest: '*' } }, 'npx jest job'],
])('init says how to run the test that it has written: %s', async (_, files, manifest, command) => {
  const { stdout } = await initIn({ ...files, 'package.json': JSON.stringify(manifest) }, '--name', 'job');

  expect(stdout).toMatch(new RegExp(`^to test: ${command}$`, 'm'));
});

test('init puts the test into the folder `test` where there is one', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'init-'));
  folders.push(folder);
  await mkdir(join(folder, 'test'));
  const { stdout } = await innerCli(['init', '--name', 'job', '--infra', 'sam'], {}, { cwd: folder });

  expect(stdout).toContain('to test: node --test test/job.test.mjs\n');
  expect(await readFile(join(folder, 'test/job.test.mjs'), 'utf8')).toContain("from '../job.mjs';");
});

test.each(['job.mjs', 'job.test.mjs', 'job.tf'])(
  'init overwrites nothing, and writes nothing where %s is there',
  async (file) => {
    const { code, stderr, folder, written } = await initIn({ [file]: 'mine', 'main.tf': 'mine' }, '--name', 'job');

    expect({ code, written }).toEqual({ code: 1, written: [] });
    expect(stderr).toContain(`${file} is there already`);
    expect(stderr).toContain('pass another --name');
    expect(await readFile(join(folder, file), 'utf8')).toBe('mine');
  },
);

type Texts = Readonly<Record<string, string>>;

/** For each tool, the names that the files of a folder declare and that must be unique. */
const DECLARED: Readonly<Record<string, (texts: Texts) => Promise<string[]> | string[]>> = {
  cdk: (texts) => matches(texts, /^export class (\w+)/gm),
  // Each file is its own stack, and the deployment names the stack.
  sam: () => [],
  serverless: (texts) => matches(texts, /^service: (.+)$/gm),
  terraform: async (texts) => {
    const modules = Object.entries(texts).filter(([name]) => name.endsWith('.tf'));
    return (await Promise.all(modules.map(([, text]) => declaredByTerraform(text)))).flat();
  },
  sst: async (texts) => {
    const config = texts['sst.config.ts']?.replace(
      /( +await import.*\n)/,
      `$1await import('./send-digest-schedule.sst');`,
    );
    const resources = await resourcesOfSst({ ...texts, 'sst.config.ts': config ?? '' });
    expect(resources.filter(({ type }) => type === 'aws_lambda_function')).toHaveLength(2);
    return resources.map(({ type, id }) => `${type} ${id}`);
  },
};

const matches = (texts: Texts, pattern: RegExp): string[] =>
  Object.values(texts).flatMap((text) => [...text.matchAll(pattern)].map(([, name = '']) => name));

test.each(['cdk', 'sam', 'serverless', 'sst', 'terraform'])(
  'init with %s, once more in its folder: a second job adds files of its own, and both deploy together',
  async (infra) => {
    const { folder, written, code } = await initIn({}, '--name', 'send-digest', '--infra', infra);
    // The name of the second job begins with the name of the first job.
    const second = await initAgain(folder, '--name', 'send-digest-schedule');

    expect([code, second.code, second.stderr, second.changed]).toEqual([0, 0, '', []]);
    const shared = ['sst.config.ts', 'versions.tf'];
    const own = written
      .filter((name) => !shared.includes(name))
      .map((name) => name.replace('send-digest', 'send-digest-schedule'));
    expect(second.written).toEqual(own);
    const declared = (await DECLARED[infra]?.(await textsIn(folder))) ?? [];
    expect(declared.filter((name, index) => declared.indexOf(name) !== index)).toEqual([]);

    const again = await initAgain(folder, '--name', 'send-digest');
    expect(again).toMatchObject({ code: 1, written: [], changed: [] });
    expect(again.stderr).toContain('pass another --name');
  },
);

test('init says which line adds a job to an app of SST that is there', async () => {
  const { folder, stdout } = await initIn({}, '--name', 'job', '--infra', 'sst');
  const second = await initAgain(folder, '--name', 'other');
  const third = await initAgain(folder, '--name', 'third', '--json');

  expect(stdout).not.toContain('to deploy');
  expect(second.stdout).toContain("to deploy: add this line to run() in sst.config.ts: await import('./other.sst');\n");
  expect(JSON.parse(third.stdout)).toMatchObject({ toAdd: "await import('./third.sst');" });
});

test.each(['locks', 'alarms', 'dead-letters', '../job', 'Job', 'a'.repeat(49), 'job\n', '-x', '.'])(
  'init refuses the name %j',
  async (name) => {
    const { code, written } = await initIn({}, `--name=${name}`);

    expect({ code, written }).toEqual({ code: 2, written: [] });
  },
);

test.each([
  [`${'a'.repeat(39)}-worker`, 'a'.repeat(39)],
  ['@acme/locks', 'locks-job'],
  ['dead_letters', 'dead-letters-job'],
  ['2026', 'my-job'],
])('init accepts the name that it derives from the package %s', async (packageName, name) => {
  const { code, written } = await initIn({ 'package.json': JSON.stringify({ name: packageName }) }, '--infra', 'sam');

  expect({ code, written }).toEqual({ code: 0, written: [`${name}.mjs`, `${name}.template.yaml`, `${name}.test.mjs`] });
});

test.each(['cdk', 'sam', 'serverless', 'sst', 'terraform'])(
  'init writes the template of %s, with the names of the job in all their spellings',
  async (infra) => {
    const template = (TEMPLATES[infra] ?? '').replaceAll('send-digest.ts', 'send-digest.mjs');
    const { folder, written } = await initIn({}, '--name', 'sync-x2', '--infra', infra);
    const file = written.find((name) => /^sync-x2\b(?!.*\.mjs$)/.test(name)) ?? '';
    const text = await readFile(join(folder, file), 'utf8');

    expect(text).toContain('sync-x2');
    const back = { 'sync-x2': 'send-digest', sync_x2: 'send_digest', syncX2: 'sendDigest', SyncX2: 'SendDigest' };
    expect(Object.entries(back).reduce((all, [from, to]) => all.replaceAll(from, to), text)).toBe(template);
  },
);

test.each(['re-send-digest', 'send-digest-2'])('a name that has the template’s own name in it: %s', async (name) => {
  const [serverless, sam] = await Promise.all(
    ['serverless', 'sam'].map(async (infra) => {
      const { folder } = await initIn({}, '--name', name, '--infra', infra);
      const file = { serverless: `${name}.serverless.yml`, sam: `${name}.template.yaml` }[infra] ?? '';
      return readFile(join(folder, file), 'utf8');
    }),
  );

  expect(sam).toContain(`EntryPoints: [${name}.mjs]`);
  const [, key = ''] = /^functions:\n {2}(\w+):$/m.exec(serverless ?? '') ?? [];
  expect(serverless).toContain(`!GetAtt ${key.charAt(0).toUpperCase()}${key.slice(1)}LambdaFunction.Arn`);
});

test('jobs and their tests run as they are written, whatever their names mean', async () => {
  const names = ['send-digest', 'delete', 'process', 'test'];
  for (const name of names) {
    const folder = join(built.folder, name);
    await mkdir(folder);
    const { code } = await innerCli(['init', '--name', name, '--infra', 'terraform'], {}, { cwd: folder });
    expect(code).toBe(0);
  }
  const [options, files] = [{ cwd: built.folder, env: SHELL }, names.map((name) => `./${name}/${name}`)];
  const { stdout } = await run(process.execPath, ['--test', ...files.map((file) => `${file}.test.mjs`)], options);

  expect(stdout).toMatch(/pass 4\b/);
  const load = (file: string) => `import('${file}.mjs').then(({ handler }) => typeof handler + handler.length)`;
  const loads = `Promise.all([${files.map(load).join()}]).then((all) => console.log(all.join()))`;
  expect((await run(process.execPath, ['-e', loads], options)).stdout).toBe(`${names.map(() => 'function2').join()}\n`);
});

/** The lines that the output of init tells to type in, by the words before them, with the built tool. */
const told = (stdout: string, ...words: string[]) =>
  words.map((word) => {
    const [, line = ''] = new RegExp(`^to ${word}: (.+)$`, 'm').exec(stdout) ?? [];
    return line.replace('npx single-execution', 'node ../node_modules/single-execution/dist/cli.js');
  });

test.each(DATABASES)(
  'what init writes for %s does what it says, line by line, and of two processes one works for each tick',
  async (store) => {
    const folder = join(built.folder, store);
    await mkdir(folder);
    const { stdout } = await innerCli(['init', '--name', 'send-digest', '--store', store], {}, { cwd: folder });
    const [tested = '', tableMade = '', started] = told(stdout, 'test', 'make the table', 'start it');
    const program = join(folder, 'send-digest.cron.mjs');
    const nightly = await readFile(program, 'utf8');
    expect(nightly).toContain("new Cron(SCHEDULE, { timezone: 'Etc/UTC'");
    await writeFile(program, nightly.replace('0 2 * * *', '* * * * * *'));
    const shell = { cwd: folder, env: { ...SHELL, ...databases.on(store).env } };

    for (const line of [tested, tableMade]) await run('sh', ['-c', line], shell);
    const lines: string[] = [];
    const processes = [0, 1].map(() => heard(spawn('sh', ['-c', `exec ${started}`], shell)));
    onTestFinished(() => {
      for (const one of processes) one.kill('SIGKILL');
    });
    for (const one of processes) createInterface({ input: one.stdout }).on('line', (line) => lines.push(line));
    const works = () => lines.filter((line) => line.startsWith('send-digest of '));
    // Two works and two skips. If they do not come, the failure shows what has been said.
    const text = () => lines.join('\n');
    await expect.poll(text, { timeout: 60_000 }).toMatch(/(^send-digest of .*){2}/ms);
    await expect.poll(text, { timeout: 60_000 }).toMatch(/(: skipped, .*){2}/s);
    for (const one of processes) one.kill('SIGTERM');
    await Promise.all(processes.map((one) => once(one, 'close')));

    expect(new Set(works()).size).toBe(works().length);
  },
  120_000,
);

test('what init writes for azure does what it says, and of two workers one works', async () => {
  const folder = join(built.folder, 'azure');
  await mkdir(folder);
  const { stdout } = await innerCli(['init', '--name', 'send-digest', '--store', 'azure'], {}, { cwd: folder });
  const [tested = '', tableMade = '', loaded = ''] = told(stdout, 'test', 'make the table', 'load it');
  const { AZURE_STORAGE_CONNECTION_STRING: connection = '' } = databases.on('azure').env;
  const connections = { AzureWebJobsStorage: connection, AZURE_STORAGE_CONNECTION_STRING: connection };
  const shell = { cwd: folder, env: { ...SHELL, ...connections } };
  const program = join(folder, 'send-digest.timer.mjs');
  // Azurite has http on a port of its own here. With UseDevelopmentStorage=true the client allows http.
  const text = await readFile(program, 'utf8');
  await writeFile(program, text.replace('maxRetries: 0 },', '$& allowInsecureConnection: true,'));

  for (const line of [tested, tableMade]) await run('sh', ['-c', line], shell);
  await writeFile(join(folder, 'package.json'), '{}');
  await run('sh', ['-c', loaded], shell);
  const jsonOf = async (file: string) => JSON.parse(await readFile(join(folder, file), 'utf8'));
  expect(await jsonOf('package.json')).toEqual({ main: '*.timer.mjs' });
  expect(await jsonOf('host.json')).toEqual({ version: '2.0', functionTimeout: '00:05:00' });
  const tick = new Date(Date.now() - 60_000).toISOString();
  const host = fileURLToPath(new URL('../support/azure-worker.ts', import.meta.url));
  const worker = ['--import', import.meta.resolve('tsx'), host];
  const works = [0, 1].map(() => run(process.execPath, [...worker, program, 'sendDigest', tick], shell));
  const lines = (await Promise.all(works)).map((end) => end.stdout.trimEnd().split('\n').at(-1));

  expect(lines.sort()).toEqual([`send-digest of ${tick}`, 'skipped']);
}, 120_000);

test('what is written in TypeScript compiles under strict settings', async () => {
  /** The files that init writes, each at a path in this repository, where it finds its packages. */
  const writtenBy = async (runner: string, ...args: string[]) => {
    const manifest = JSON.stringify({ devDependencies: { [runner]: '*' } });
    const found = { 'package.json': manifest, 'tsconfig.json': '{}', 'cdk.json': '{}' };
    const { folder, written } = await initIn(found, ...args);
    const all = await textsIn(folder);
    const files = written.filter((file) => file.endsWith('.ts'));
    return files.map((file): [string, string] => [join(import.meta.dirname, file), all[file] ?? '']);
  };
  const runners = ['vitest', 'tsx'].map((runner) => writtenBy(runner, '--name', `by-${runner}`));
  const stores = [...DATABASES, 'azure'].map((store) => writtenBy('tsx', '--name', `on-${store}`, '--store', store));
  const texts = (await Promise.all([...runners, ...stores])).flat();

  const program = checkedProgram(new Map([...texts, SMALL_CDK]));
  expect(texts.length).toBeGreaterThan(15);
  expect([...texts, SMALL_CDK].flatMap(([file]) => problemsOf(program, file))).toEqual([]);
});
