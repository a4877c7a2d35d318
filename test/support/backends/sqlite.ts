import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Client } from '@libsql/client';
import { createSqliteTable, sqliteStore } from 'single-execution/sqlite';
import { questionMarkStatements, sqlHarness } from '../sql-harness.js';
import { type Backend, DEFAULT_TABLE, type Engine, locksOf, opened, tableArgs } from './backend.js';

const BUSY_MS = 5_000;

export interface SqliteEngine extends Engine {
  /** A client for the test. */
  readonly client: Client;
}

export const sqlite: Backend<SqliteEngine> = {
  lacks: {
    network:
      'a file has no network and no server: test/stores/sqlite/file.test.ts locks it, deletes it, fills its disk and makes it read-only',
  },
  lateMs: 0,
  isQuick: false,
  requests: { run: 4, skip: 1 },
  faults: [],
  async start() {
    const folder = await mkdtemp(join(tmpdir(), 'sqlite-'));
    const url = pathToFileURL(join(folder, 'locks.db')).href;
    const client = await clientOf(url);
    const rows = async (sql: string, args: (string | number)[]) => (await client.execute({ sql, args })).rows;
    return {
      client,
      at: (place = DEFAULT_TABLE) => ({ kind: 'sqlite', url, place }),
      make: ({ place: table }) => createSqliteTable(client, { table }),
      async put({ place }, key, fields) {
        const record = JSON.stringify(Object.fromEntries(fields));
        await rows(
          `INSERT INTO "${place}" (name, record, version) VALUES (?, ?, 1)
           ON CONFLICT (name) DO UPDATE SET record = excluded.record, version = version + 1`,
          [key, record],
        );
      },
      harness: ({ place }, { store, admin }, keyPrefix = '') =>
        sqlHarness({ store: { ...store, ...admin }, keyPrefix, rows, ...questionMarkStatements(place) }),
      args: ({ place }) => ['--sqlite', fileURLToPath(url), ...tableArgs(place)],
      env: { TURSO_DATABASE_URL: url },
      async stop() {
        client.close();
        await rm(folder, { recursive: true });
      },
    };
  },
  async open({ url, place: table }, sends) {
    const connection = await clientOf(url);
    const watched = async (sql: string, args: (string | number)[]) => {
      sends?.();
      return (await connection.batch([{ sql, args }], 'deferred'))[0]?.rows ?? [];
    };
    const client = sends ? watched : connection;
    return opened(
      (keyPrefix) => locksOf(sqliteStore({ client, table, keyPrefix })),
      () => connection.close(),
    );
  },
};

/** Opens the file for one process. The disk need not keep the data of a test. */
async function clientOf(url: string): Promise<Client> {
  // Loaded when it is needed: it has a native part, which programs of the tests cannot contain.
  const { createClient } = await import('@libsql/client');
  // Use one connection, because the setting is for one connection only. Other processes may write to the file now.
  const client = createClient({ url, concurrency: 1, timeout: BUSY_MS });
  await client.execute('PRAGMA synchronous = OFF');
  return client;
}
