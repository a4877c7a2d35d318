import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@libsql/client';
import type { LockStore } from 'single-execution';
import { postgresStore } from 'single-execution/postgres';
import { createSqliteTable, sqliteStore } from 'single-execution/sqlite';
import { afterAll, describe, expect, test } from 'vitest';
import { ownEngine } from '../support/backends/stage.js';
import { call, claim, done, grant } from '../support/one-run.js';

/*
 * Why a release on a database reads the record before it writes (docs/adr/0012-a-release-reads.md): one that only
 * compared the version that its acquire had written would free the lock of another run.
 */

const { pool } = await ownEngine('postgres');
const folder = await mkdtemp(join(tmpdir(), 'release-reads-'));
const file = createClient({ url: `file:${join(folder, 'locks.db')}` });
await createSqliteTable(file);
afterAll(async () => {
  file.close();
  await rm(folder, { recursive: true });
});

/** Deletes a row as an operator does by hand. */
type DeleteRow = (name: string) => Promise<unknown>;

/** Two stores, as of two processes, and what an operator does by hand. */
const DATABASES: Record<string, readonly [LockStore, LockStore, DeleteRow]> = {
  Postgres: [
    postgresStore({ client: pool }),
    postgresStore({ client: pool }),
    (name) => pool.query('DELETE FROM single_execution_locks WHERE name = $1', [name]),
  ],
  SQLite: [
    sqliteStore({ client: file }),
    sqliteStore({ client: file }),
    (name) => file.execute({ sql: 'DELETE FROM single_execution_locks WHERE name = ?', args: [name] }),
  ],
};

describe.each(Object.entries(DATABASES))('row 167: on %s', (_, [store, elsewhere, deleteRow]) => {
  test.each([0, 1, 5])(
    'row 167: a run whose row was deleted by hand frees no lock that was granted since, after %i earlier runs',
    async (earlier) => {
      const name = `deleted after ${earlier}`;
      const runsOf = async (one: LockStore) => {
        for (let n = 0; n < earlier; n++) await one.release(await grant(one, claim({ name })), done, call());
        return grant(one, claim({ name }));
      };
      const old = await runsOf(store);
      await deleteRow(name);
      // The new row has the same version, because as many writes made it.
      await runsOf(elsewhere);

      expect(await store.release(old, done, call())).toBe('lost');
      expect(await elsewhere.acquire(claim({ name }), call())).toMatchObject({ status: 'refused', reason: 'locked' });
    },
  );
});
