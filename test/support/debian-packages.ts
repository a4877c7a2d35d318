import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { madeOnce } from './node-binary.js';

const run = promisify(execFile);
/** Whatever the caller's folder is: apt-get's messages are read. */
const env = { ...process.env, LC_ALL: 'C', DEBIAN_FRONTEND: 'noninteractive' };

/** Fetched once, whatever is installed then. */
let lists: Promise<unknown> | undefined;

/** Installs packages as root, or by sudo where it asks for no password. */
export async function install(packages: readonly string[], say: (line: string) => void): Promise<void> {
  const asRoot = process.getuid?.() === 0 ? [] : ['sudo', '-n'];
  const apt = async (...args: string[]) => {
    const [program = '', ...rest] = [...asRoot, 'env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get', ...args];
    await run(program, rest);
  };
  await run('apt-get', ['--version']);
  if (asRoot.length > 0) await run('sudo', ['-n', 'true']);
  say(`apt-get installs ${packages.join(', ')}`);
  // Lists from before serve where the new ones cannot be had.
  lists ??= apt('update').catch(() => undefined);
  await lists;
  await apt('install', '-y', '--no-install-recommends', ...packages);
}

/**
 * Unpacks packages, and those they depend on that are not installed, into `<folder>/root`, which needs no rights. The
 * program whose path among them matches is started by `<folder>/bin/<name>`.
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

/** @returns the paths of the packages' files */
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
    // "Inst name (version …)" is new on this system; "Inst name [version] (version …)" would only be newer.
    const missing = [...stdout.matchAll(/^Inst (\S+) \(/gm)].map(([, name = '']) => name);
    await run('apt-get', [...options, 'download', ...new Set([...packages, ...missing])], { env, cwd: into });
  };
  try {
    // The system's own lists may be missing, as in an image, or name packages that are no longer there.
    await fetchBy(cache).catch(async () => {
      await run('apt-get', [...cache, ...lists, 'update'], { env });
      await fetchBy([...cache, ...lists]);
    });
  } finally {
    await rm(own, { recursive: true, force: true });
  }
  return (await readdir(into)).map((name) => join(into, name));
}

/** Packages link to absolute paths, which are not theirs here. */
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

/** A script, so that no other program than this one looks for its libraries among the unpacked ones. */
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
