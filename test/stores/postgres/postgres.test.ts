import { Client, Pool } from 'pg';
import postgres from 'postgres';
import {
  createPostgresTable,
  type PostgresStoreOptions,
  postgresStore,
  postgresTable,
} from 'single-execution/postgres';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ownEngine } from '../../support/backends/stage.js';
import { callOfTries } from '../../support/contract-harness.js';
import { call, claim, done, grant } from '../../support/one-run.js';
import { failureOf, says } from '../../support/settled.js';

const { server, pool } = await ownEngine('postgres');

type Query = (text: string, values: (string | number)[]) => Promise<readonly object[]>;
const query: Query = async (text, values) => (await pool.query(text, values)).rows;
const isWrite = (text: string) => !text.startsWith('SELECT');

/** A store whose client runs statements with the given function. */
const over = (client: Query) => postgresStore({ client });

let names = 0;
const newName = () => `lock ${names++}`;

test('row 131: it works if SERIALIZABLE is the default of the server', async () => {
  const client = new Pool({ connectionString: server.url, options: '-c default_transaction_isolation=serializable' });
  onTestFinished(() => client.end());
  const store = postgresStore({ client });
  const name = newName();
  const asked = Array.from({ length: 10 }, () => store.acquire(claim({ name }), call()));

  expect((await Promise.all(asked)).filter(({ status }) => status === 'acquired')).toHaveLength(1);
});

describe('F16 an error that somebody must fix fails at once, and names its remedy', () => {
  const refusal = (options: PostgresStoreOptions) => failureOf(postgresStore(options).acquire(claim(), call()));

  test('a table that is missing', async () => {
    const why =
      'table "jobs"."locks" does not exist: make it with createPostgresTable(client) or single-execution table create, or correct its name or the search_path (42P01)';

    expect(await refusal({ client: pool, table: 'jobs.locks' })).toMatchObject(
      says('TABLE_NOT_FOUND', `failed: ${why}`, { retryable: false }),
    );
  });

  test.each<[string, (url: string) => PostgresStoreOptions['client'] & { end(): Promise<void> }]>([
    ['pg', (connectionString) => new Pool({ connectionString })],
    ['postgres.js', (url) => postgres(url)],
  ])('a wrong password, by %s', async (_, connect) => {
    const client = connect(String(Object.assign(new URL(server.url), { password: 'wrong' })));
    onTestFinished(() => client.end());
    const why = 'Postgres refused the login: check the user and the password (28P01)';

    expect(await refusal({ client })).toMatchObject(says('ACCESS_DENIED', `failed: ${why}`, { retryable: false }));
  });

  test('a server that is read-only may be one no longer, so it is tried again first', async () => {
    const client = new Pool({ connectionString: server.url, options: '-c default_transaction_read_only=on' });
    onTestFinished(() => client.end());
    const error = await client.query("UPDATE single_execution_locks SET version = 1 WHERE name = 'none'").catch(String);
    expect(error).toContain('read-only');
    let asked = 0;
    const store = over(async (text, values) => {
      if (!isWrite(text)) return query(text, values);
      if (asked++ > 0) throw Object.assign(new Error('in another word'), { code: '25006' });
      return (await client.query(text, values)).rows;
    });

    expect(await failureOf(store.acquire(claim({ name: newName() }), callOfTries(2)))).toMatchObject({
      code: 'UNAVAILABLE',
      retryable: true,
    });
    expect(asked).toBeGreaterThan(1);
  });
});

test('F90 the error of a client is reported by its name and code, with no statement and no address', async () => {
  const store = over(async () => {
    throw Object.assign(new Error('INSERT of postgres://user:secret@host failed'), { code: 'XX000', detail: 'secret' });
  });
  const error = await failureOf(store.acquire(claim(), { ...call(), budgetMs: 1 }));

  expect(error.message).toContain('no clear answer from Postgres (XX000); try again');
  expect(error.cause).toMatchObject({ name: 'Error', code: 'XX000' });
  expect(`${error.stack}${String((error.cause as Error).stack)}${JSON.stringify(error.cause)}`).not.toContain('secret');
});

