import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { installed } from '../support/package-sets.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** The compilers of users: the oldest that reads the declarations of the package, the one that writes them, the newest. */
const COMPILERS = {
  '5.4': async () => join(await installed('test/types'), 'node_modules/typescript-5.4'),
  '6': async () => join(ROOT, 'node_modules/typescript'),
  '7': async () => join(await installed('test/types'), 'node_modules/typescript'),
} as const;

export type CompilerVersion = keyof typeof COMPILERS;

export const COMPILER_VERSIONS = Object.keys(COMPILERS) as readonly CompilerVersion[];

/** @returns the messages of tsc about the project in a folder */
export async function tsc(version: CompilerVersion, folder: string): Promise<string> {
  const args = [join(await COMPILERS[version](), 'bin/tsc'), '-p', folder];
  return promisify(execFile)(process.execPath, args).then(
    ({ stdout }) => stdout,
    (error: { stdout: string }) => error.stdout,
  );
}
