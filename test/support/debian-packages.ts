import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { madeOnce } from './made-once.js';

const run = promisify(execFile);
/** Messages of apt-get in English, because they are parsed. */
const env = { ...process.env, LC_ALL: 'C', DEBIAN_FRONTEND: 'noninteractive' };

/** The update of the package lists, which is made once, however many packages are installed. */
let lists: Promise<unknown> | undefined;

/** Installs packages as root, or with sudo if it needs no password. */
export async function install(packages: readonly string[], say: (line: string) => void): Promise<void> {
  const asRoot = process.getuid?.() === 0 ? [] : ['sudo', '-n'];
  const apt = async (...args: string[]) => {
    const [program = '', ...rest] = [...asRoot, 'env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get', ...args];
    await run(program, rest);
  };
  await run('apt-get', ['--version']);
  if (asRoot.length > 0) await run('sudo', ['-n', 'true']);
  say(`apt-get installs ${packages.join(', ')}`);
  // If new lists cannot be fetched, the existing lists serve.
  lists ??= apt('update').catch(() => undefined);
  await lists;
  await apt('install', '-y', '--no-install-recommends', ...packages);
}

/**
 * Unpacks packages and their missing dependencies into `<folder>/root`, which needs no rights. `<folder>/bin/<name>`
 * starts the program among them whose path matches.
 */
export async function unpack(
  packages: readonly string[],
  { folder, program, say }: { folder: string; program: RegExp; say: (line: string) => void },
): Promise<void> {
  await madeOnce(folder, async (draft) => {
    say(`${packages.join(', ')}: unpacked from Debian's packages into ${folder}`);
    const root = join(draft, 'root');
    const debs = await download(packages, draft);
    await mkdir(root);
    for (const deb of debs) await run('dpkg', ['-x', deb, root]);
    await rm(dirname(debs[0] ?? draft), { recursive: true });
    await keepLinksInside(root);
    await addStarter(draft, program);
  });
}

/** Downloads packages. @returns the paths of their files */
async function download(packages: readonly string[], draft: string): Promise<string[]> {
  const own = await mkdtemp(join(tmpdir(), 'apt-'));
  const into = join(draft, 'debs');
  await mkdir(into);
  const state = join(own, 'state');
  await mkdir(join(state, 'lists/partial'), { recursive: true });
  await mkdir(join(own, 'cache/archives/partial'), { recursive: true });
  const cache = ['-o', `Dir::Cache=${join(own, 'cache')}`];
  const lists = ['-o', `Dir::State=${state}`, '-o', 'Dir::State::status=/var/lib/dpkg/status'];
  const fetchBy = async (options: readonly string[]) => {
    const { stdout } = await run('apt-get', [...options, '-s', 'install', '--no-install-recommends', ...packages], {
      env,
    });
    // "Inst name (version …)" is a package that this system does not have. "Inst name [version] (version …)" would only
    // update it.
    const missing = [...stdout.matchAll(/^Inst (\S+) \(/gm)].map(([, name = '']) => name);
    await run('apt-get', [...options, 'download', ...new Set([...packages, ...missing])], { env, cwd: into });
  };
  try {
    // The system's own lists may be missing, as in an image, or name packages that no longer exist.
    await fetchBy(cache).catch(async () => {
      await run('apt-get', [...cache, ...lists, 'update'], { env });
      await fetchBy([...cache, ...lists]);
    });
  } finally {
    await rm(own, { recursive: true, force: true });
  }
  return (await readdir(into)).map((name) => join(into, name));
}

/** Makes absolute links relative: packages link to absolute paths, which lead outside the folder here. */
async function keepLinksInside(root: string): Promise<void> {
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    if (!entry.isSymbolicLink()) continue;
    const path = join(entry.parentPath, entry.name);
    const target = await readlink(path);
    if (!target.startsWith('/')) continue;
    await rm(path);
    await symlink(relative(dirname(path), join(root, target)), path);
  }
}

/**
 * Adds a script that starts the program. Only the program in this script looks for libraries among the unpacked files.
 */
async function addStarter(folder: string, program: RegExp): Promise<void> {
  const root = join(folder, 'root');
  const paths = (await readdir(root, { recursive: true })).map((path) => path.replaceAll('\\', '/'));
  const path = paths.find((one) => program.test(one));
  if (path === undefined) throw new Error(`no file of these packages matches ${program}`);
  const libraries = paths.filter((one) => /^(usr\/)?lib\/[^/]+-linux-gnu[^/]*$/.test(one));
  const searched = libraries.map((one) => `"$root/${one}"`).join(':');
  const script = `#!/bin/sh
root=\${0%/*}/../root
export LD_LIBRARY_PATH=${searched}\${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
exec "$root/${path}" "$@"
`;
  await mkdir(join(folder, 'bin'));
  await writeFile(join(folder, 'bin', basename(path)), script, { mode: 0o755 });
}
