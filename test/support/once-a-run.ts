import { access, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { inject } from 'vitest';

const LOOK_EVERY_MS = 50;

/**
 * A folder that is made once in a test run, by the file that needs it first. Other files wait for it. Nobody may change
 * its contents.
 *
 * @returns the path of the folder
 */
export async function onceARun(name: string, make: (folder: string) => Promise<void>): Promise<string> {
  const folder = join(inject('runFolder'), name);
  const [done, failure] = [`${folder}.done`, `${folder}.failure`];
  if (await isFirst(folder)) {
    await make(folder).catch(async (error: Error) => {
      await writeFile(failure, error.stack ?? String(error));
      throw error;
    });
    await writeFile(done, '');
  }
  while (!(await isThere(done))) {
    if (await isThere(failure)) throw new Error(`${name} could not be made: ${await readFile(failure, 'utf8')}`);
    await sleep(LOOK_EVERY_MS);
  }
  return folder;
}

async function isFirst(folder: string): Promise<boolean> {
  try {
    await mkdir(folder);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

const isThere = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  );
