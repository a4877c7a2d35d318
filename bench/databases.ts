/**
 * Locks in databases: our store, a lease that people write by hand, and the database's own advisory lock, over the same
 * client.
 */
import { AzureNamedKeyCredential, TableClient } from '@azure/data-tables';
import { createClient } from '@libsql/client';
import { createPool, type PoolConnection, type ResultSetHeader, type RowDataPacket } from 'mysql2/promise';
import { Pool } from 'pg';
import { azureTableStore, createAzureTable } from 'single-execution/azure';
import { durableObjectStore, type LockNamespace } from 'single-execution/durable-objects';
import { createMysqlTable, mysqlStore } from 'single-execution/mysql';
import { createPostgresTable, postgresStore } from 'single-execution/postgres';
import { createSqliteTable, type SqliteExecutingClient, sqliteStore } from 'single-execution/sqlite';
import { LEASE_MS, type Locks } from './redis-locks.js';

/** Runs the task if the lock of this name is free. Resolves to whether it ran. */
export type Guard = (name: string, task: () => Promise<unknown>) => Promise<boolean>;

interface Database {
  readonly locks: Locks;
  /** The database's own advisory lock, which a session holds. */
  readonly advisory?: Guard;
  close(): Promise<void>;
}

/** Requests or statements sent. The BEGIN and COMMIT that libSQL adds around a statement are not counted. */
let statements = 0;

export const sent = (): number => statements;

const OPENED: readonly (readonly [RegExp, string, (at: string) => Promise<Database>])[] = [
  [/^postgres:/, 'Postgres over a Pool of pg', onPostgres],
  [/^mysql:/, 'MariaDB over a Pool of mysql2', onMysql],
  [/^file:/, 'SQLite over @libsql/client, a file', onSqlite],
  [/^http:.*@/, 'Azurite over @azure/data-tables', onAzure],
  [/^http:/, 'Durable Objects of workerd, asked over HTTP', onObjects],
];

function openedBy(at: string): (typeof OPENED)[number] {
  const found = OPENED.find(([address]) => address.test(at));
  if (!found) throw new Error(`no database has the address ${at}`);
  return found;
}

/** The database of an address, and its client. */
export const titleOf = (at: string): string => openedBy(at)[1];

/** Opens the database of an address, and makes its tables unless it has them. */
export const databaseAt = (at: string): Promise<Database> => openedBy(at)[2](at);

async function onPostgres(at: string): Promise<Database> {
  const pool = new Pool({ connectionString: at });
  const query = async (text: string, values: (string | number)[]) => {
    statements++;
    return (await pool.query(text, values)).rows;
  };
  await createPostgresTable(pool);
  await pool.query(
    'CREATE TABLE IF NOT EXISTS leases (name text PRIMARY KEY, holder text NOT NULL, until timestamptz NOT NULL)',
  );
  const take = `INSERT INTO leases VALUES ($1, $2, clock_timestamp() + interval '${LEASE_MS} ms')
    ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until = excluded.until
    WHERE leases.until <= clock_timestamp() RETURNING name`;
  const give = 'UPDATE leases SET until = clock_timestamp() WHERE name = $1 AND holder = $2 RETURNING name';
  const advisory: Guard = async (name, task) => {
    const session = await pool.connect();
    const isTrue = async (call: string) => {
      statements++;
      const { rows } = await session.query<{ is: boolean }>(`SELECT ${call}(hashtextextended($1, 0)) AS is`, [name]);
      return rows[0]?.is === true;
    };
    try {
      if (!(await isTrue('pg_try_advisory_lock'))) return false;
      await task();
      return await isTrue('pg_advisory_unlock');
    } finally {
      session.release();
    }
  };
  return {
    locks: {
      store: postgresStore({ client: query }),
      take: async (...asked) => (await query(take, asked)).length === 1,
      give: async (...asked) => (await query(give, asked)).length === 1,
    },
    advisory,
    close: () => pool.end(),
  };
}

