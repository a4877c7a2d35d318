import { fileURLToPath } from 'node:url';
import { createClient } from '@libsql/client';
import { type SqliteClient, sqliteStore } from 'single-execution/sqlite';
import { startHranaServer } from '../../clients/hrana-server.js';
import { nativePackages } from '../../clients/on-demand.js';
import { sqlite } from '../../support/backends/sqlite.js';
import { freshPlace } from '../../support/backends.js';
import { type FileWire, fileWire } from '../wire/file-wire.js';
import { httpWire } from '../wire/http-wire.js';
import { readStatement, type Statement, verbsOf } from '../wire/sql-request.js';
import type { Connection, Route } from './route.js';

function connectionOf(client: SqliteClient, table: string, close: () => unknown): Connection {
  return {
    open(keyPrefix) {
      const store = sqliteStore({ client, table, keyPrefix });
      return { store, admin: store };
    },
    close,
  };
}

interface HranaBody {
  readonly requests?: readonly {
    readonly stmt?: { readonly sql: string; readonly args?: readonly { value?: unknown }[] };
  }[];
}

function statementIn({ requests = [] }: HranaBody): Statement | undefined {
  const stmt = requests.find((request) => request.stmt)?.stmt;
  return stmt && { text: stmt.sql, values: (stmt.args ?? []).map(({ value }) => value) };
}

/** libSQL's client over HTTP. The server is ours, in front of a real file. */
export async function libsqlRoute(): Promise<Route> {
  const engine = await sqlite.start();
  const { url: file, place: table } = await freshPlace(engine);
  const server = await startHranaServer(fileURLToPath(file));
  return {
    wire: (during) =>
      httpWire(server.url, ({ body }) => {
        const statement = statementIn(body as HranaBody);
        return statement && readStatement(statement, during());
      }),
    async connect(wire) {
      const client = createClient({ url: wire?.url ?? server.url });
      return connectionOf(client, table, () => client.close());
    },
    verbsOf,
    async stop() {
      await server.stop();
      await engine.stop();
    },
  };
}

interface Database {
  pragma(text: string): unknown;
  exec(text: string): unknown;
  prepare(text: string): { all(...values: unknown[]): object[] };
  close(): void;
}

/** better-sqlite3 on a file that others use. It does not wait for them itself: a wait would block this process. */
export async function fileRoute(): Promise<Route> {
  const engine = await sqlite.start();
  const { url, place: table } = await freshPlace(engine);
  const file = fileURLToPath(url);
  const Better = (await nativePackages('better-sqlite3'))('better-sqlite3') as new (
    file: string,
    options: object,
  ) => Database;
  const open = () => {
    const database = new Better(file, { timeout: 0 });
    database.pragma('synchronous = OFF');
    return database;
  };
  const other = open();
  const whileBusy = <T>(run: () => T) => {
    other.exec('BEGIN EXCLUSIVE');
    try {
      return run();
    } finally {
      other.exec('ROLLBACK');
    }
  };
  return {
    wire: async (during) => fileWire(file, whileBusy, during),
    async connect(wire) {
      const database = open();
      const client: SqliteClient = (text, values) => {
        const run = () => database.prepare(text).all(...values);
        return wire === undefined ? run() : (wire as FileWire).run({ text, values }, run);
      };
      return connectionOf(client, table, () => database.close());
    },
    verbsOf,
    async stop() {
      other.close();
      await engine.stop();
    },
  };
}