test('F14 a row that holds no record is corrupt, and is listed so', async () => {
  const name = newName();
  await pool.query("INSERT INTO single_execution_locks VALUES ($1, 'no JSON', 1)", [name]);
  const store = over(query);

  expect(await failureOf(store.acquire(claim({ name }), call()))).toMatchObject({
    name: 'CorruptLockError',
    attribute: 'state',
  });
  expect((await store.list(call())).find((lock) => lock.name === name)).toMatchObject({
    item: { state: 'unreadable' },
  });
});

test('F152 a write that waits for a table is refused once it has the table, and leaves half of the pool to others', async () => {
  const table = 'locked_locks';
  const own = new Pool({ connectionString: server.url });
  own.on('error', () => undefined);
  onTestFinished(() => own.end());
  await createPostgresTable(own, { table });
  const store = postgresStore({ client: own, table });
  const asked = [claim({ name: newName() }), claim({ name: newName() })];
  for (const one of asked) await store.release(await grant(store, one), done, call());
  const other = new Client({ connectionString: server.url });
  await other.connect();
  onTestFinished(() => other.end());
  await other.query(`BEGIN; LOCK TABLE ${table}`);

  const calls = asked.map(({ name }) => failureOf(store.acquire(claim({ name }), { ...call(800), tryMs: 50 })));
  expect(await Promise.all(calls)).toMatchObject([{ code: 'UNAVAILABLE' }, { code: 'UNAVAILABLE' }]);
  expect(own.totalCount - own.idleCount).toBeLessThanOrEqual(5);
  expect((await own.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
  await other.query('COMMIT');
  expect(await Promise.all(asked.map(({ name }) => grant(store, claim({ name }))))).toHaveLength(2);
});

// The real one keeps the contract in test/clients/postgres.proof.test.ts. Here it only has to hold answers back.
test('a client of the shape of neon(), which has no connections, is asked by all calls at once', async () => {
  let asked = 0;
  let answer = () => {};
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const client = Object.assign(() => Promise.reject(new Error('a template')), {
    async query(text: string, values: (string | number)[]) {
      if (++asked === 12) answer();
      await answered;
      return (await pool.query(text, values)).rows;
    },
  });
  const store = postgresStore({ client });

  expect(await Promise.all(Array.from({ length: 12 }, () => grant(store, claim({ name: newName() }))))).toHaveLength(
    12,
  );
});

describe('the table', () => {
  test('may be made again, and by many at once', async () => {
    const made = Array.from({ length: 8 }, () => createPostgresTable(pool, { table: 'made_at_once' }));

    await expect(Promise.all(made)).resolves.toHaveLength(8);
    await createPostgresTable(pool, { table: 'made_at_once' });
  });

  test('is named as it is written, in its schema', async () => {
    await pool.query('CREATE SCHEMA "Jobs"');
    await createPostgresTable(pool, { table: 'Jobs.the "locks"' });
    const store = postgresStore({ client: pool, table: 'Jobs.the "locks"', keyPrefix: 'x:' });
    await grant(store, claim({ name: 'digest' }));

    expect((await pool.query('SELECT name FROM "Jobs"."the ""locks"""')).rows).toEqual([{ name: 'x:digest' }]);
    expect((await store.list(call())).map(({ name }) => name)).toEqual(['digest']);
  });

  test('is one statement', () => {
    expect(postgresTable('jobs.locks')).toBe(
      'CREATE TABLE IF NOT EXISTS "jobs"."locks" (name text PRIMARY KEY, record text NOT NULL, version bigint NOT NULL)',
    );
  });

  test('that cannot be made says why', async () => {
    expect(await failureOf(createPostgresTable(pool, { table: 'nowhere.locks' }))).toMatchObject(
      says('TABLE_NOT_FOUND', 'the table was not made: table "nowhere"."locks" does not exist', {
        operation: 'createLockTable',
      }),
    );
  });
});
