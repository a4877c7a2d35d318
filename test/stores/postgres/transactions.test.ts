import { Client } from 'pg';
import postgres from 'postgres';
import type { LockStore } from 'single-execution';
import { type PostgresClient, postgresStore } from 'single-execution/postgres';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ownEngine } from '../../support/backends/stage.js';
import { call, claim, done, grant } from '../../support/one-run.js';
import { failureOf } from '../../support/settled.js';

/*
 * A client whose one connection is inside a transaction of the program: whatever is written there can be rolled back,
 * and others do not see it until it is committed.
 */

const { server, pool } = await ownEngine('postgres');
const sound = postgresStore({ client: pool });

interface Connection {
  readonly client: PostgresClient;
  run(text: string): Promise<unknown>;
}

const CONNECTIONS: Readonly<Record<string, () => Promise<Connection>>> = {
  async 'a Client of pg'() {
    const client = new Client({ connectionString: server.url });
    await client.connect();
    onTestFinished(() => client.end());
    return { client, run: (text) => client.query(text) };
  },
  async 'a reserved connection of postgres.js'() {
    const sql = postgres(server.url, { onnotice: () => undefined });
    const client = await sql.reserve();
    onTestFinished(() => sql.end({ timeout: 1 }));
    return { client, run: (text) => client.unsafe(text) };
  },
  async 'a function over one connection'() {
    const own = new Client({ connectionString: server.url });
    await own.connect();
    onTestFinished(() => own.end());
    return { client: async (text, values) => (await own.query(text, values)).rows, run: (text) => own.query(text) };
  },
};

let names = 0;
const newName = () => `in a transaction ${names++}`;
const itemOf = async (name: string) => (await sound.get(name, call()))?.item;
const IN_TRANSACTION = {
  code: 'UNAVAILABLE',
  message: expect.stringContaining("the client's connection is inside a transaction of this program"),
};

describe.each(Object.entries(CONNECTIONS))('F153 %s inside a transaction', (_, connect) => {
  test.each(['READ COMMITTED', 'REPEATABLE READ'])('writes nothing that a rollback takes back (%s)', async (level) => {
    const { client, run } = await connect();
    const store = postgresStore({ client });
    const [first, second] = [newName(), newName()];
    const lease = await grant(sound, claim({ name: second }));
    await run(`BEGIN ISOLATION LEVEL ${level}`);

    expect(await failureOf(store.acquire(claim({ name: first }), call(1_000)))).toMatchObject(IN_TRANSACTION);
    expect(await failureOf(store.extend(lease, { leaseMs: 600_000 }, call(1_000)))).toMatchObject(IN_TRANSACTION);
    expect(await failureOf(store.release(lease, done, call(1_000)))).toMatchObject(IN_TRANSACTION);
    await run('COMMIT');
    expect(await itemOf(first)).toBeUndefined();
    expect(await itemOf(second)).toMatchObject({ state: 'held', lockUntil: lease.lockUntilMs });
  });

  test('is waited for', async () => {
    const { client, run } = await connect();
    const store = postgresStore({ client });
    const name = newName();
    await run('BEGIN');
    const asked = grant(store, claim({ name }));
    await run('SELECT pg_sleep(0.05)');
    await run('ROLLBACK');

    expect((await asked).name).toBe(name);
    expect(await itemOf(name)).toMatchObject({ state: 'held' });
  });
});

test('F153 many runs over one connection outside of transactions are none of these', async () => {
  const { client } = await (CONNECTIONS['a Client of pg'] as () => Promise<Connection>)();
  const store: LockStore = postgresStore({ client });
  const ran = Array.from({ length: 20 }, async () =>
    store.release(await grant(store, claim({ name: newName() })), done, call()),
  );

  expect(new Set(await Promise.all(ran))).toEqual(new Set(['released']));
});