async function onMysql(at: string): Promise<Database> {
  // The lease row by hand counts the rows that have changed.
  const pool = createPool({ uri: at, flags: ['-FOUND_ROWS'] });
  const ask = async (text: string, values: (string | number)[], by: Pick<PoolConnection, 'execute'> = pool) => {
    statements++;
    return (await by.execute<RowDataPacket[] | ResultSetHeader>(text, values))[0];
  };
  const changed = async (text: string, values: (string | number)[]) =>
    ((await ask(text, values)) as ResultSetHeader).affectedRows > 0;
  await createMysqlTable(pool);
  await pool.query(
    'CREATE TABLE IF NOT EXISTS leases (name VARBINARY(255) PRIMARY KEY, holder VARCHAR(255) NOT NULL, until DATETIME(6) NOT NULL)',
  );
  const take = `INSERT INTO leases VALUES (?, ?, NOW(6) + INTERVAL ${LEASE_MS * 1_000} MICROSECOND)
    ON DUPLICATE KEY UPDATE holder = IF(until <= NOW(6), VALUES(holder), holder),
    until = IF(holder = VALUES(holder), VALUES(until), until)`;
  const give = 'UPDATE leases SET until = NOW(6) WHERE name = ? AND holder = ?';
  const advisory: Guard = async (name, task) => {
    const session = await pool.getConnection();
    const isTrue = async (call: string) => {
      const [row] = (await ask(`SELECT ${call} AS isTrue`, [name], session)) as RowDataPacket[];
      return row?.['isTrue'] === 1;
    };
    try {
      if (!(await isTrue('GET_LOCK(?, 0)'))) return false;
      await task();
      return await isTrue('RELEASE_LOCK(?)');
    } finally {
      session.release();
    }
  };
  return {
    locks: {
      store: mysqlStore({ client: ask }),
      take: (...asked) => changed(take, asked),
      give: (...asked) => changed(give, asked),
    },
    advisory,
    close: () => pool.end(),
  };
}

async function onSqlite(at: string): Promise<Database> {
  const client = createClient({ url: at });
  const query = async (sql: string, args: (string | number)[]) => {
    statements++;
    return (await client.execute({ sql, args })).rows;
  };
  const counted: SqliteExecutingClient = {
    protocol: client.protocol,
    execute: (...asked) => client.execute(...asked),
    batch(...asked) {
      statements++;
      return client.batch(...asked);
    },
  };
  await createSqliteTable(client);
  await client.execute(
    'CREATE TABLE IF NOT EXISTS leases (name TEXT PRIMARY KEY, holder TEXT NOT NULL, until REAL NOT NULL)',
  );
  const take = `INSERT INTO leases VALUES (?, ?, unixepoch('subsec') + ${LEASE_MS / 1_000})
    ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until = excluded.until
    WHERE leases.until <= unixepoch('subsec') RETURNING name`;
  const give = "UPDATE leases SET until = unixepoch('subsec') WHERE name = ? AND holder = ? RETURNING name";
  return {
    locks: {
      store: sqliteStore({ client: counted }),
      take: async (...asked) => (await query(take, asked)).length === 1,
      give: async (...asked) => (await query(give, asked)).length === 1,
    },
    close: async () => client.close(),
  };
}

/** A lease by hand is an entity that is there while the lock is held. */
async function onAzure(at: string): Promise<Database> {
  const { origin, pathname, username, password } = new URL(at);
  const credential = new AzureNamedKeyCredential(username, decodeURIComponent(password));
  const counted = (table: string) => {
    const once = { allowInsecureConnection: true, retryOptions: { maxRetries: 0 } };
    const client = new TableClient(origin + pathname, table, credential, once);
    client.pipeline.addPolicy({
      name: 'counting',
      sendRequest(request, next) {
        statements++;
        return next(request);
      },
    });
    return client;
  };
  const [client, leases] = [counted('locks'), counted('leases')];
  await createAzureTable(client);
  await createAzureTable(leases);
  const done = (answer: Promise<unknown>) =>
    answer.then(
      () => true,
      () => false,
    );
  return {
    locks: {
      store: azureTableStore({ client }),
      take: (name, holder) =>
        done(
          leases.createEntity({ partitionKey: name, rowKey: 'lease', holder, until: String(Date.now() + LEASE_MS) }),
        ),
      give: (name) => done(leases.deleteEntity(name, 'lease')),
    },
    close: async () => undefined,
  };
}

/** A lease by hand is a class of objects of its own: see leases.worker.ts. */
async function onObjects(at: string): Promise<Database> {
  const send = (binding: string, name: string, body: string) => {
    statements++;
    return fetch(`${at}/?binding=${binding}&name=${encodeURIComponent(name)}`, { method: 'POST', body });
  };
  const ask = async (name: string, order: object) =>
    (await send('LEASES', name, JSON.stringify(order))).json() as Promise<boolean>;
  const namespace: LockNamespace = {
    idFromName: (name) => ({ name }),
    get: (id) => ({ fetch: (_, { body }) => send('LOCKS', (id as { readonly name: string }).name, body) }),
  };
  return {
    locks: {
      store: durableObjectStore(namespace),
      take: (name, holder) => ask(name, { take: holder, leaseMs: LEASE_MS }),
      give: (name, holder) => ask(name, { give: holder }),
    },
    close: async () => undefined,
  };
}
