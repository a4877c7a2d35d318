import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFile, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { CACHE } from './made-once.js';

/*
 * Packages that only some suites need, such as old clients, other systems and runtimes: `npm ci` of the repository does
 * not install them. A set is a folder with a package.json and a lock file of its own. Whoever needs it first installs
 * it into the folder's node_modules, where the files of the folder find it. What a set does not name comes from the
 * repository's own node_modules.
 */

/** The folders of the sets that `npm test` needs. */
const OF_TESTS = [
  'site',
  'test/azurite',
  'test/clients',
  'test/clients-redis',
  'test/conformance',
  'test/copied-sdk',
  'test/edge',
  'test/firebase',
  'test/infra/templates',
  'test/nodes/22',
  'test/nodes/24',
  'test/nodes/old',
  'test/observe/runtime-client',
  'test/oldest-cdk',
  'test/oldest-sdk',
  'test/others',
  'test/stores/dynamodb/agents',
  'test/stores/dynamodb/agents/newrelic',
  'test/types',
] as const;

/** `npx tsx test/support/package-sets.ts [folder…]` installs these sets, or all; with `--tests`, {@link OF_TESTS}. */
export const PACKAGE_SETS = [
  ...OF_TESTS,
  'bench/systems',
  'test/clients/native',
  'test/clients/prisma',
  'test/mutation',
  'test/nodes/20.19',
  'test/package',
] as const;

export type PackageSet = (typeof PACKAGE_SETS)[number];

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const LOOK_EVERY_MS = 100;
/** Peers come from the repository. Nothing is built: what needs that is built by {@link preparedPackages}. */
const CI = ['ci', '--legacy-peer-deps', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];

/** The folder of a set, once its packages are installed. @param root the checkout */
export async function installed(set: PackageSet, root = ROOT): Promise<string> {
  const folder = join(root, set);
  const lock = await readFile(join(folder, 'package-lock.json'), 'utf8');
  await once(folder, `installed-${createHash('sha256').update(lock).digest('hex')}`, () => install(set, folder));
  return folder;
}

/** Loads the packages of a set. */
export async function packagesOf(set: PackageSet): Promise<NodeJS.Require> {
  return createRequire(join(await installed(set), 'package.json'));
}

/**
 * Loads the packages of a set that `prepare` has changed once in the set's folder.
 *
 * @param state what the preparation depends on besides the lock file
 */
export async function preparedPackages(
  set: PackageSet,
  state: string,
  prepare: (folder: string) => Promise<void>,
): Promise<NodeJS.Require> {
  const folder = await installed(set);
  await once(folder, `prepared-${state}`, () => prepare(folder));
  return createRequire(join(folder, 'package.json'));
}

/** Does what leads to a state of a set, unless it is in this state. Other processes of this machine wait meanwhile. */
async function once(folder: string, state: string, work: () => Promise<void>): Promise<void> {
  const mark = join(folder, 'node_modules', `.${state}`);
  const isDone = () =>
    readFile(mark).then(
      () => true,
      () => false,
    );
  if (await isDone()) return;
  await alone(join(CACHE, `${folder.replace(/[/\\:]+/g, '-')}.pid`), async () => {
    if (await isDone()) return;
    await work();
    await writeFile(mark, '');
  });
}

async function install(set: PackageSet, folder: string): Promise<void> {
  process.stderr.write(`${set}: npm ci, once\n`);
  const draft = await mkdtemp(join(CACHE, 'set-'));
  try {
    for (const file of ['package.json', 'package-lock.json']) await copyFile(join(folder, file), join(draft, file));
    await promisify(execFile)('npm', CI, { cwd: draft, shell: process.platform === 'win32' });
    await mkdir(join(draft, 'node_modules'), { recursive: true });
    await rename(join(folder, 'node_modules'), join(draft, 'former')).catch(() => undefined);
    await rename(join(draft, 'node_modules'), join(folder, 'node_modules'));
  } catch (error) {
    const remedy = `let npm reach its registry and run \`npx tsx test/support/package-sets.ts ${set}\``;
    throw new Error(`the packages of ${set} cannot be installed: ${reasonOf(error)}; ${remedy}`);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/** The lines of npm's report before its help. */
function reasonOf(error: unknown): string {
  const { stderr = '', message } = error as Error & { readonly stderr?: string };
  const lines = stderr.split('\n').map((line) => line.replace(/^npm error( code)?\s*/, ''));
  return lines.filter(Boolean).slice(0, 3).join(', ') || message;
}

/** Runs `work` while no other process that is alive does so. The file holds the process's id. */
async function alone(file: string, work: () => Promise<void>): Promise<void> {
  await mkdir(CACHE, { recursive: true });
  while (!(await isMine(file))) {
    const owner = Number(await readFile(file, 'utf8').catch(() => ''));
    if (isAlive(owner)) await sleep(LOOK_EVERY_MS);
    else await rm(file, { force: true });
  }
  try {
    await work();
  } finally {
    await rm(file, { force: true });
  }
}

async function isMine(file: string): Promise<boolean> {
  try {
    await writeFile(file, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Zero stands for a file whose owner has not written its id yet. */
function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

// In a bundle this module is part of another program.
if (basename(process.argv[1] ?? '') === 'package-sets.ts') {
  const given = process.argv.slice(2);
  const asked: readonly string[] = given[0] === '--tests' ? OF_TESTS : given;
  const unknown = asked.filter((name) => !PACKAGE_SETS.some((set) => set === name));
  if (unknown.length > 0) throw new Error(`no set: ${unknown.join(', ')}; there are ${PACKAGE_SETS.join(', ')}`);
  const sets = PACKAGE_SETS.filter((set) => asked.length === 0 || asked.includes(set));
  // npm mostly waits, for the registry and for the disk.
  const lane = async () => {
    for (let set = sets.shift(); set !== undefined; set = sets.shift()) await installed(set);
  };
  await Promise.all([lane(), lane(), lane()]);
}
