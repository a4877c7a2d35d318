import type { PostgresClient } from 'single-execution/postgres';
import { startNeonProxy } from './neon-proxy.js';
import type { Connected, SqlClient } from './sql-client.js';

type Opened = Promise<Connected<PostgresClient>>;

/** The clients that `postgresStore` takes as they are. */
export const DRIVERS: readonly SqlClient<PostgresClient>[] = [
  { package: 'pg', kind: 'Pool', connect: async (url) => openedPool(await import('pg'), url) },
  { package: 'pg', kind: 'Client', connect: async (url) => openedClient(await import('pg'), url) },
  {
    package: 'pg',
    kind: 'Pool, pipeline: true',
    connect: async (url) => openedPool(await import('pg'), url, { pipeline: true }),
  },
  { package: 'pg', kind: 'PoolClient', connect: pooledClient },
  { package: 'pg-8.0', kind: 'Pool', connect: async (url) => openedPool(await import('pg-8.0'), url) },
  { package: 'pg-8.0', kind: 'Client', connect: async (url) => openedClient(await import('pg-8.0'), url) },
  {
    package: 'postgres',
    kind: 'postgres()',
    connect: async (url) => postgresJs((await import('postgres')).default, url),
  },
  { package: 'postgres', kind: 'sql.reserve()', connect: reserved },
  {
    package: 'postgres-3.4.8',
    kind: 'postgres()',
    connect: async (url) => postgresJs((await import('postgres-3.4.8')).default, url),
  },
  ...ofNeon('@neondatabase/serverless', () => import('@neondatabase/serverless')),
  ...ofNeon('@neondatabase/serverless-1.0', () => import('@neondatabase/serverless-1.0')),
  ...ofNeon('@neondatabase/serverless-0.10', async () => {
    const { neon, ...others } = await import('@neondatabase/serverless-0.10');
    // Before 1.0, the type of `neon()` fits only if it is called by a function.
    return {
      ...others,
      neon(url: string): PostgresClient {
        const sql = neon(url);
        return (text, values) => sql(text, values);
      },
    };
  }),
  {
    package: '@electric-sql/pglite',
    kind: 'PGlite',
    connect: async () => openedPGlite(await import('@electric-sql/pglite')),
  },
  {
    package: '@electric-sql/pglite-0.2',
    kind: 'PGlite',
    connect: async () => openedPGlite(await import('@electric-sql/pglite-0.2')),
  },
  ...(['createPool()', 'createClient()', 'sql'] as const).map(
    (kind): SqlClient<PostgresClient> => ({
      package: '@vercel/postgres',
      kind,
      connect: (url) => ofVercel(kind, url),
    }),
  ),
  { package: 'pg-promise', kind: 'pgp()', connect: ofPgPromise },
  { package: 'bun', kind: 'SQL', runtime: 'Bun', connect: ofBun },
];

async function openedPool({ default: { Pool } }: typeof import('pg'), url: string, more: object = {}): Opened {
  const client = new Pool({ connectionString: url, ...more });
  return { client, close: () => client.end() };
}

async function openedClient({ default: { Client } }: typeof import('pg'), url: string): Opened {
  const client = new Client({ connectionString: url });
  await client.connect();
  return { client, close: () => client.end() };
}

async function pooledClient(url: string): Opened {
  const { Pool } = (await import('pg')).default;
  const pool = new Pool({ connectionString: url });
  const client = await pool.connect();
  return {
    client,
    close() {
      client.release();
      return pool.end();
    },
  };
}

interface PostgresJs {
  unsafe(text: string, values: (string | number)[]): PromiseLike<readonly object[]>;
  end(): Promise<void>;
}

async function postgresJs(postgres: (url: string, options: object) => PostgresJs, url: string): Opened {
  const client = postgres(url, { onnotice: () => undefined });
  return { client, close: () => client.end() };
}

