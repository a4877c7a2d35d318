import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, createClient } from '@libsql/client';
import { lockAdmin } from 'single-execution/admin';
import { createSqliteTable, sqliteStore } from 'single-execution/sqlite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { call, claim, done, grant } from '../../support/one-run.js';
import { failureOf } from '../../support/settled.js';

let folder: string;
let client: Client;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sqlite-read-only-'));
  // One connection, which the setting belongs to. A file without the right to write is no proof here: root may write.
  client = createClient({ url: `file:${join(folder, 'locks.db')}`, concurrency: 1 });
  await createSqliteTable(client);
  const store = sqliteStore({ client });
  await store.release(await grant(store, claim({ name: 'seen' })), done, call());
  await grant(store, claim({ name: 'held' }));
  await client.execute('PRAGMA query_only = ON');
});
afterAll(async () => {
  client.close();
  await rm(folder, { recursive: true });
});

test('row 144: in a database that is read-only, the verbs that only look work, and a held lock is seen', async () => {
  const store = sqliteStore({ client });
  const admin = lockAdmin(store);

  expect((await admin.list()).map(({ name }) => name)).toEqual(['held', 'seen']);
  expect(await admin.get('seen')).toMatchObject({ name: 'seen', state: 'free' });
  expect(await admin.get('nobody')).toBeUndefined();
  expect(await store.acquire(claim({ name: 'held' }), call())).toMatchObject({ reason: 'locked' });
});

test('row 144: a verb that writes there is ACCESS_DENIED at once, and names the remedy', async () => {
  const store = sqliteStore({ client });
  const refused = {
    code: 'ACCESS_DENIED',
    retryable: false,
    message: expect.stringContaining('the database is read-only here: open it for writing, or connect to the primary'),
  };

  expect(await failureOf(store.acquire(claim({ name: 'new' }), call()))).toMatchObject(refused);
  expect(await failureOf(lockAdmin(store).pause('seen'))).toMatchObject(refused);
  expect(await failureOf(createSqliteTable(client, { table: 'another' }))).toMatchObject({
    ...refused,
    message: expect.stringContaining('the table was not made: the database is read-only here'),
  });
});
