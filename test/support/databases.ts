import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@libsql/client';
import { Pool } from 'pg';
import type { LockAdminStore, LockStore, MemberStore } from 'single-execution';
import { createPostgresTable, postgresStore } from 'single-execution/postgres';
import { createSqliteTable, sqliteStore } from 'single-execution/sqlite';
import { startPostgresServer } from './postgres-server.js';

/** A real database, at first without a table. */
export interface RealDatabase {
  /** The variable by which examples find it. */
  readonly env: Readonly<Record<string, string>>;
  /** The options of the command-line tool that name it. */
  readonly args: readonly string[];
  /** Over a client of its own, in the table of the default name. */
  readonly store: LockStore & MemberStore & LockAdminStore;
  createTable(): Promise<void>;
  stop(): Promise<void>;
}

/** The databases that have a store of their own, by its door. What must be so on each of them is tested over this list. */
export const DATABASES: Readonly<Record<string, () => Promise<RealDatabase>>> = {
  postgres: startPostgres,
  sqlite: startSqlite,
};

/** Starts each of them. @returns them by their names */
export async function startDatabases(): Promise<ReadonlyMap<string, RealDatabase>> {
  const started = Object.entries(DATABASES).map(async ([name, start]) => [name, await start()] as const);
  return new Map(await Promise.all(started));
}

async function startPostgres(): Promise<RealDatabase> {
  const server = await startPostgresServer();
  const client = new Pool({ connectionString: server.url });
  return {
    env: { DATABASE_URL: server.url },
    args: ['--postgres-url', server.url],
    store: postgresStore({ client }),
    createTable: () => createPostgresTable(client),
    async stop() {
      await client.end();
      await server.stop();
    },
  };
}

async function startSqlite(): Promise<RealDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'sqlite-'));
  const file = join(folder, 'locks.db');
  // The disk need not keep what a test has written, and each connection would have to be told.
  const client = createClient({ url: `file:${file}`, concurrency: 1 });
  await client.execute('PRAGMA synchronous = OFF');
  return {
    env: { TURSO_DATABASE_URL: `file:${file}` },
    args: ['--sqlite', file],
    store: sqliteStore({ client }),
    createTable: () => createSqliteTable(client),
    async stop() {
      client.close();
      await rm(folder, { recursive: true });
    },
  };
}
