import { expect, test } from 'vitest';
import { nativePackages } from '../../clients/on-demand.js';
import { playFileScenes, seenInFiles, syncFile } from './file-scenes.js';

/** The package is compiled once, which takes minutes. */
const LONGEST_MS = 900_000;

test(
  'F177 F178 a file that is locked, deleted, replaced, full or read-only, over better-sqlite3',
  async () => {
    const Database = (await nativePackages('better-sqlite3'))('better-sqlite3');
    const seen = await playFileScenes((path) => syncFile(new Database(path, { timeout: 0 })));

    expect(seen).toEqual(seenInFiles());
  },
  LONGEST_MS,
);
