import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SqliteClient } from 'single-execution/sqlite';
import { startHranaServer } from './hrana-server.js';
import type { Connected, SqlClient } from './sql-client.js';
import { overDatabase } from './sqlite-functions.js';

type Opened = Promise<Connected<SqliteClient>>;

/** The clients of SQLite that run in this process. `url` is a file. */
export const SQLITE_CLIENTS: readonly SqlClient<SqliteClient>[] = [
  { package: '@libsql/client', kind: 'file', connect: async (file) => libsql(await import('@libsql/client'), `file:${file}`) },
  { package: '@libsql/client', kind: 'HTTP', connect: async (file) => libsqlOverHttp(await import('@libsql/client'), file) },
  { package: '@libsql/client-0.14', kind: 'file', connect: async (file) => libsql(await import('@libsql/client-0.14'), `file:${file}`) },
  { package: '@libsql/client-0.14', kind: 'HTTP', connect: async (file) => libsqlOverHttp(await import('@libsql/client-0.14'), file) },
  { package: 'drizzle-orm', kind: 'db.$client, over @libsql/client', connect: ofDrizzle },
  { package: '@tursodatabase/serverless', kind: 'connect()', connect: tursoServerless },
  { package: '@tursodatabase/serverless', kind: 'compat', connect: tursoCompat },
  { package: '@tursodatabase/database', kind: 'connect()', connect: tursoDatabase },
];

interface Libsql {
  createClient(options: { readonly url: string }): LibsqlClient;
}

interface LibsqlClient {
  execute(statement: { sql: string; args: (string | number)[] } | string): Promise<{ rows: object[] }>;
  close(): void;
}

async function libsql({ createClient }: Libsql, url: string): Opened {
  const client = createClient({ url });
  if (url.startsWith('file:')) await client.execute('PRAGMA synchronous = OFF');
  return { client, close: async () => client.close() };
}

async function libsqlOverHttp(package_: Libsql, file: string): Opened {
  const server = await startHranaServer(file);
  const { client, close } = await libsql(package_, server.url);
  return {
    client,
    async close() {
      await close();
      await server.stop();
    },
  };
}

async function ofDrizzle(file: string): Opened {
  const { drizzle } = await import('drizzle-orm/libsql');
  const { $client } = drizzle(`file:${file}`);
  return { client: $client, close: async () => $client.close() };
}

async function tursoServerless(file: string): Opened {
  const { connect } = await import('@tursodatabase/serverless');
  const server = await startHranaServer(file);
  return { client: overDatabase(connect({ url: server.url })), close: () => server.stop() };
}

async function tursoCompat(file: string): Opened {
  const { createClient } = await import('@tursodatabase/serverless/compat');
  const server = await startHranaServer(file);
  return { client: createClient({ url: server.url }) as unknown as SqliteClient, close: () => server.stop() };
}

async function tursoDatabase(file: string): Opened {
  const { connect } = await import('@tursodatabase/database');
  const database = await connect(file);
  const client = overDatabase(database);
  return { client, close: () => database.close() };
}
