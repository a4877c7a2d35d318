import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const VERSIONS = { 22: '22.23.3', 24: '24.21.0' } as const;
/** A cache that is kept from run to run, until `npm ci`. */
export const CACHE = fileURLToPath(new URL('../../node_modules/.cache/single-execution', import.meta.url));
const INSTALL_MS = 120_000;

/**
 * The path of a Node binary of that major version: this process's own if it fits, else `NODE_22_BINARY` or
 * `NODE_24_BINARY` from the environment, else a fixed version from npm, which is fetched once.
 */
export async function nodeBinary(major: 22 | 24): Promise<string> {
  if (process.versions.node.startsWith(`${major}.`)) return process.execPath;
  const given = process.env[`NODE_${major}_BINARY`];
  if (given) return given;

  const executable = process.platform === 'win32' ? 'node.exe' : 'node';
  return fetchedBinary(npmPackage(), VERSIONS[major], join('bin', executable)).catch((error: Error) => {
    const remedy = `set NODE_${major}_BINARY to the path of a Node ${major}`;
    throw new Error(`${error.message}, or ${remedy}`, { cause: error });
  });
}

/** The path of a binary in an npm package, which is fetched once. */
export async function fetchedBinary(name: string, version: string, path: string): Promise<string> {
  const folder = join(CACHE, `${name.replaceAll('/', '-')}-${version}`);
  const binary = (inFolder: string) => join(inFolder, 'node_modules', name, path);
  const spec = `${name}@${version}`;
  await madeOnce(folder, async (draft) => {
    await install(spec, draft);
    await promisify(execFile)(binary(draft), ['--version']);
  }).catch((error: Error) => {
    throw new Error(`${spec} could not be had from npm: let it reach its registry once`, { cause: error });
  });
  return binary(folder);
}

/**
 * Makes a folder unless it exists. It is made under another name first, so that nobody ever sees an incomplete folder.
 */
export async function madeOnce(folder: string, make: (draft: string) => Promise<void>): Promise<void> {
  if (existsSync(folder)) return;
  await mkdir(dirname(folder), { recursive: true });
  const draft = await mkdtemp(`${folder}-`);
  try {
    await make(draft);
    await rename(draft, folder);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    // If the folder exists by now, another process has made it.
    if (!existsSync(folder)) throw error;
  }
}

async function install(spec: string, folder: string): Promise<void> {
  const args = ['install', '--prefix', folder, '--no-save', '--no-audit', '--no-fund', '--ignore-scripts', spec];
  const shell = process.platform === 'win32';
  await promisify(execFile)('npm', args, { cwd: folder, timeout: INSTALL_MS, shell });
}

/** The npm package of Node. On Apple silicon it has another name since Node 19. */
function npmPackage(): string {
  const platform = process.platform === 'win32' ? 'win' : process.platform;
  const bin = platform === 'darwin' && process.arch === 'arm64' ? 'bin-' : '';
  return `node-${bin}${platform}-${process.arch}`;
}
