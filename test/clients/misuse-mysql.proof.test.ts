import { mysqlStore } from 'single-execution/mysql';
import { describe, expect, test } from 'vitest';
import { ownEngine } from '../support/backends/stage.js';
import { finally_, INSTEAD, inside, misuseOf, objectsOfOrms, RAN } from './misuse.js';
import * as orms from './mysql-clients.js';

const { server, pool } = await ownEngine('mysql');
const { url } = server;

const { refusal, others, twoRuns } = misuseOf(mysqlStore);
const BY_FUNCTION = 'pass a function (text, values) => rows, as in docs/stores/mysql.md';
const NO_CLIENT =
  /^TypeError: client is (an object|a string|a class): pass a pool or a connection of mysql2 or mariadb/;

describe('row 143: an object that cannot run statements is refused when the store is made, by its name', () => {
  test.each(Object.entries(objectsOfOrms(orms as never, url)))('%s', async (name, objects) => {
    expect(others(name, BY_FUNCTION, await objects())).toEqual([]);
  });

  test('of Drizzle; the clients inside of it and of MikroORM are taken', async () => {
    const { drizzle } = await import('drizzle-orm/mysql2');
    const { drizzle: overPlanetscale } = await import('drizzle-orm/planetscale-serverless');
    const { Client } = await import('@planetscale/database');
    const own = drizzle(url);
    const other = overPlanetscale({ client: new Client({ host: 'planetscale.example' }) });
    const orm = await orms.connectedMikroORM(url);
    finally_(() => Promise.all([own.$client.promise().end(), orm.close()]));
    const objects = [own, other, await inside((work) => own.transaction(work))];

    expect(others("Drizzle's database", 'pass its own client, db.$client', objects)).toEqual([]);
    expect(refusal(other.$client)).toBe('taken');
    expect(refusal(await orm.em.getConnection().getNativeClient())).toBe('taken');
  });

  test('of mysql2: a cluster, a promise of a connection, options, the module', async () => {
    const mysql = await import('mysql2');
    const promises = await import('mysql2/promise');
    const promised = promises.createConnection(url);
    const clusters = [mysql.createPoolCluster(), promises.createPoolCluster()];
    finally_(async () => {
      await (await promised).end();
      await Promise.all(clusters.map((cluster) => cluster.end()));
    });

    expect(refusal(promised)).toBe('TypeError: client is a promise: await it first');
    for (const cluster of clusters) {
      expect(refusal(cluster)).toContain('client is a cluster of pools: pass a pool of one server, the primary');
    }
    for (const client of [{ uri: url }, { client: pool }, mysql, promises, url, mysql.Connection]) {
      expect(refusal(client)).toMatch(NO_CLIENT);
    }
  });

  test('of mariadb: a cluster, its objects with callbacks, a version before 3', async () => {
    const mariadb = await import('mariadb');
    const callbacks = await import('mariadb/callback');
    const cluster = mariadb.createPoolCluster({});
    const options = { host: '127.0.0.1', port: server.port, user: 'root', database: 'jobs' };
    const withCallbacks = [callbacks.createPool(options), callbacks.createConnection(options)];
    finally_(() => Promise.all([cluster.end(), ...withCallbacks.map((client) => client.end(() => undefined))]));

    expect(refusal(cluster)).toContain('client is a cluster of pools');
    for (const client of withCallbacks) {
      expect(refusal(client)).toContain('client is of mariadb/callback: pass a pool of mariadb, which has promises');
    }
    // As version 2 has it, which has no prepared statements.
    expect(refusal({ query: () => 1, batch: () => 1, getConnection: () => 1 })).toContain(
      'client is of mariadb before 3: update it',
    );
  });

  test('of PlanetScale: a transaction; of the package mysql: anything', async () => {
    const { Client } = await import('@planetscale/database');
    const mysql = await import('mysql');
    const fetch = async () => Response.json({ session: null, result: {}, timing: 0 });
    const client = new Client({ host: 'planetscale.example', fetch });
    const ofMysql = [mysql.createPool(url), mysql.createConnection(url)];

    expect(await client.transaction(async (transaction) => refusal(transaction))).toContain('client is a transaction');
    expect([client, client.connection()].map(refusal)).toEqual(['taken', 'taken']);
    for (const one of ofMysql) {
      expect(refusal(one)).toContain('client is of the package mysql: pass a pool of mysql2 or mariadb');
    }
  });
});

describe('rows 142, 206: the options of real clients do not change what they answer', () => {
  const upper = (field: { string(): string | null }) => field.string()?.toUpperCase() ?? null;

  // test/stores/mysql/mysql.test.ts plays further options of mysql2.
  test.each<[string, object]>([
    ['several statements in one text', { multipleStatements: true }],
    ['no cast of values', { typeCast: false }],
    ['rows as arrays', { rowsAsArray: true }],
    ['rows by table', { nestTables: true }],
    ['columns with their table', { nestTables: '_' }],
    ['a cast of one’s own', { typeCast: upper }],
  ])('mysql2: %s', (_, options) => runsOver('mysql2/promise', options));

  test.each<[string, object]>([
    ['numbers as numbers', { bigIntAsNumber: true, insertIdAsNumber: true, decimalAsNumber: true }],
    ['numbers as texts', { supportBigNumbers: true, bigNumberStrings: true }],
    ['dates as texts', { dateStrings: true, timezone: '-05:00' }],
    ['named placeholders', { namedPlaceholders: true }],
    ['several statements in one text', { multipleStatements: true }],
    ['found rows', { foundRows: true }],
    ['changed rows', { foundRows: false }],
    ['columns beside the rows', { metaAsArray: true }],
    ['statements prepared each time', { prepareCacheLength: 0 }],
    ['no pipeline', { pipelining: false }],
    ['rows as arrays', { rowsAsArray: true }],
    ['rows by table', { nestTables: true }],
    ['a cast of one’s own', { typeCast: upper }],
  ])('mariadb: %s', (_, options) => runsOver('mariadb', options));

  async function runsOver(name: 'mariadb' | 'mysql2/promise', options: object) {
    const { createPool } = (await import(name)) as typeof import('mysql2/promise');
    const client = createPool({ host: '127.0.0.1', port: server.port, user: 'root', database: 'jobs', ...options });
    finally_(() => client.end());

    expect(await twoRuns(client)).toEqual([RAN, RAN]);
  }
});

test('F151 what Knex answers instead of rows: a pair', async () => {
  const knex = await orms.connectedKnex(url);
  finally_(() => knex.destroy());

  expect(await twoRuns((text, values) => knex.raw(text, values) as never)).toEqual([INSTEAD, INSTEAD]);
});
