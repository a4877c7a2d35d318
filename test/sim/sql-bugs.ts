import type { Storage, StoredRecord } from 'single-execution/store';
import type { Breaks, Request } from './broken.js';
import { bug, type SimBug } from './sim-bug.js';

/** Bugs in a storage that compares and swaps, and in the store over it. */
// biome-ignore format: each bug in a few rows
export const SQL_BUGS: readonly SimBug[] = [
  bug('a write does not compare the version that was read', ['sql', 'synchronised', 3],
    writes(async ({ write, versionNow }) => write(await versionNow()))),
  bug('an insert replaces what is there', ['sql', 'synchronised', 6],
    writes(async ({ write, versionNow, version }) => write(version ?? (await versionNow())))),
  bug('a write that was refused counts as written', ['sql', 'synchronised', 2],
    writes(async ({ write, version }) => (await write(version)) || true)),
  bug('a cancel does not write', ['sql', 'hostile', 1],
    writes(async ({ write, version, record, request: { asked: [claim] } }) =>
      record['barredAttempt'] === (claim as { attemptId?: string }).attemptId || write(version))),
  bug('a write does not look whether its call is over', ['sql', 'synchronised', 3], {
    storage: (storage) => ({ ...storage, write: (key, record, version, signal) => storage.write(key, record, version, signal) }),
  }),
  bug('the host’s clock stands in for the storage’s', ['sql', 'skewed', 2], {
    storage: (storage, { host }) => ({
      ...storage, read: async (...asked) => ({ ...(await storage.read(...asked)), nowMs: Math.floor(host.clock.now()) }),
    }),
  }),
];

type Version = number | undefined;

interface Write {
  readonly request: Request;
  readonly record: StoredRecord;
  /** The version that was read. */
  readonly version: Version;
  write(version: Version): Promise<boolean>;
  /** The version that the record has at this moment. */
  versionNow(): Promise<Version>;
}

/** Replaces the writes of a storage. */
function writes(play: (asked: Write) => Promise<boolean>): Breaks {
  return {
    storage: (storage: Storage<number>, request) => ({
      ...storage,
      write: (key, record, version, signal, notAfterMs) =>
        play({
          request,
          record,
          version,
          write: (under) => storage.write(key, record, under, signal, notAfterMs),
          versionNow: async () => (await storage.read(key, signal)).version,
        }),
    }),
  };
}