async function reserved(url: string): Opened {
  const { default: postgres } = await import('postgres');
  const sql = postgres(url, { onnotice: () => undefined });
  const client = await sql.reserve();
  return {
    client,
    close() {
      client.release();
      return sql.end();
    },
  };
}

function ofNeon(name: string, load: () => Promise<Neon>): SqlClient<PostgresClient>[] {
  return [
    { package: name, kind: 'neon()', connect: async (url) => overHttp(await load(), url) },
    { package: name, kind: 'Pool', connect: async (url) => overWebSockets(await load(), url, 'Pool') },
    { package: name, kind: 'Client', connect: async (url) => overWebSockets(await load(), url, 'Client') },
  ];
}

interface Neon {
  readonly neonConfig: object;
  neon(url: string): PostgresClient;
  readonly Pool: new (options: { connectionString: string }) => NeonConnection;
  readonly Client: new (options: { connectionString: string }) => NeonConnection;
}

interface NeonConnection {
  query(text: string, values: unknown[]): Promise<{ rows: object[] }>;
  connect(): Promise<unknown>;
  end(): Promise<void>;
}

async function overHttp({ neon, neonConfig }: Neon, url: string): Opened {
  const proxy = await startNeonProxy(url);
  Object.assign(neonConfig, { fetchEndpoint: proxy.endpoint });
  return { client: neon(url), close: () => proxy.stop() };
}

async function overWebSockets(neon: Neon, url: string, kind: 'Pool' | 'Client'): Opened {
  const proxy = await startNeonProxy(url);
  const { WebSocket } = await import('ws');
  Object.assign(neon.neonConfig, { ...proxy.settings, webSocketConstructor: WebSocket });
  const client = new neon[kind]({ connectionString: url });
  if (kind === 'Client') await client.connect();
  return {
    client,
    async close() {
      await client.end();
      await proxy.stop();
    },
  };
}

/** Vercel's client has an older client of Neon inside, whose settings belong to the class of its sockets. */
async function ofVercel(kind: 'createPool()' | 'createClient()' | 'sql', url: string): Opened {
  const vercel = await import('@vercel/postgres');
  const proxy = await startNeonProxy(url);
  // Vercel checks the host of the address. The proxy connects to its own server, whatever the address is.
  const connectionString = url.replace('postgres:', 'postgresql:').replace('127.0.0.1', 'localhost');
  const client = vercel.createClient({ connectionString });
  Object.assign(client.neonConfig.constructor, proxy.settings);
  process.env['POSTGRES_URL'] = connectionString;
  if (kind === 'createClient()') await client.connect();
  const pool = kind === 'createPool()' ? vercel.createPool({ connectionString }) : vercel.db;
  return {
    client: { 'createClient()': client, 'createPool()': pool, sql: vercel.sql }[kind],
    async close() {
      await (kind === 'createClient()' ? client : pool).end();
      await proxy.stop();
    },
  };
}

async function openedPGlite({ PGlite }: { readonly PGlite: new () => PGliteClient }): Opened {
  const client = new PGlite();
  return { client, rows: async (...asked) => (await client.query(...asked)).rows, close: () => client.close() };
}

interface PGliteClient {
  query(text: string, values: unknown[]): Promise<{ rows: object[] }>;
  close(): Promise<void>;
}

async function ofPgPromise(url: string): Opened {
  const { default: pgPromise } = await import('pg-promise');
  const client = pgPromise()(url);
  return { client: client as PostgresClient, close: () => client.$pool.end() };
}

async function ofBun(url: string): Opened {
  // Only Bun has this module.
  const name: string = 'bun';
  const { SQL } = (await import(name)) as { readonly SQL: new (url: string) => BunSQL };
  const client = new SQL(url);
  return { client, close: () => client.close() };
}

interface BunSQL {
  unsafe(text: string, values: unknown[]): Promise<object[]>;
  close(): Promise<void>;
}
