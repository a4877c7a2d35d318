import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@libsql/client';
import { Pool } from 'pg';
import type { LockAdminStore, LockStore, MemberStore } from 'single-execution';
import { createPostgresTable, postgresStore } from 'single-execution/postgres';
import { createSqliteTable, sqliteStore } from 'single-execution/sqlite';
import { startPostgresServer } from './postgres-server.js';

/** A real database, without a table at first. */
export interface RealDatabase {
  /** The environment variable with which examples find the database. */
  readonly env: Readonly<Record<string, string>>;
  /** The options of the command-line tool that name it. */
  readonly args: readonly string[];
  /** A store on a client of its own, in the table with the default name. */
  readonly store: LockStore & MemberStore & LockAdminStore;
  createTable(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * The databases that have a store and a door of their own, by the name of the door. Tests of what holds for each of
 * them run over this list.
 */
export const DATABASES: Readonly<Record<string, () => Promise<RealDatabase>>> = {
  postgres: startPostgres,
  sqlite: startSqlite,
};

/** Starts all databases. @returns them by name */
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
  // The disk need not keep the data of a test. Use one connection, because the setting is for one connection only.
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
