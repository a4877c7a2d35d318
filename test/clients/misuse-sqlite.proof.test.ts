import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@libsql/client';
import { createSqliteTable, sqliteStore } from 'single-execution/sqlite';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { INSTEAD, misuseOf, RAN } from './misuse.js';
import { nativePackages } from './on-demand.js';

let folder: string;
let file: string;
let load: NodeJS.Require;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'misuse-'));
  file = join(folder, 'locks.db');
  const libsql = createClient({ url: `file:${file}` });
  await createSqliteTable(libsql);
  libsql.close();
  await nativePackages('sqlite3');
  load = await nativePackages('better-sqlite3');
  return () => rm(folder, { recursive: true });
}, 600_000);

const { refusal, twoRuns } = misuseOf(sqliteStore);

const BY_FUNCTION = 'pass a function (text, values) => rows, as in docs/stores/sqlite.md';

describe('row 143: an object that cannot run statements is refused when the store is made, by its name', () => {
  test('of libSQL and Drizzle: a transaction, and a database', async () => {
    const { drizzle } = await import('drizzle-orm/libsql');
    const libsql = createClient({ url: `file:${file}` });
    const transaction = await libsql.transaction('read');
    onTestFinished(() => {
      transaction.close();
      libsql.close();
    });

    expect(refusal(transaction)).toContain('TypeError: client is a transaction: pass the client that began it');
    expect(refusal(drizzle(libsql))).toBe("TypeError: client is Drizzle's database: pass its own client, db.$client");
  });

  test('of better-sqlite3, Kysely and Knex: a statement, and a query builder', async () => {
    const { Kysely, SqliteDialect } = await import('kysely');
    const database = new (load('better-sqlite3'))(file);
    const { knex } = load('knex') as typeof import('knex');
    const db = knex({ client: 'better-sqlite3', connection: { filename: file }, useNullAsDefault: true });
    onTestFinished(async () => {
      database.close();
      await db.destroy();
    });

    expect(refusal(database.prepare('SELECT 1'))).toContain('TypeError: client is an object: pass a client of D1');
    const kysely = new Kysely({ dialect: new SqliteDialect({ database }) });
    expect(refusal(kysely)).toBe(`TypeError: client is Kysely's: ${BY_FUNCTION}`);
    expect(refusal(db)).toBe(`TypeError: client is Knex's: ${BY_FUNCTION}`);
  });

  test('of sqlite3 and sqlite: a Database, and the promise of one', async () => {
    const { open } = await import('sqlite');
    const { Database } = load('sqlite3');
    const promised = open({ filename: file, driver: Database });
    const database = await promised;
    onTestFinished(() => database.close());
    const said = `TypeError: client is a Database of sqlite or sqlite3: ${BY_FUNCTION}`;

    expect([database, new Database(file)].map(refusal)).toEqual([said, said]);
    expect(refusal(promised)).toBe('TypeError: client is a promise: await it first');
  });

  test('of Turso: a connection over HTTP, and the promise of a database', async () => {
    const { connect } = await import('@tursodatabase/serverless');
    const { connect: open } = await import('@tursodatabase/database');
    const promised = open(join(folder, 'turso.db'));
    onTestFinished(async () => (await promised).close());

    const said = `TypeError: client is Turso's database: ${BY_FUNCTION}`;

    expect([connect({ url: 'http://127.0.0.1:1' }), await promised].map(refusal)).toEqual([said, said]);
    expect(refusal(promised)).toBe('TypeError: client is a promise: await it first');
  });
});

describe('F151 what real clients answer instead of their rows', () => {
  test('BigInts and texts for whole numbers are read as numbers', async () => {
    const database = new (load('better-sqlite3'))(file);
    database.defaultSafeIntegers(true);
    const libsql = (['bigint', 'string'] as const).map((intMode) => createClient({ url: `file:${file}`, intMode }));
    onTestFinished(() => {
      for (const client of [database, ...libsql]) client.close();
    });

    for (const client of [database, ...libsql]) expect(await twoRuns(client)).toEqual([RAN, RAN]);
  });

  test('a result in place of rows, no rows from a write, rows as arrays', async () => {
    const database = new (load('better-sqlite3'))(file);
    const libsql = createClient({ url: `file:${file}` });
    onTestFinished(() => {
      database.close();
      libsql.close();
    });

    expect(await twoRuns((sql, args) => libsql.execute({ sql, args }) as never)).toEqual([INSTEAD, INSTEAD]);
    expect(await twoRuns((text, values) => database.prepare(text).get(...values))).toEqual([INSTEAD, INSTEAD]);
    for (const as of ['raw', 'pluck', 'expand']) {
      const asked = twoRuns((text, values) =>
        database
          .prepare(text)
          [as](true)
          .all(...values),
      );
      expect(await asked, as).toEqual([INSTEAD, INSTEAD]);
    }
  });
});
