import mysql, { type PoolOptions } from 'mysql2/promise';
import { createMysqlTable, type MysqlClient, mysqlStore, mysqlTable } from 'single-execution/mysql';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ownEngine } from '../../support/backends/stage.js';
import { callOfTries } from '../../support/contract-harness.js';
import { call, claim, done, grant } from '../../support/one-run.js';
import { failureOf, says } from '../../support/settled.js';

const { server, pool } = await ownEngine('mysql');
const sound = mysqlStore({ client: pool });

let names = 0;
const newName = () => `name ${names++}`;

function poolWith(options: PoolOptions): mysql.Pool {
  const own = mysql.createPool({ uri: server.url, ...options });
  onTestFinished(() => own.end());
  return own;
}

/** A store on one connection, on which these statements have run. */
async function storeAfter(...statements: readonly string[]) {
  const connection = await mysql.createConnection(server.url);
  onTestFinished(() => connection.end());
  for (const statement of statements) await connection.query(statement);
  return mysqlStore({ client: connection });
}

const ROUND = async (store: ReturnType<typeof mysqlStore>) => {
  const lease = await grant(store, claim({ name: newName(), lockedBy: 'a "host"\\ of \u2028 é 😀' }));
  const seen = await sound.get(lease.name, call());
  const skipped = await sound.acquire(claim({ name: lease.name, attemptId: 'other' }), call());
  const released = await store.release(lease, done, call());
  return { lease, seen: seen?.item, skipped: skipped.status, released };
};

describe('row 206: how a connection is set changes nothing', () => {
  test.each([
    "SET sql_mode = 'ANSI_QUOTES'",
    "SET sql_mode = 'NO_BACKSLASH_ESCAPES'",
    "SET sql_mode = ''",
    "SET sql_mode = 'ORACLE,EMPTY_STRING_IS_NULL'",
    "SET sql_mode = 'TRADITIONAL,HIGH_NOT_PRECEDENCE,PIPES_AS_CONCAT,IGNORE_SPACE'",
    "SET time_zone = '+13:00'",
    "SET time_zone = '-12:00'",
    'SET timestamp = UNIX_TIMESTAMP() - 1000',
    'SET SESSION TRANSACTION ISOLATION LEVEL READ UNCOMMITTED',
    'SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED',
    'SET SESSION TRANSACTION ISOLATION LEVEL SERIALIZABLE',
    'SET NAMES utf8mb4 COLLATE utf8mb4_general_ci',
    'SET sql_safe_updates = 1',
    'SET completion_type = CHAIN',
    'SET character_set_results = NULL',
    'SET innodb_lock_wait_timeout = 1',
    'SET max_statement_time = 1',
  ])('%s', async (statement) => {
    const store = await storeAfter(statement).catch(() => undefined);
    if (store === undefined) throw new Error('the server refused the statement');
    const { lease, seen, skipped, released } = await ROUND(store);

    expect({ skipped, released, lockedBy: seen?.['lockedBy'] }).toEqual({
      skipped: 'refused',
      released: 'released',
      lockedBy: 'a "host"\\ of \u2028 é 😀',
    });
    expect(Math.abs(lease.lockedAtMs - Date.now())).toBeLessThan(30_000);
  });

  test.each<[string, PoolOptions]>([
    ['rows are counted that were found', { flags: ['+FOUND_ROWS'] }],
    ['rows are counted that were changed', { flags: ['-FOUND_ROWS'] }],
    ['numbers come as texts', { supportBigNumbers: true, bigNumberStrings: true }],
    ['dates come as texts, in another time zone', { dateStrings: true, timezone: '-05:00' }],
    ['parameters may have names', { namedPlaceholders: true }],
    ['decimals come as numbers', { decimalNumbers: true }],
  ])('%s', async (_, options) => {
    expect(await ROUND(mysqlStore({ client: poolWith(options) }))).toMatchObject({
      skipped: 'refused',
      released: 'released',
    });
  });

  const CHARSETS = ['UTF8_GENERAL_CI', 'SJIS_JAPANESE_CI', 'BIG5_CHINESE_CI', 'LATIN1_SWEDISH_CI', 'ASCII_GENERAL_CI'];

  test.each(CHARSETS)(
    'row 226 F196 over a client with %s, a name is the same lock as over any other',
    async (charset) => {
      const store = mysqlStore({ client: poolWith({ charset }) });
      const names = ['😀', '😁', '～', '¥', '—', '‖', '日', 'é'].map((character) => `${character} ${newName()}`);
      for (const name of names) {
        await grant(store, claim({ name }));

        expect((await sound.acquire(claim({ name, attemptId: 'other' }), call())).status).toBe('refused');
      }
      expect((await store.list(call())).map(({ name }) => name)).toEqual(expect.arrayContaining(names));
    },
  );

  // SJIS has no backslash of its own, so its client cannot read a record with one.
  test.each(CHARSETS.filter((one) => !one.startsWith('SJIS')))(
    'F213 over a client with %s, no text of a record is changed',
    async (charset) => {
      const client = poolWith({ charset });
      await client.query("SET SESSION sql_mode = ''");
      const store = mysqlStore({ client });
      const lockedBy = 'Ȣ "host" ŜŢ 表 ～ é 😀';
      const lease = await grant(store, claim({ name: newName(), lockedBy }));

      expect((await sound.get(lease.name, call()))?.item).toMatchObject({ state: 'held', lockedBy });
      expect(await store.release(lease, done, call())).toBe('released');
    },
  );

  test('F197 a client that writes values into the text grants nothing under NO_BACKSLASH_ESCAPES', async () => {
    const connection = await mysql.createConnection(server.url);
    onTestFinished(() => connection.end());
    const client: MysqlClient = async (text, values) => (await connection.query(text, values))[0] as object[];
    const store = mysqlStore({ client });
    const name = newName();
    const lease = await grant(store, claim({ name, lockedBy: 'a "host"' }));
    await connection.query("SET sql_mode = 'NO_BACKSLASH_ESCAPES'");

    for (const refused of [store.acquire(claim({ name: newName() }), call()), store.release(lease, done, call())]) {
      expect(await failureOf(refused)).toMatchObject(
        says('INVALID_REQUEST', 'without NO_BACKSLASH_ESCAPES if the client writes values into the text'),
      );
    }
    expect((await sound.get(name, call()))?.item).toMatchObject({ state: 'held', lockedBy: 'a "host"' });
  });

  test('a limit of rows cuts no list', async () => {
    const store = await storeAfter('SET sql_select_limit = 1');
    for (const name of [newName(), newName()]) await grant(store, claim({ name }));

    expect(await store.list(call())).toHaveLength((await sound.list(call())).length);
    expect((await store.list(call())).length).toBeGreaterThan(1);
  });

  // Half an hour is what the clock of a connection in Australia/Lord_Howe jumps by.
  test.each(['86400', 'UNIX_TIMESTAMP() - 1800'])(
    'F195 a connection that has set its time to %s grants nothing',
    async (time) => {
      const store = await storeAfter(`SET timestamp = ${time}`);

      expect(await failureOf(store.acquire(claim({ name: newName() }), call()))).toMatchObject(
        says('INVALID_REQUEST', "the database's time is null: use MariaDB 10.5"),
      );
    },
  );
});

