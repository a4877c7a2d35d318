import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@libsql/client';
import type { LockStoreError } from 'single-execution';
import { createSqliteTable, sqliteStore } from 'single-execution/sqlite';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { call, claim } from '../../support/one-run.js';
import { failureOf, says } from '../../support/settled.js';
import { expectOfTable } from '../sql/made-by-hand.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sqlite-tables-'));
});
afterAll(() => rm(folder, { recursive: true }));

let files = 0;
function opened(file = `${files++}.db`) {
  const client = createClient({ url: `file:${join(folder, file)}` });
  onTestFinished(() => client.close());
  return client;
}

/** The statement of a table, some of whose columns have another type. */
const created = ({
  name = 'TEXT PRIMARY KEY',
  record = 'TEXT NOT NULL',
  version = 'INTEGER NOT NULL',
  end = '',
} = {}) => `CREATE TABLE t (name ${name}, record ${record}, version ${version}) ${end}`;
const triggered = (body: string) => [created(), `CREATE TRIGGER r BEFORE INSERT ON t BEGIN ${body}; END`];

/** Tables that somebody may have made for the locks, and the code of a first run; undefined if it works. */
const TABLES: Readonly<Record<string, readonly [string | readonly string[], LockStoreError['code'] | undefined]>> = {
  'the table of the page': [created({ end: 'WITHOUT ROWID' }), undefined],
  'a table with row ids': [created(), undefined],
  'a STRICT table': [created({ end: 'STRICT' }), undefined],
  'a STRICT table without row ids': [created({ end: 'STRICT, WITHOUT ROWID' }), undefined],
  'columns without types': [created({ name: 'PRIMARY KEY', record: '', version: '' }), undefined],
  'a record that is declared as JSON': [created({ record: 'JSON NOT NULL' }), undefined],
  'a column more, with a default': [created({ version: "INTEGER NOT NULL, made TEXT DEFAULT ''" }), undefined],
  'a trigger that writes elsewhere': [
    [...triggered('INSERT INTO log VALUES (new.name)'), 'CREATE TABLE log (name TEXT)'],
    undefined,
  ],
  'a STRICT record of another type': [created({ record: 'BLOB NOT NULL', end: 'STRICT' }), 'KEY_SCHEMA'],
  'a record with a check': [created({ record: 'TEXT NOT NULL CHECK (length(record) < 9)' }), 'KEY_SCHEMA'],
  'a record that is generated': [created({ record: "TEXT GENERATED ALWAYS AS ('x')" }), 'KEY_SCHEMA'],
  'no primary key': [created({ name: 'TEXT' }), 'KEY_SCHEMA'],
  'a primary key of two columns': [
    created({ name: 'TEXT', version: 'INTEGER, PRIMARY KEY (name, version)' }),
    'KEY_SCHEMA',
  ],
  'a name that is a number': [created({ name: 'INTEGER PRIMARY KEY' }), 'KEY_SCHEMA'],
  'a column more, without a default': [created({ version: 'INTEGER NOT NULL, tenant TEXT NOT NULL' }), 'KEY_SCHEMA'],
  'other columns': ['CREATE TABLE t (name TEXT PRIMARY KEY, value TEXT)', 'KEY_SCHEMA'],
  'a view': [
    ['CREATE TABLE u (name TEXT PRIMARY KEY, record, version)', 'CREATE VIEW t AS SELECT * FROM u'],
    'KEY_SCHEMA',
  ],
  'a trigger that raises an error': [triggered("SELECT RAISE(ABORT, 'no')"), 'KEY_SCHEMA'],
};

describe('F133 a table that somebody made by hand', () => {
  test.each(Object.entries(TABLES))('%s', async (_, [statements, code]) => {
    const client = opened();
    await client.batch([statements].flat(), 'write');
    await expectOfTable(sqliteStore({ client, table: 't' }), code);
  });
});

describe('F133 a file that is no database fails at once, with the remedy', () => {
  test('text', async () => {
    await writeFile(join(folder, 'text.db'), 'no database at all\n'.repeat(200));
    const error = await failureOf(sqliteStore({ client: opened('text.db') }).acquire(claim(), call()));

    expect(error).toMatchObject(
      says('INVALID_REQUEST', 'the file is not an SQLite database, or is encrypted: correct its path'),
    );
  });

  test('a database that is damaged', async () => {
    await createSqliteTable(opened('damaged.db'));
    const page = 4_096;
    const file = await open(join(folder, 'damaged.db'), 'r+');
    await file.write(Buffer.alloc(page - 100, 0xff), 0, page - 100, 100);
    await file.close();
    const error = await failureOf(sqliteStore({ client: opened('damaged.db') }).acquire(claim(), call()));

    expect(error).toMatchObject(says('INVALID_REQUEST', 'restore it from a copy'));
  });
});

test('F133 a database that is full is an outage, and says so', async () => {
  const client = createClient({ url: `file:${join(folder, 'full.db')}`, concurrency: 1 });
  onTestFinished(() => client.close());
  await createSqliteTable(client);
  await client.batch(
    ['CREATE TABLE filler (text)', 'INSERT INTO filler VALUES (hex(randomblob(1500)))', 'PRAGMA max_page_count = 1'],
    'write',
  );
  const store = sqliteStore({ client });
  let error: unknown;
  for (let locks = 0; error === undefined && locks < 100; locks++) {
    error = await store.acquire(claim({ name: `lock ${locks}` }), call(100)).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
  }

  expect(error).toMatchObject(says('UNAVAILABLE', 'full: free some space'));
});
