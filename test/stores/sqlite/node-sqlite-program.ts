import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { playContract } from './played-contract.js';

/* Plays the contract on node:sqlite, with two connections to one file, and prints the results. */

const folder = mkdtempSync(join(tmpdir(), 'node-sqlite-'));
const [database, other] = [0, 1].map(() => new DatabaseSync(join(folder, 'locks.db'))) as [DatabaseSync, DatabaseSync];
// Do not wait for the disk.
for (const one of [database, other]) one.exec('PRAGMA synchronous = OFF');
const played = await playContract(database, (text, values) => other.prepare(text).all(...values) as object[]);
const [{ version } = {}] = other.prepare('SELECT sqlite_version() AS version').all() as { version?: string }[];
process.stdout.write(JSON.stringify({ ...played, version }));
for (const one of [database, other]) one.close();
rmSync(folder, { recursive: true });
