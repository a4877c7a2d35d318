/**
 * The work of `sql.ts`, in a process of its own. Its arguments are the address of a Postgres, of a MySQL, of a file of
 * SQLite or of Azurite, and the number of rounds to measure.
 */
import { createClient } from '@libsql/client';
import { createPool, type PoolConnection, type ResultSetHeader, type RowDataPacket } from 'mysql2/promise';
import { Pool } from 'pg';
import { executeWithLock } from 'single-execution';
import { azureTableStore, createAzureTable } from 'single-execution/azure';
import { createMysqlTable, mysqlStore } from 'single-execution/mysql';
import { createPostgresTable, postgresStore } from 'single-execution/postgres';
import { createSqliteTable, type SqliteExecutingClient, sqliteStore } from 'single-execution/sqlite';
import { newAttemptId } from '../src/core/values/names.js';
import { azureClient } from '../test/support/backends/azure.js';
import { gate } from '../test/support/gate.js';
import { LEASE_MS, type Locks, worksOf } from './redis-locks.js';
import { compare, type Work } from './side-by-side.js';

const MANY = [64, 1_000];
/**
 * A pause before each call: triggers come seldom, so no call meets a server that is still busy with the call before.
 */
const PAUSE_MS = 2;

/** Runs the task if the lock of this name is free. Resolves to whether it ran. */
type Guard = (name: string, task: () => Promise<unknown>) => Promise<boolean>;

interface Engine {
  /** Our store, and a lock by hand that is a lease row. */
  readonly locks: Locks;
  /** The database's own advisory lock, which a session holds. */
  readonly advisory?: Guard;
  close(): Promise<void>;
}

/** Statements sent. The BEGIN and COMMIT that libSQL adds around a statement are not counted. */
let statements = 0;

const [at = '', rounds] = process.argv.slice(2);
const { locks, advisory, close } = await engineAt();
try {
  await compareAll();
  await contendAll();
} finally {
  await close();
}

function engineAt(): Promise<Engine> {
  if (at.startsWith('postgres:')) return onPostgres();
  if (at.startsWith('http:')) return onAzure();
  return at.startsWith('mysql:') ? onMysql() : onSqlite();
}

async function compareAll(): Promise<void> {
  const works = await worksOf(locks);
  const kinds: Record<'run' | 'skip', Record<'ours', Work> & Record<string, Work>> = {
    run: { 'lease row': works.run.bare, ours: works.run.ours },
    skip: { 'lease row': works.skip.bare, ours: works.skip.ours },
  };
  const turns = { rounds: Number(rounds), pauseMs: PAUSE_MS };
  const held = gate();
  if (advisory) {
    const guard = advisory;
    const taken = gate();
    void guard('held', () => {
      taken.open();
      return held.opened;
    });
    await taken.opened;
    kinds.run['advisory lock'] = () => expected(guard, 'free', true);
    kinds.skip['advisory lock'] = () => expected(guard, 'held', false);
  }
  for (const [title, works] of Object.entries(kinds)) {
    const sent: string[] = [];
    for (const [name, work] of Object.entries(works)) sent.push(`${name} ${await statementsOf(work)}`);
    await compare(`a ${title}; statements: ${sent.join(', ')}`, turns, works);
  }
  held.open();
}

async function expected(guard: Guard, name: string, hasRun: boolean): Promise<void> {
  if ((await guard(name, async () => undefined)) !== hasRun) throw new Error(`the run of "${name}" was not ${hasRun}`);
}

async function statementsOf(work: Work): Promise<number> {
  const before = statements;
  await work();
  return statements - before;
}

/** Makes many calls at once for one lock. The call that gets the lock holds it until all others have an answer. */
async function contendAll(): Promise<void> {
  const { store, take, give } = locks;
  const guards: Record<string, Guard> = {
    'lease row': async (name, task) => {
      const id = newAttemptId();
      if (!(await take(name, id))) return false;
      await task();
      return give(name, id);
    },
    ...(advisory && { 'advisory lock': advisory }),
    ours: async (name, task) => {
      const tick = Date.UTC(2026, 0, 1);
      const { status } = await executeWithLock(task, { name, store, lockAtMostFor: '1m', tick, observers: [] });
      return status === 'executed';
    },
  };
  for (const calls of MANY) {
    const rows: Record<string, object> = {};
    for (const [kind, guard] of Object.entries(guards)) {
      // In the first round the client may still be making its connections.
      await contend(calls, `${kind} ${calls} before`, guard);
      rows[kind] = await contend(calls, `${kind} ${calls}`, guard);
    }
    process.stdout.write(`${calls} calls at once for one lock\n`);
    console.table(rows);
  }
}

async function contend(calls: number, name: string, guard: Guard) {
  const before = statements;
  const startMono = performance.now();
  const othersAnswered = gate();
  let left = calls;
  const leave = () => {
    if (--left === 0) othersAnswered.open();
  };
  let ran = 0;
  const ask = async () => {
    let isRunning = false;
    const task = () => {
      ran++;
      isRunning = true;
      leave();
      return othersAnswered.opened;
    };
    try {
      return await guard(name, task);
    } finally {
      if (!isRunning) leave();
    }
  };
  const results = await Promise.allSettled(Array.from({ length: calls }, ask));
  return {
    ran,
    failed: results.filter(({ status }) => status === 'rejected').length,
    'statements a call': ((statements - before) / calls).toFixed(2),
    seconds: ((performance.now() - startMono) / 1_000).toFixed(2),
  };
}

async function onPostgres(): Promise<Engine> {
  process.stdout.write('Postgres over a Pool of pg\n');
  const pool = new Pool({ connectionString: at });
  const query = async (text: string, values: (string | number)[]) => {
    statements++;
    return (await pool.query(text, values)).rows;
  };
  await createPostgresTable(pool);
  await pool.query('CREATE TABLE leases (name text PRIMARY KEY, holder text NOT NULL, until timestamptz NOT NULL)');
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

async function onMysql(): Promise<Engine> {
  process.stdout.write('MariaDB over a Pool of mysql2\n');
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
    'CREATE TABLE leases (name VARBINARY(255) PRIMARY KEY, holder VARCHAR(255) NOT NULL, until DATETIME(6) NOT NULL)',
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

async function onSqlite(): Promise<Engine> {
  process.stdout.write('SQLite over @libsql/client, a file\n');
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
  await client.execute('CREATE TABLE leases (name TEXT PRIMARY KEY, holder TEXT NOT NULL, until REAL NOT NULL)');
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
async function onAzure(): Promise<Engine> {
  process.stdout.write('Azurite over @azure/data-tables\n');
  const counted = (table: string) => {
    const client = azureClient(at, table);
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
