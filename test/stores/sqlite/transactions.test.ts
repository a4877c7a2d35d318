import { createClient } from '@libsql/client';
import { createSqliteTable, type SqliteClient, sqliteStore } from 'single-execution/sqlite';
import { expect, test } from 'vitest';
import { call, claim, done, grant } from '../../support/one-run.js';

/*
 * node:sqlite and better-sqlite3 run where this test file does not: test/stores/sqlite/played-contract.ts plays their
 * transactions. Here stands what needs no such client.
 */

test('F153 a transaction of libSQL is refused as a client', async () => {
  const client = createClient({ url: ':memory:' });
  const transaction = await client.transaction('write');

  expect(() => sqliteStore({ client: transaction as unknown as SqliteClient })).toThrow(
    new TypeError(
      'client is a transaction: pass the client that began it: others must see the lock before your work is committed',
    ),
  );
  transaction.close();
  client.close();
});

test('F153 a BEGIN on a client of libSQL ends with its own statement, so a lock outlives a ROLLBACK', async () => {
  const client = createClient({ url: ':memory:' });
  await createSqliteTable(client);
  const store = sqliteStore({ client });
  await client.execute('BEGIN');
  const lease = await grant(store, claim());
  await expect(client.execute('ROLLBACK')).rejects.toThrow('no transaction is active');

  expect(await store.release(lease, done, call())).toBe('released');
  client.close();
});
