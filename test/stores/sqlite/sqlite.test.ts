import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, createClient } from '@libsql/client';
import { createSqliteTable, type SqliteClient, sqliteStore, sqliteTable } from 'single-execution/sqlite';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { call, claim, done, grant, runOn } from '../../support/one-run.js';
import { failureOf, says } from '../../support/settled.js';

let folder: string;
let client: Client;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sqlite-'));
  client = connected('locks.db');
  await createSqliteTable(client);
});
afterAll(async () => {
  client.close();
  await rm(folder, { recursive: true });
});

const connected = (file: string) => createClient({ url: `file:${join(folder, file)}` });

let names = 0;
const newName = () => `lock ${names++}`;

const failing = (message: string, more: object = {}): SqliteClient => {
  return async () => {
    throw Object.assign(new Error(message), more);
  };
};

test('row 132: of contenders over two connections to one file one runs, and none fails', async () => {
  const other = connected('locks.db');
  onTestFinished(() => other.close());
  const name = newName();
  let ran = 0;
  const asked = [client, other, client, other].map((one) =>
    runOn(sqliteStore({ client: one }), () => ++ran, { name, lockAtLeastFor: '30s' }),
  );

  expect((await Promise.all(asked)).filter(({ status }) => status === 'skipped')).toHaveLength(3);
  expect(ran).toBe(1);
});

/** A client whose first statements find that another process is writing to the file. */
function busyAtFirst(one: Client): SqliteClient {
  let refused = 0;
  return async (sql, args) => {
    if (refused++ < 2) throw Object.assign(new Error('database is locked'), { code: 'SQLITE_BUSY' });
    return (await one.execute({ sql, args })).rows;
  };
}

test('row 132: a lock is granted only if others see it, also by a libSQL that has been refused as busy before', async () => {
  const [refused, writer] = [connected('refused.db'), connected('refused.db')];
  onTestFinished(() => {
    for (const one of [refused, writer]) one.close();
  });
  await createSqliteTable(writer);
  const writing = await writer.transaction('write');
  await expect(refused.execute('DELETE FROM single_execution_locks')).rejects.toMatchObject({ code: 'SQLITE_BUSY' });
  await writing.rollback();
  const name = newName();
  const result = await sqliteStore({ client: refused })
    .acquire(claim({ name }), call(200))
    .catch((error) => error);

  expect(result).toMatchObject(says('UNAVAILABLE', 'make a new client'));
  expect(await sqliteStore({ client: writer }).get(name, call())).toBeUndefined();
});

test('row 132: a client that works synchronously, and one whose statements are bound first, will do', async () => {
  const rows = async (sql: string, args: (string | number)[]) => [...(await client.execute({ sql, args })).rows];
  const bound: SqliteClient = {
    prepare: (text) => ({
      all: () => Promise.reject(new Error('not bound')),
      bind: (...values) => ({ all: async () => ({ results: await rows(text, values) }) }),
    }),
  };
  const name = newName();
  const lease = await grant(sqliteStore({ client: bound }), claim({ name }));

  expect(await sqliteStore({ client: rows }).release(lease, done, call())).toBe('released');
  expect(await failureOf(sqliteStore({ client: () => [] }).get(name, call()))).toMatchObject({
    code: 'INVALID_REQUEST',
  });
});

describe('F16 an error that somebody must fix fails at once, and names its remedy', () => {
  const refusal = (one: SqliteClient, more: object = {}) =>
    failureOf(sqliteStore({ client: one, ...more }).acquire(claim(), call()));

  test('a table that is missing', async () => {
    const why =
      'table "nowhere" does not exist: make it with createSqliteTable(client) or single-execution table create, or correct its name (SQLITE_ERROR)';

    expect(await refusal(client, { table: 'nowhere' })).toMatchObject(says('TABLE_NOT_FOUND', `failed: ${why}`));
  });

  test.each<[string, object, string, string]>([
    ['attempt to write a readonly database', { code: 'SQLITE_READONLY' }, 'ACCESS_DENIED', 'the database is read-only'],
    ['SERVER_ERROR: Server returned HTTP status 401', {}, 'ACCESS_DENIED', 'the database refused the credentials'],
    ['unable to open database file', { code: 'SQLITE_CANTOPEN' }, 'INVALID_REQUEST', 'the file cannot be opened'],
    ['near "RETURNING": syntax error', {}, 'INVALID_REQUEST', 'SQLite refused the statement: it needs SQLite 3.42'],
  ])('%s', async (message, more, code, why) => {
    expect(await refusal(failing(message, more))).toMatchObject(says(code, why));
  });

  test('an SQLite that is too old to tell milliseconds', async () => {
    const client = async () => [{ name: null, record: '', version: null, now: null }];

    expect(await refusal(client)).toMatchObject(
      says('INVALID_REQUEST', "failed: the database's time is null: use SQLite 3.42 or later"),
    );
  });
});

test.each<[string, object]>([
  ['D1_ERROR: Network connection lost', {}],
  ['fetch failed', { cause: Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }) }],
  ['database is locked', { code: 'SQLITE_BUSY' }],
])('F17 %s is tried again, then told with no statement', async (message, more) => {
  const store = sqliteStore({ client: failing(`${message} token=secret`, more) });
  const error = await failureOf(store.acquire(claim(), call(200)));

  expect(error).toMatchObject({ code: 'UNAVAILABLE', retryable: true });
  expect(`${error.message}${error.stack}${JSON.stringify(error.cause)}`).not.toContain('secret');
});

describe('the table', () => {
  test('may be made again, and is one statement', async () => {
    await createSqliteTable(client);
    expect(sqliteTable()).toBe(
      'CREATE TABLE IF NOT EXISTS "single_execution_locks" (name TEXT PRIMARY KEY, record TEXT NOT NULL, version INTEGER NOT NULL) WITHOUT ROWID',
    );
  });

  test('is made once the file is no longer busy, as with another process that makes it too', async () => {
    const fresh = connected('fresh.db');
    onTestFinished(() => fresh.close());
    await createSqliteTable(busyAtFirst(fresh));

    expect(await sqliteStore({ client: fresh }).list(call())).toEqual([]);
  });

  test('is looked at first, and is made if it is missing', async () => {
    const sent: string[] = [];
    const counting = {
      execute(asked: { sql: string; args: (string | number)[] }) {
        sent.push(asked.sql);
        return client.execute(asked);
      },
    };
    await createSqliteTable(counting, { table: 'made_once' });
    await createSqliteTable(counting, { table: 'made_once' });

    expect(sent.map((text) => text.split(' ')[0])).toEqual(['SELECT', 'CREATE', 'SELECT', 'SELECT']);
  });

  test('is waited for while a server needs longer to wake up than a run may wait', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    let asked = 0;
    const made = createSqliteTable(async () => {
      asked++;
      await new Promise((resolve) => setTimeout(resolve, 20_000));
      return [{ name: null, record: '', version: null, now: Date.now() * 1_000 }];
    });
    await Promise.all([made, vi.advanceTimersByTimeAsync(20_000)]);

    expect(asked).toBe(1);
  });

  test('that cannot be made says why', async () => {
    expect(await failureOf(createSqliteTable(client, { table: 'nowhere.locks' }))).toMatchObject({
      name: 'LockStoreError',
      code: 'INVALID_REQUEST',
      operation: 'createLockTable',
      message:
        'the table was not made: no database is attached under the first name of "nowhere"."locks": ATTACH it, or correct table (SQLITE_ERROR)',
    });
  });
});
