import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { createClient } from '@libsql/client';
import { createSqliteTable, type SqliteClient, sqliteStore } from 'single-execution/sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { bundledProgram } from '../../support/bundled-program.js';
import { nodeBinary } from '../../support/node-binary.js';
import { call, claim, done, grant } from '../../support/one-run.js';

/*
 * A connection inside a transaction of the program: whatever is written there can be rolled back, and others do not see
 * it until it is committed.
 */

const TOLD = 'UNAVAILABLE, in a transaction';
const ONE_RAN = [['executed', 'skipped'], 1];

test('F153 a connection of node:sqlite inside a transaction tells so, reads and writes nothing, and is waited for', async () => {
  const program = await bundledProgram(new URL('./transactions-program.ts', import.meta.url));
  onTestFinished(() => program.remove());
  const { stdout } = await promisify(execFile)(await nodeBinary(24), [program.path]);

  for (const kind of ['telling', 'silent']) {
    expect(JSON.parse(stdout)).toMatchObject({
      [`${kind}: read`]: TOLD,
      [`${kind}: acquire`]: TOLD,
      [`${kind}: extend`]: TOLD,
      [`${kind}: release`]: TOLD,
      [`${kind}: written`]: ['nothing', 'held'],
      [`${kind}: two hosts`]: ONE_RAN,
    });
  }
}, 120_000);

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
