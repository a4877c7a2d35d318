import { Client } from 'pg';
import postgres from 'postgres';
import { mysqlStore } from 'single-execution/mysql';
import type { PostgresClient } from 'single-execution/postgres';
import { describe, expect, onTestFinished, test } from 'vitest';
import { DATABASES } from '../stores/sql/databases.js';
import { clockOfPauses } from '../support/clocks.js';
import { inThisRun } from '../support/in-this-run.js';
import { call, claim, done, grant } from '../support/one-run.js';
import { failureOf } from '../support/settled.js';
import { MYSQL_CLIENTS } from './mysql-clients.js';

/*
 * A client whose one connection is inside a transaction of the program: whatever is written there can be rolled back,
 * and others do not see it until it is committed.
 */

/** A client that is a single connection, and how the program runs a statement on the same one. */
interface Shared {
  readonly client: Parameters<Awaited<ReturnType<(typeof DATABASES)['MySQL']>>['store']>[0];
  run(text: string): Promise<unknown>;
  close(): unknown;
}

const OF_POSTGRES: Readonly<Record<string, (url: string) => Promise<Shared>>> = {
  async 'a Client of pg'(connectionString) {
    const client = new Client({ connectionString });
    await client.connect();
    return { client, run: (text) => client.query(text), close: () => client.end() };
  },
  async 'a reserved connection of postgres.js'(url) {
    const sql = postgres(url, { onnotice: () => undefined });
    const client = await sql.reserve();
    return { client, run: (text) => client.unsafe(text), close: () => sql.end({ timeout: 1 }) };
  },
  async 'a function over one connection'(url) {
    const { client: own, ...rest } = await (OF_POSTGRES['a Client of pg'] as (url: string) => Promise<Shared>)(url);
    const client: PostgresClient = async (text, values) => (await (own as Client).query(text, values)).rows;
    return { client, ...rest };
  },
};
const ofMysql = (isNewest: boolean) =>
  MYSQL_CLIENTS.filter((one) => one.isConnection && isNewest !== /-\d/.test(one.package)).map(
    ({ package: name, kind, connect }): [string, (url: string) => Promise<Shared>] => [
      `${name}, ${kind}`,
      async (url) => ({ run: async () => undefined, ...(await connect(url)) }),
    ],
  );

const CONNECTIONS = {
  Postgres: inThisRun(Object.entries(OF_POSTGRES), []),
  MySQL: inThisRun(ofMysql(true), ofMysql(false)),
};
const KINDS = (['Postgres', 'MySQL'] as const).filter((kind) => CONNECTIONS[kind].length > 0);
const BEGINS = {
  Postgres: ['BEGIN ISOLATION LEVEL READ COMMITTED', 'BEGIN ISOLATION LEVEL REPEATABLE READ'],
  MySQL: ['START TRANSACTION', 'START TRANSACTION READ ONLY', 'SET autocommit = 0'],
};
const SLEEPS = { Postgres: 'SELECT pg_sleep(0.05)', MySQL: 'DO SLEEP(0.05)' };

/** A call that ends after some tries, however long their answers take. */
const brief = () => ({ ...call(500), clock: clockOfPauses(500) });
let names = 0;
const newName = () => `in a transaction ${names++}`;
const INSIDE = "the client's connection is inside a transaction of this program";
const IN_TRANSACTION = { code: 'UNAVAILABLE', message: expect.stringContaining(INSIDE) };

describe.each(KINDS)('%s', async (kind) => {
  const { url, query, store: storeOver } = await DATABASES[kind]();
  const sound = storeOver(query);
  const itemOf = async (name: string) => (await sound.get(name, call()))?.item;

  describe.each(CONNECTIONS[kind])('F153 %s, inside a transaction', (_, connect) => {
    const connected = async () => {
      const { client, run, close } = await connect(url);
      onTestFinished(async () => void (await close()));
      return { store: storeOver(client), run };
    };

    test.each(BEGINS[kind])('writes nothing that a rollback takes back (%s)', async (begin) => {
      const { store, run } = await connected();
      const [first, second] = [newName(), newName()];
      const lease = await grant(sound, claim({ name: second }));
      await run(begin);
      const refused = [
        store.acquire(claim({ name: first }), brief()),
        store.extend(lease, { leaseMs: 600_000 }, brief()),
        store.release(lease, done, brief()),
      ];

      expect(await Promise.all(refused.map(failureOf))).toMatchObject(refused.map(() => IN_TRANSACTION));
      await run('COMMIT');
      expect(await itemOf(first)).toBeUndefined();
      expect(await itemOf(second)).toMatchObject({ state: 'held', lockUntil: lease.lockUntilMs });
    });

    test('is waited for', async () => {
      const { store, run } = await connected();
      const name = newName();
      await run('BEGIN');
      const asked = grant(store, claim({ name }));
      await run(SLEEPS[kind]);
      await run('ROLLBACK');

      expect((await asked).name).toBe(name);
      expect(await itemOf(name)).toMatchObject({ state: 'held' });
    });

    // Postgres does not find this case: docs/stores/postgres.md, "Limits".
    test.runIf(kind === 'MySQL')(
      'writes nothing into a transaction that begins between a read and its write',
      async () => {
        const { store, run } = await connected();
        const name = newName();
        const lease = await grant(store, claim({ name }));
        const released = store.release(lease, done, brief()).catch((error: Error) => error.message);
        const begun = run('BEGIN');
        expect([expect.stringContaining(INSIDE), 'released']).toContainEqual(await released);
        await begun;
        await run('ROLLBACK');
        const isReleased = (await released) === 'released';
        expect(await itemOf(name)).toMatchObject({ state: isReleased ? 'released' : 'held' });
      },
    );

    test('is none of many runs over it outside of transactions', async () => {
      const { store } = await connected();
      const ran = Array.from({ length: 20 }, async () =>
        store.release(await grant(store, claim({ name: newName() })), done, call()),
      );

      expect(new Set(await Promise.all(ran))).toEqual(new Set(['released']));
    });
  });
});

test.each<[string, object]>([
  ['a write of the record', { affectedRows: 1, serverStatus: 3 }],
  ['the first row of a lock', { affectedRows: 1, serverStatus: 1 }],
])('F153 MySQL, which says with its answer that %s is part of a transaction, grants nothing', async (_, header) => {
  // MySQL cannot run here, and MariaDB refuses such a write: these are the answers of mysql2 to it.
  const read = { name: null, record: '', version: null, now: String(Date.now() * 1_000), inside: 0 };
  const execute = async (text: string) => [text.startsWith('SELECT') ? [read] : header, undefined];

  expect(
    await failureOf(mysqlStore({ client: { execute } }).acquire(claim({ name: newName() }), call())),
  ).toMatchObject({ message: expect.stringContaining(INSIDE) });
});
