import mysql from 'mysql2/promise';
import { executeWithLock } from 'single-execution';
import { createMysqlTable, type MysqlClient, mysqlStore } from 'single-execution/mysql';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { shiftedClock } from '../support/clocks.js';
import { callOfTries, patientCall } from '../support/contract-harness.js';
import { startMariaDB } from '../support/mariadb.js';
import { call, claim } from '../support/one-run.js';
import { failureOf, says } from '../support/settled.js';
import { startTcpFaultProxy } from '../support/tcp-fault-proxy.js';
import {
  connectedKnex,
  connectedKysely,
  connectedMikroORM,
  connectedSequelize,
  connectedTypeORM,
  MYSQL_CLIENTS,
} from './mysql-clients.js';
import { overKnex, overKysely, overMikroORM, overPrisma, overSequelize, overTypeORM } from './mysql-functions.js';
import { prismaPackages } from './on-demand.js';

/*
 * What each client makes of the errors of a real server. A client can hide the server's number, or replace its error.
 */

const server = await startMariaDB({ checksRights: true });
const root = mysql.createPool({ uri: server.url, multipleStatements: true });
afterAll(async () => {
  await root.end();
  await server.stop();
});
await createMysqlTable(root);
// The server then sends the number that a new lock's name ends with, as its own error.
await root.query(`CREATE TRIGGER errors BEFORE INSERT ON single_execution_locks FOR EACH ROW BEGIN
  DECLARE number INT DEFAULT IF(NEW.name REGEXP '^number [0-9]+$', SUBSTRING(NEW.name, 8), 0);
  IF number > 0 THEN SIGNAL SQLSTATE '45000' SET MYSQL_ERRNO = number, MESSAGE_TEXT = 'hunter2'; END IF;
END`);
await root.query("CREATE USER 'reader'@'%'; GRANT SELECT ON jobs.single_execution_locks TO 'reader'@'%'");

const NUMBERS: Readonly<Record<string, readonly number[]>> = {
  ACCESS_DENIED: [1142, 1044, 1045],
  TABLE_NOT_FOUND: [1146],
  INVALID_REQUEST: [1049, 1064, 1665],
  KEY_SCHEMA: [1048, 1054, 1062, 1264, 1364, 1406, 1451, 1644],
  UNAVAILABLE: [1020, 1040, 1203, 1205, 1213, 1290, 1317, 1792, 1836, 2013],
};

// A connection never connects again. The server of PlanetScale's client is one of ours.
const clients = MYSQL_CLIENTS.filter((one) => !one.isConnection && !one.package.startsWith('@planetscale'));

describe.each(clients.map((one) => [`${one.package}, ${one.kind}`, one] as const))('%s', (title, which) => {
  const storeOver = async (url: string, table = 'single_execution_locks') => {
    const { client, close } = await which.connect(url);
    onTestFinished(async () => void (await close()));
    const store = mysqlStore({ client, table });
    // The server below goes away from a client that is connected.
    await store.get('connected', callOfTries(1)).catch(() => undefined);
    return store;
  };
  const acquired = async (store: ReturnType<typeof mysqlStore>, name = 'digest') => {
    const { code, message } = (await failureOf(store.acquire(claim({ name }), callOfTries(1)))) as Error & {
      code: string;
    };
    expect(message).not.toMatch(/hunter2|VALUES|UTC_TIMESTAMP/);
    return `${code} ${/\((\d{4})\)/.exec(message)?.[1]}`;
  };

  test('F132 the number of an error of the server counts', async () => {
    const store = await storeOver(server.url);
    const expected = Object.entries(NUMBERS).flatMap(([code, numbers]) => numbers.map((one) => `${code} ${one}`));
    const numbers = Object.values(NUMBERS).flat();

    expect(await Promise.all(numbers.map((one) => acquired(store, `number ${one}`)))).toEqual(expected);
  });

  test('F16 a missing table and a missing right are found', async () => {
    expect(await acquired(await storeOver(server.url, 'nowhere'))).toBe('TABLE_NOT_FOUND 1146');
    expect(await acquired(await storeOver(server.url.replace('root', 'reader')))).toBe('ACCESS_DENIED 1142');
  });

  // Over Prisma, mariadb 3.4.5 can leave a rejection that nobody handles: docs/stores/mysql.md, "Limits".
  test.runIf(which.package !== '@prisma/client')(
    'F17 a server that is gone is an outage until it is back',
    async () => {
      const proxy = await startTcpFaultProxy(server.port, () => undefined);
      onTestFinished(() => proxy.stop());
      const store = await storeOver(server.url.replace(String(server.port), String(proxy.port)));
      proxy.goAway();
      expect(await acquired(store)).toMatch(/^UNAVAILABLE/);
      await proxy.comeBack();

      expect(await store.acquire(claim({ name: `back ${title}` }), patientCall(shiftedClock(0)))).toMatchObject({
        status: 'acquired',
      });
    },
  );
});

