import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Execution, LockStore } from 'single-execution';
import { createSqliteTable, type SqliteClient, sqliteStore } from 'single-execution/sqlite';
import { call, claim, done, grant, runOn } from '../../support/one-run.js';

/*
 * What can happen to a database file, and what callers of the store get then. It is played over each client, also by a
 * program on another version of Node.
 */

/** A connection to a file. */
export interface FileClient {
  readonly client: SqliteClient;
  /** Runs statements without values. */
  exec(sql: string): Promise<unknown>;
  /** Begins to write, as another process can. @returns a function that ends the transaction */
  lock(): Promise<() => Promise<unknown>>;
  close(): void;
}

export type OpenFile = (path: string) => FileClient;

/** A connection of a client that works synchronously. */
export const syncFile = (client: SqliteClient & { exec(sql: string): unknown; close(): void }): FileClient => ({
  client,
  exec: async (sql) => client.exec(sql),
  async lock() {
    client.exec('BEGIN IMMEDIATE');
    return async () => client.exec('ROLLBACK');
  },
  close: () => client.close(),
});

/** What callers got, in their order. */
export type Seen = Readonly<Record<string, unknown>>;

interface Stage {
  readonly folder: string;
  readonly path: string;
  open(path?: string): FileClient & { readonly store: ReturnType<typeof sqliteStore> };
}

const LEASE_MS = 3_000;

/** The result of a verb or a run, or the code of its error and the problem that it names. */
const answerOf = (asked: Promise<unknown>): Promise<unknown> =>
  asked.then(
    (answer) => {
      const { status, reason, release } = Object(answer) as Record<string, unknown>;
      return release ?? reason ?? status ?? answer;
    },
    (error: Error & { code?: string }) =>
      `${error.code}: ${error.message.replace(/^.* failed: /, '').replace(/ \([A-Z_]+\)$/, '')}`,
  );

const stored = async (store: ReturnType<typeof sqliteStore>, name: string) =>
  (await store.get(name, call()))?.item?.['state'] ?? 'nothing';

const once = (store: LockStore, name = 'digest') => answerOf(runOn(store, () => 'done', { name }));

/** Another process writes for longer than a call may take. */
async function lockedForLong({ open }: Stage): Promise<Seen> {
  const [one, other] = [open(), open()];
  const unlock = await other.lock();
  const acquire = await answerOf(one.store.acquire(claim(), call(1_500)));
  await unlock();
  return { acquire, stored: await stored(other.store, 'digest'), afterwards: await once(open().store) };
}

/** The same while a run ends. */
async function lockedAtRelease({ open }: Stage): Promise<Seen> {
  const [one, other] = [open(), open()];
  let unlock: () => Promise<unknown> = async () => {};
  const task = async () => {
    unlock = await other.lock();
    return 'the value';
  };
  const outcome = await runOn(one.store, task);
  await unlock();
  return { value: Object(outcome).value, release: Object(outcome).release, other: await once(other.store) };
}

/** The same until the lease of a run is over that could not be renewed. */
async function lockedUnderARun({ open }: Stage): Promise<Seen> {
  const [one, other] = [open(), open()];
  const task = async ({ signal }: Execution) => {
    const unlock = await other.lock();
    while (!signal.aborted) await sleep(10);
    await unlock();
    // The store may keep the successor out until the lease is over by its own clock.
    let next = await once(other.store);
    while (next === 'locked') next = await once(other.store);
    return [(signal.reason as Error).name, next];
  };
  const outcome = Object(await runOn(one.store, task, { lockAtMostFor: LEASE_MS, keepAlive: true }));
  // libSQL writes nothing for a while after it was refused; see docs/stores/sqlite.md.
  return { aborted: outcome.value[0], other: outcome.value[1], released: outcome.release === 'released' };
}

/** What a holder and a newcomer get after something has happened to the file while the lock was held. */
async function afterwards({ open }: Stage, happens: () => void, wal = false): Promise<Seen> {
  const one = open();
  if (wal) await one.exec('PRAGMA journal_mode = WAL');
  const lease = await grant(one.store);
  happens();
  const extend = await answerOf(one.store.extend(lease, { leaseMs: 60_000 }, call()));
  const other = open();
  const newcomer = await answerOf(other.store.list(call()).then((locks) => locks.length));
  await createSqliteTable(other.client);
  const { fencingToken } = await grant(other.store);
  const release = await answerOf(one.store.release(lease, done, call()));
  return { extend, newcomer, 'token rises': fencingToken > lease.fencingToken, release };
}

const remove = ({ path }: Stage) => {
  for (const end of ['', '-journal', '-wal', '-shm']) rmSync(path + end, { force: true });
};

const deleted = (stage: Stage) => afterwards(stage, () => remove(stage));
const deletedWal = (stage: Stage) => afterwards(stage, () => remove(stage), true);

async function replaced(stage: Stage): Promise<Seen> {
  copyFileSync(stage.path, `${stage.path}.copy`);
  return afterwards(stage, () => renameSync(`${stage.path}.copy`, stage.path));
}

