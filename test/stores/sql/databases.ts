import mysql from 'mysql2/promise';
import { Client } from 'pg';
import type { LockAdminStore, LockStore } from 'single-execution';
import { type MysqlClient, mysqlStore } from 'single-execution/mysql';
import { type PostgresClient, postgresStore } from 'single-execution/postgres';
import { onTestFinished } from 'vitest';
import { ownEngine } from '../../support/backends/stage.js';

/** A client that is a function. What it resolves to is read by the store alone. */
export type Query = (text: string, values: (string | number)[]) => Promise<object[]>;

/** A database with a server, for what its store and other transactions do to each other. */
export interface Database {
  readonly url: string;
  readonly query: Query;
  /** @param client what the store of this database takes */
  store(client: Query | PostgresClient | MysqlClient): LockStore & LockAdminStore;
  /** Opens a connection, which is closed at the end of the test. @returns what runs a statement on it */
  connected(): Promise<(text: string) => Promise<unknown>>;
  /** Resolves when the server has applied or refused whatever waited. */
  settled(): Promise<void>;
}

/** Starts a database with the table of the locks, for one test file. */
export const DATABASES = {
  async Postgres(): Promise<Database> {
    const { server, pool } = await ownEngine('postgres');
    return {
      url: server.url,
      query: async (text, values) => (await pool.query(text, values)).rows,
      store: (client) => postgresStore({ client: client as PostgresClient }),
      async connected() {
        const client = new Client({ connectionString: server.url });
        await client.connect();
        onTestFinished(() => client.end());
        return (text) => client.query(text);
      },
      // No statement waits for longer than its call.
      settled: async () => undefined,
    };
  },
  async MySQL(): Promise<Database> {
    const { server, pool } = await ownEngine('mysql');
    const waiting = `SELECT 1 FROM information_schema.processlist
      WHERE info LIKE '%single_execution_locks%' AND id <> CONNECTION_ID()`;
    return {
      url: server.url,
      query: async (text, values) => (await pool.execute(text, values))[0] as object[],
      store: (client) => mysqlStore({ client: client as MysqlClient }),
      async connected() {
        const connection = await mysql.createConnection(server.url);
        onTestFinished(() => connection.end());
        return (text) => connection.query(text);
      },
      async settled() {
        while (((await pool.query(waiting))[0] as object[]).length > 0);
      },
    };
  },
} as const;