test('row 206: names that MariaDB would call equal are names of different locks', async () => {
  const digests = ['Digest', 'digest', 'digest ', 'digést', 'DIGEST', 'straße', 'strasse'];
  const granted = await Promise.all(digests.map((name) => sound.acquire(claim({ name, attemptId: name }), call())));

  expect(granted.map(({ status }) => status)).toEqual(digests.map(() => 'acquired'));
});

describe('F16 an error that somebody must fix fails at once, and names its remedy', () => {
  const refusal = (client: MysqlClient, more: object = {}) =>
    failureOf(mysqlStore({ client, ...more }).acquire(claim(), callOfTries(2)));

  test('a table that is missing', async () => {
    const why =
      'table `nowhere` does not exist: make it with createMysqlTable(client) or single-execution table create, or correct its name (1146)';

    expect(await refusal(pool, { table: 'nowhere' })).toMatchObject(says('TABLE_NOT_FOUND', `failed: ${why}`));
  });

  test('a view whose table is gone', async () => {
    await pool.query('CREATE TABLE gone (name VARBINARY(255) PRIMARY KEY, record TEXT, version BIGINT)');
    await pool.query('CREATE VIEW seen AS SELECT * FROM gone');
    await pool.query('DROP TABLE gone');

    expect(await refusal(pool, { table: 'seen' })).toMatchObject(says('KEY_SCHEMA', 'a table only for the store'));
  });

  test.each([
    ['VARBINARY(255) PRIMARY KEY', 'has other columns'],
    ['VARBINARY(255) PRIMARY KEY, record TEXT, version BIGINT, more INT NOT NULL', 'refuses the row'],
    ["VARBINARY(255) PRIMARY KEY, record TEXT, version BIGINT, CHECK (record = 'x')", 'refuses the row'],
    ['VARBINARY(2) PRIMARY KEY, record TEXT, version BIGINT', 'refuses the row'],
  ])('a table with name %s', async (columns, words) => {
    const table = `other${names++}`;
    await pool.query(`CREATE TABLE ${table} (name ${columns})`);

    expect(await refusal(pool, { table })).toMatchObject(says('KEY_SCHEMA', words));
  });

  test('a table whose names are texts, as soon as two names would be one', async () => {
    await pool.query(
      'CREATE TABLE texts (name VARCHAR(255) COLLATE utf8mb4_general_ci PRIMARY KEY, record TEXT NOT NULL, version BIGINT NOT NULL)',
    );
    const store = mysqlStore({ client: pool, table: 'texts' });
    await grant(store, claim({ name: 'digest' }));

    expect(await failureOf(store.acquire(claim({ name: 'Digest' }), call()))).toMatchObject(
      says('KEY_SCHEMA', 'the table treats two lock names as one'),
    );
  });

  test.each<[string, PoolOptions, string, string]>([
    ['a database that is not there', { database: 'nowhere' }, 'INVALID_REQUEST', 'the database does not exist'],
    ['a host where nobody listens', { port: 1 }, 'UNAVAILABLE', 'MySQL could not be reached'],
    ['TLS that the server does not speak', { ssl: {} }, 'INVALID_REQUEST', 'TLS'],
  ])('%s', async (_, options, code, why) => {
    const { hostname: host, port, username: user, pathname } = new URL(server.url);
    const at = { host, port: Number(port), user, database: pathname.slice(1) };
    const client = mysql.createPool({ ...at, ...options });
    onTestFinished(() => client.end());

    expect(await refusal(client)).toMatchObject(says(code, why));
  });

  test('a server that is read-only may be one no longer, so it is tried again first', async () => {
    const store = await storeAfter('SET SESSION TRANSACTION READ ONLY');

    expect(await failureOf(store.acquire(claim({ name: newName() }), callOfTries(2)))).toMatchObject(
      says('UNAVAILABLE', 'MySQL is read-only here: connect to the primary'),
    );
  });

  test('a pool that has ended', async () => {
    const ended = mysql.createPool(server.url);
    await ended.end();

    expect(await refusal(ended)).toMatchObject({ code: 'UNAVAILABLE' });
  });
});