async function overwritten(stage: Stage): Promise<Seen> {
  copyFileSync(stage.path, `${stage.path}.copy`);
  return afterwards(stage, () => copyFileSync(`${stage.path}.copy`, stage.path));
}

/** A folder of its own on a disk of 256 kB. */
function smallDisk(folder: string): string {
  const disk = join(folder, 'disk');
  mkdirSync(disk);
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', disk]);
  return disk;
}

async function full({ folder, open }: Stage): Promise<Seen> {
  const disk = smallDisk(folder);
  try {
    const one = open(join(disk, 'locks.db'));
    await createSqliteTable(one.client);
    const lease = await grant(one.store, claim({ name: 'held' }));
    try {
      writeFileSync(join(disk, 'filler'), Buffer.alloc(300_000));
    } catch {
      // It is full now.
    }
    const acquire = await answerOf(one.store.acquire(claim(), call(1_500)));
    const extend = await answerOf(one.store.extend(lease, { leaseMs: 60_000 }, call(1_500)));
    const release = await answerOf(one.store.release(lease, done, call(1_500)));
    rmSync(join(disk, 'filler'));
    const seen = {
      acquire,
      extend,
      release,
      held: await stored(one.store, 'held'),
      new: await stored(one.store, 'digest'),
    };
    return { ...seen, other: await once(one.store), released: await answerOf(one.store.release(lease, done, call())) };
  } finally {
    execFileSync('umount', ['-l', disk]);
  }
}

async function readOnly({ folder, path, open }: Stage): Promise<Seen> {
  await grant(open().store, claim({ name: 'held' }));
  const disk = join(folder, 'read-only');
  mkdirSync(disk);
  execFileSync('mount', ['--bind', folder, disk]);
  execFileSync('mount', ['-o', 'remount,ro,bind', disk]);
  try {
    const one = open(join(disk, path.slice(folder.length)));
    return { locked: await once(one.store, 'held'), acquire: await once(one.store) };
  } finally {
    execFileSync('umount', ['-l', disk]);
  }
}

const SCENES = { lockedForLong, lockedAtRelease, lockedUnderARun, deleted, deletedWal, replaced, overwritten };
/** These need the right to mount a disk. */
const WITH_MOUNTS = { full, readOnly };

type Scene = keyof typeof SCENES | keyof typeof WITH_MOUNTS;

const MOVED = 'INVALID_REQUEST: the database file was deleted or replaced after it was opened: make a new client';
const FULL = 'UNAVAILABLE: the disk or the database is full: free some space';
const NO_TABLE =
  'TABLE_NOT_FOUND: table "single_execution_locks" does not exist: make it with createSqliteTable(client) or single-execution table create, or correct its name';

/** What callers get, over each client. */
const SEEN: Readonly<Record<Scene, Seen>> = {
  lockedForLong: {
    acquire: 'UNAVAILABLE: another process is writing to the database; try again, or set a busy timeout',
    stored: 'nothing',
    afterwards: 'released',
  },
  lockedAtRelease: { value: 'the value', release: 'unknown', other: 'locked' },
  lockedUnderARun: { aborted: 'LockLostError', other: 'released', released: false },
  deleted: { extend: MOVED, newcomer: NO_TABLE, 'token rises': true, release: MOVED },
  // SQLite itself does not notice it: the old process writes to a file that no other process can open.
  deletedWal: { extend: 'extended', newcomer: NO_TABLE, 'token rises': true, release: 'released' },
  replaced: { extend: MOVED, newcomer: 0, 'token rises': true, release: MOVED },
  overwritten: { extend: 'lost', newcomer: 0, 'token rises': true, release: 'lost' },
  full: {
    acquire: FULL,
    extend: FULL,
    release: FULL,
    held: 'held',
    new: 'nothing',
    other: 'released',
    released: 'released',
  },
  readOnly: {
    locked: 'locked',
    acquire: 'ACCESS_DENIED: the database is read-only here: open it for writing, or connect to the primary',
  },
};

const played = () => ({ ...SCENES, ...(canMount() && WITH_MOUNTS) });

/** What callers get in the scenes that this process can play. */
export const seenInFiles = () =>
  Object.fromEntries(Object.keys(played()).map((scene) => [scene, SEEN[scene as Scene]]));

/** Whether this process may mount a disk. */
function canMount(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'mount-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4k', 'tmpfs', folder], { stdio: 'ignore' });
    execFileSync('umount', [folder]);
    return true;
  } catch {
    return false;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export async function playFileScenes(openFile: OpenFile): Promise<Record<string, Seen>> {
  const all: Record<string, Seen> = {};
  for (const [name, scene] of Object.entries(played())) {
    const folder = mkdtempSync(join(tmpdir(), 'sqlite-file-'));
    const path = join(folder, 'locks.db');
    const opened: FileClient[] = [];
    const open = (at = path) => {
      const one = openFile(at);
      opened.push(one);
      return { ...one, store: sqliteStore({ client: one.client }) };
    };
    try {
      await createSqliteTable(open().client);
      all[name] = await scene({ folder, path, open });
    } finally {
      for (const one of opened) one.close();
      rmSync(folder, { recursive: true, force: true });
    }
  }
  return all;
}
