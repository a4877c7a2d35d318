import { type SqliteClient, sqliteTable } from 'single-execution/sqlite';
import { startHranaServer } from './hrana-server.js';
import { nativePackages } from './on-demand.js';
import type { Connected, SqlClient } from './sql-client.js';
import { overDatabase, overKnex, overKysely, overSqlite3 } from './sqlite-functions.js';

type Opened = Promise<Connected<SqliteClient>>;

/**
 * Every client of SQLite that the page of the store names and that is a package, in its newest and its oldest version.
 * Those that belong to a runtime are played by programs of their own in test/stores/sqlite.
 */
export const SQLITE_CLIENTS: readonly SqlClient<SqliteClient>[] = [
  { package: '@libsql/client', kind: 'file', connect: async (file) => ofFile(await import('@libsql/client'), file) },
  { package: '@libsql/client', kind: 'HTTP', connect: async (file) => overHttp(await import('@libsql/client'), file) },
  {
    package: '@libsql/client-0.14',
    kind: 'file',
    connect: async (file) => ofFile(await import('@libsql/client-0.14'), file),
  },
  {
    package: '@libsql/client-0.14',
    kind: 'HTTP',
    connect: async (file) => overHttp(await import('@libsql/client-0.14'), file),
  },
  { package: 'drizzle-orm', kind: 'db.$client, over @libsql/client', connect: ofDrizzle },
  { package: '@tursodatabase/serverless', kind: 'connect()', connect: ofTursoOverHttp },
  { package: '@tursodatabase/database', kind: 'connect()', connect: ofTurso },
  { package: 'better-sqlite3', kind: 'Database', connect: ofBetterSqlite3 },
  { package: 'kysely', kind: 'Kysely, over better-sqlite3', connect: ofKysely },
  { package: 'knex', kind: 'knex(), over better-sqlite3', connect: ofKnex },
  { package: 'sqlite3', kind: 'Database', connect: ofSqlite3 },
  { package: 'sqlite', kind: 'open(), over sqlite3', connect: ofSqlite },
  { package: 'bun', kind: 'bun:sqlite', runtime: 'Bun', connect: ofBun },
];

const QUICKLY = 'PRAGMA synchronous = OFF';

interface Libsql {
  createClient(options: { readonly url: string; readonly concurrency?: number }): LibsqlClient;
}

interface LibsqlClient {
  execute(statement: { sql: string; args: (string | number)[] } | string): Promise<{ rows: object[] }>;
  close(): void;
}

const opened = (client: LibsqlClient, close = async () => client.close()): Connected<SqliteClient> => ({
  client,
  rows: async (sql, args) => (await client.execute({ sql, args })).rows,
  close,
});

async function ofFile({ createClient }: Libsql, file: string): Opened {
  // Do not wait for the disk. This setting is for one connection, so use only one.
  const client = createClient({ url: `file:${file}`, concurrency: 1 });
  await client.execute(QUICKLY);
  return opened(client);
}

async function overHttp({ createClient }: Libsql, file: string): Opened {
  const server = await startHranaServer(file);
  const client = createClient({ url: server.url });
  return opened(client, () => {
    client.close();
    return server.stop();
  });
}

async function ofDrizzle(file: string): Opened {
  const { drizzle } = await import('drizzle-orm/libsql');
  const { $client } = drizzle({ connection: { url: `file:${file}`, concurrency: 1 } });
  await $client.execute(QUICKLY);
  return opened($client);
}

async function ofTursoOverHttp(file: string): Opened {
  const { connect } = await import('@tursodatabase/serverless');
  const server = await startHranaServer(file);
  return { client: overDatabase(connect({ url: server.url })), close: () => server.stop() };
}

interface BetterSqlite3 {
  pragma(text: string): unknown;
  prepare(text: string): Prepared;
  close(): void;
}

async function ofTurso(file: string): Opened {
  const { connect } = await import('@tursodatabase/database');
  const database = await connect(file);
  // This database has no tables without rowids. The page says how to make the table.
  await database.exec(sqliteTable().replace(' WITHOUT ROWID', ''));
  return { client: overDatabase(database), close: () => database.close() };
}

interface Prepared {
  readonly reader?: boolean;
  all(...values: unknown[]): object[];
  run(...values: unknown[]): unknown;
}

/** better-sqlite3 refuses `all` for a statement that returns no rows. */
const rowsOf = (statement: Prepared, values: unknown[]): object[] => {
  if (statement.reader !== false) return statement.all(...values);
  statement.run(...values);
  return [];
};

async function betterSqlite3(file: string) {
  const load = await nativePackages('better-sqlite3');
  const Database = load('better-sqlite3') as new (file: string) => BetterSqlite3;
  const database = new Database(file);
  database.pragma('synchronous = OFF');
  return database;
}

async function ofBetterSqlite3(file: string): Opened {
  const database = await betterSqlite3(file);
  return {
    client: database,
    rows: (text, values) => rowsOf(database.prepare(text), values),
    close: async () => database.close(),
  };
}

async function ofKysely(file: string): Opened {
  const { Kysely, SqliteDialect, CamelCasePlugin, ParseJSONResultsPlugin } = await import('kysely');
  const database = await betterSqlite3(file);
  const db = new Kysely<{ jobs: { id: number } }>({
    dialect: new SqliteDialect({ database: database as never }),
    plugins: [new CamelCasePlugin(), new ParseJSONResultsPlugin()],
  });
  return { client: overKysely(db), close: () => db.destroy() };
}

async function ofKnex(file: string): Opened {
  const load = await nativePackages('better-sqlite3');
  const { knex } = load('knex') as typeof import('knex');
  const db = knex({ client: 'better-sqlite3', connection: { filename: file }, useNullAsDefault: true });
  await db.raw(QUICKLY);
  return { client: overKnex(db), close: () => db.destroy() };
}

interface Sqlite3 {
  all<T>(text: string, values: unknown[], done: (error: Error | null, rows: T[]) => void): unknown;
  exec(text: string): unknown;
  close(done: () => void): void;
}

async function ofSqlite3(file: string): Opened {
  const load = await nativePackages('sqlite3');
  const { Database } = load('sqlite3') as { readonly Database: new (file: string) => Sqlite3 };
  const database = new Database(file);
  const client = overSqlite3(database);
  database.exec(QUICKLY);
  return { client, close: () => new Promise<void>((resolve) => database.close(resolve)) };
}

async function ofSqlite(file: string): Opened {
  const load = await nativePackages('sqlite3');
  const { open } = await import('sqlite');
  const { Database } = load('sqlite3') as { readonly Database: new (file: string) => Sqlite3 };
  const database = await open({ filename: file, driver: Database as never });
  await database.exec(QUICKLY);
  return { client: overDatabase(database), close: () => database.close() };
}

async function ofBun(file: string): Opened {
  // Only Bun has this module.
  const name: string = 'bun:sqlite';
  const { Database } = (await import(name)) as { readonly Database: new (file: string) => BetterSqlite3 & BunDatabase };
  const database = new Database(file);
  database.run(QUICKLY);
  return {
    client: database,
    rows: (text, values) => rowsOf(database.prepare(text), values),
    close: async () => database.close(),
  };
}

interface BunDatabase {
  run(text: string): unknown;
}