describe('F6 what the server has taken back is tried again', () => {
  test('a row that is locked for longer than the server waits', async () => {
    const name = newName();
    await sound.release(await grant(sound, claim({ name })), done, call());
    const other = await mysql.createConnection(server.url);
    onTestFinished(() => other.end());
    await other.beginTransaction();
    await other.execute('SELECT 1 FROM single_execution_locks WHERE name = ? FOR UPDATE', [name]);
    const store = await storeAfter('SET innodb_lock_wait_timeout = 1');
    const asked = store.acquire(claim({ name }), { ...call(8_000), tryMs: 4_000 });
    await other.query('DO SLEEP(1.5)');
    await other.rollback();

    expect(await asked).toMatchObject({ status: 'acquired' });
  });
});

test('row 206: the table is made once, and may have a database and odd characters in its name', async () => {
  await pool.query('CREATE DATABASE IF NOT EXISTS others');
  await Promise.all(Array.from({ length: 5 }, () => createMysqlTable(pool, { table: 'others.lo`cks' })));
  const store = mysqlStore({ client: pool, table: 'others.lo`cks' });

  expect(mysqlTable('others.lo`cks')).toContain('CREATE TABLE IF NOT EXISTS `others`.`lo``cks` (name VARBINARY(255)');
  expect(await ROUND(store).catch(() => 'other table')).toBeDefined();
  expect((await grant(store, claim({ name: newName() }))).name).toBeDefined();
});

test.each<[string, unknown]>([
  ['a number', 1],
  ['nothing', undefined],
  ['rows', [{ name: 'x', version: 1 }]],
  ['two rows', { affectedRows: 2 }],
  ['a pair', [{ affectedRows: 1 }, undefined]],
  ['another count', { rowCount: 1 }],
])('F151 a function that answers a write with %s is found out', async (_, answer) => {
  const store = mysqlStore({
    client: async (text, values) =>
      text.startsWith('SELECT') ? ((await pool.execute(text, values))[0] as object[]) : (answer as object[]),
  });

  expect(await failureOf(store.acquire(claim({ name: newName() }), call()))).toMatchObject({
    code: 'INVALID_REQUEST',
    message: expect.stringContaining('{ affectedRows'),
  });
});

test('F151 a failed statement that PlanetScale before 1.3 reports in its answer is no count', async () => {
  const execute = async (text: string, values: (string | number)[]) => {
    const failed = { headers: [], rows: [], rowsAffected: null, error: { code: 'UNKNOWN', message: 'deadlock' } };
    return text.startsWith('SELECT') ? pool.execute(text, values) : failed;
  };

  const store = mysqlStore({ client: { execute } });
  expect(await failureOf(store.acquire(claim({ name: newName() }), call()))).toMatchObject({ code: 'INVALID_REQUEST' });
});
