import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { builtPackage } from '../support/built-package.js';
import { heard } from '../support/last-words.js';

const ROOT = join(import.meta.dirname, '../..');

/** A program of a page, while it runs. */
export interface Started {
  readonly child: ChildProcess;
  /** All that it has printed, line by line. */
  lines(): readonly string[];
  /** Its exit code; null if a signal has ended it. */
  readonly ended: Promise<number | null>;
}

/** A folder in which a reader types in what a page says, with the published package. */
export interface ReadersProject {
  readonly folder: string;
  write(file: string, code: string): Promise<void>;
  start(args: readonly string[], env?: Readonly<Record<string, string>>): Started;
  /** Starts the command-line tool of the package. */
  tool(args: readonly string[], env?: Readonly<Record<string, string>>): Started;
  remove(): Promise<void>;
}

/**
 * Makes such a folder.
 *
 * @param packages those that the pages install beside this one
 * @param from the folder whose node_modules has them
 */
export async function readersProject(packages: readonly string[], from = ROOT): Promise<ReadersProject> {
  const { folder, remove } = await builtPackage();
  for (const name of packages) {
    const path = join(folder, 'node_modules', name);
    await mkdir(dirname(path), { recursive: true });
    await symlink(join(from, 'node_modules', name), path, 'dir');
  }
  const start: ReadersProject['start'] = (args, env = {}) => {
    const child = heard(spawn(process.execPath, args, { cwd: folder, env: { PATH: process.env['PATH'], ...env } }));
    let text = '';
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (data: Buffer) => (text += data));
    const ended = once(child, 'close').then(([code]) => code as number | null);
    return { child, lines: () => text.split('\n').filter(Boolean), ended };
  };
  return {
    folder,
    start,
    remove,
    tool: (args, env) => start(['node_modules/single-execution/dist/cli.js', ...args], env),
    async write(file, code) {
      await mkdir(dirname(join(folder, file)), { recursive: true });
      await writeFile(join(folder, file), code);
    },
  };
}