test('F197 the clients of the page that write values into the text grant nothing under NO_BACKSLASH_ESCAPES', async () => {
  const refused: string[] = [];
  await root.query("SET GLOBAL sql_mode = 'NO_BACKSLASH_ESCAPES'");
  onTestFinished(async () => void (await root.query('SET GLOBAL sql_mode = DEFAULT')));
  for (const { package: name, kind, connect } of clients) {
    const { client, close } = await connect(server.url);
    const asked = mysqlStore({ client }).acquire(claim({ name: `backslash ${name} ${kind}` }), callOfTries(1));
    const { code } = (await asked.catch((error: unknown) => error)) as { readonly code?: string };
    if (code !== undefined) refused.push(`${name} ${code}`);
    await close();
  }

  expect(refused).toEqual(['knex', 'kysely', '@mikro-orm/mysql', 'typeorm'].map((name) => `${name} INVALID_REQUEST`));
});

type Inside = (work: (client: MysqlClient) => Promise<void>) => Promise<unknown>;

/** An ORM, its function, and a transaction that is rolled back: its work gets a function that joins it. */
const ORMS: Readonly<Record<string, () => Promise<{ client: MysqlClient; inside: Inside; close(): unknown }>>> = {
  async Knex() {
    const knex = await connectedKnex(server.url);
    const inside: Inside = (work) => knex.transaction((joined) => work(overKnex(joined)));
    return { client: overKnex(knex), inside, close: () => knex.destroy() };
  },
  async Kysely() {
    const db = await connectedKysely(server.url);
    const inside: Inside = (work) =>
      db.transaction().execute((joined) => work(overKysely<{ jobs: { id: number } }>(joined)));
    return { client: overKysely(db), inside, close: () => db.destroy() };
  },
  async MikroORM() {
    const orm = await connectedMikroORM(server.url);
    const inside: Inside = (work) =>
      orm.em.fork().transactional((em) =>
        work(async (text, values) => {
          const connection = em.getConnection();
          const method = text.startsWith('SELECT') ? 'all' : 'run';
          return connection.execute<object[]>(text, values, method, em.getTransactionContext());
        }),
      );
    return { client: overMikroORM(orm), inside, close: () => orm.close() };
  },
  async Prisma() {
    const { PrismaClient, PrismaMariaDb } = await prismaPackages('mariadb');
    const prisma = new PrismaClient({ adapter: new PrismaMariaDb(server.url) });
    const inside: Inside = (work) => prisma.$transaction((joined) => work(overPrisma(joined)));
    return { client: overPrisma(prisma), inside, close: () => prisma.$disconnect() };
  },
  async Sequelize() {
    const sequelize = await connectedSequelize(server.url);
    const inside: Inside = (work) =>
      sequelize.transaction((transaction) =>
        work(async (text, values) => {
          let n = 0;
          const numbered = text.replaceAll('?', () => `$${++n}`);
          return (await sequelize.query(numbered, { bind: values, transaction }))[0] as object[];
        }),
      );
    return { client: overSequelize(sequelize), inside, close: () => sequelize.close() };
  },
  async TypeORM() {
    const dataSource = await connectedTypeORM(server.url);
    const inside: Inside = (work) =>
      dataSource.transaction((joined) =>
        work(async (text, values) => (await joined.queryRunner?.query(text, values, true))?.raw),
      );
    return { client: overTypeORM(dataSource), inside, close: () => dataSource.destroy() };
  },
};

describe.each(Object.entries(ORMS))('F153 an open transaction of %s', (orm, connected) => {
  const rolledBack = new Error('rolled back');

  test('is not joined by the function of the page: others see the lock at once, and a rollback takes nothing back', async () => {
    const { client, inside, close } = await connected();
    onTestFinished(async () => void (await close()));
    const run = (over: MysqlClient) =>
      executeWithLock(() => 'done', {
        name: `beside ${orm}`,
        store: mysqlStore({ client: over }),
        lockAtMostFor: '1m',
        tick: new Date('2026-11-26T02:00:00Z'),
        observers: [],
      });
    const failed = inside(async () => {
      expect(await run(client)).toMatchObject({ status: 'executed', release: 'released' });
      expect(await run(root)).toMatchObject({ reason: 'already-executed' });
      throw rolledBack;
    });

    await expect(failed).rejects.toThrow('rolled back');
    expect(await run(root)).toMatchObject({ reason: 'already-executed' });
  });

  test('grants nothing to a function that joins it', async () => {
    const { inside, close } = await connected();
    onTestFinished(async () => void (await close()));
    const name = `inside ${orm}`;
    await inside(async (client) => {
      expect(await failureOf(mysqlStore({ client }).acquire(claim({ name }), callOfTries(1)))).toMatchObject(
        says('UNAVAILABLE', "the client's connection is inside a transaction of this program"),
      );
    });

    expect(await mysqlStore({ client: root }).get(name, call())).toBeUndefined();
  });
});
