import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A cache that is kept from run to run, until `npm ci`. */
export const CACHE = fileURLToPath(new URL('../../node_modules/.cache/single-execution', import.meta.url));

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
