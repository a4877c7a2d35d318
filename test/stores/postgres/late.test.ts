import { Client, Pool } from 'pg';
import { createPostgresTable, postgresStore } from 'single-execution/postgres';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ownEngine } from '../../support/backends/stage.js';
import { call, claim, done, grant } from '../../support/one-run.js';
import { failureOf } from '../../support/settled.js';

/*
 * Statements that wait, in a client's queue or for a lock of the database, until their call has given up. A grant or an
 * extension that is applied then would keep the lock for nobody.
 */

const { server, pool } = await ownEngine('postgres');
const sound = postgresStore({ client: pool });

type Query = (text: string, values: (string | number)[]) => Promise<readonly object[]>;
const query: Query = async (text, values) => (await pool.query(text, values)).rows;
const isWrite = (text: string) => !text.startsWith('SELECT');

let names = 0;
const newName = () => `late ${names++}`;
const stateOf = async (name: string) => (await sound.get(name, call()))?.item?.['state'];

async function connected(): Promise<Client> {
  const client = new Client({ connectionString: server.url });
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

/** A store whose client holds every write back, until `arrive` sends them all. */
function holdingBack() {
  const waiting: (() => void)[] = [];
  const answers: Promise<readonly object[]>[] = [];
  const store = postgresStore({
    client: (text, values) => {
      if (!isWrite(text)) return query(text, values);
      const answer = new Promise<void>((send) => waiting.push(send)).then(() => query(text, values));
      answers.push(answer);
      return answer;
    },
  });
  const arrive = async () => {
    for (const send of waiting) send();
    return Promise.all(answers);
  };
  return { store, arrive };
}

describe('F152 a write that arrives after its call has given up', () => {
  test.each(['a lock that never ran', 'a lock that ran before'])('is no grant of %s', async (kind) => {
    const name = newName();
    if (kind.endsWith('before')) await sound.release(await grant(sound, claim({ name })), done, call());
    const { store, arrive } = holdingBack();

    expect(await failureOf(store.acquire(claim({ name }), call(1_000)))).toMatchObject({ code: 'UNAVAILABLE' });
    await arrive();
    expect(await sound.acquire(claim({ name }), call())).toMatchObject({ status: 'acquired' });
  });

  test('is no extension', async () => {
    const lease = await grant(sound, claim({ name: newName() }));
    const { store, arrive } = holdingBack();

    expect(await failureOf(store.extend(lease, { leaseMs: 600_000 }, call(1_000)))).toMatchObject({
      code: 'UNAVAILABLE',
    });
    await arrive();
    expect((await sound.get(lease.name, call()))?.item).toMatchObject({ lockUntil: lease.lockUntilMs });
  });

  test('is a release all the same: it holds the record of finished work', async () => {
    const lease = await grant(sound, claim({ name: newName(), tickMs: 1_800_000_000_000 }));
    const { store, arrive } = holdingBack();

    expect(await failureOf(store.release(lease, done, call(1_000)))).toMatchObject({ code: 'UNAVAILABLE' });
    await arrive();
    expect((await sound.get(lease.name, call()))?.item).toMatchObject({
      state: 'released',
      doneTick: 1_800_000_000_000,
    });
  });
});

describe('F152 a write that waits for somebody else’s transaction', () => {
  test('gives up with its call: a row that is locked', async () => {
    const name = newName();
    await sound.release(await grant(sound, claim({ name })), done, call());
    const other = await connected();
    await other.query('BEGIN');
    await other.query('SELECT 1 FROM single_execution_locks WHERE name = $1 FOR UPDATE', [name]);

    expect(await failureOf(sound.acquire(claim({ name }), call(1_000)))).toMatchObject({ code: 'UNAVAILABLE' });
    await other.query('COMMIT');
    expect(await stateOf(name)).toBe('released');
  });

  test('gives up with its call: a name that somebody inserts', async () => {
    const name = newName();
    const other = await connected();
    await other.query('BEGIN');
    await other.query("INSERT INTO single_execution_locks VALUES ($1, '{}', 1)", [name]);

    expect(await failureOf(sound.acquire(claim({ name }), call(1_000)))).toMatchObject({ code: 'UNAVAILABLE' });
    await other.query('ROLLBACK');
    expect(await stateOf(name)).not.toBe('held');
  });

  test('is refused once it has a table that was locked, and leaves half of the pool to others', async () => {
    const table = 'locked_locks';
    const own = new Pool({ connectionString: server.url });
    own.on('error', () => undefined);
    onTestFinished(() => own.end());
    await createPostgresTable(own, { table });
    const store = postgresStore({ client: own, table });
    const asked = [claim({ name: newName() }), claim({ name: newName() })];
    for (const one of asked) await store.release(await grant(store, one), done, call());
    const other = await connected();
    await other.query(`BEGIN; LOCK TABLE ${table}`);

    const calls = asked.map(({ name }) => failureOf(store.acquire(claim({ name }), { ...call(800), tryMs: 50 })));
    expect(await Promise.all(calls)).toMatchObject([{ code: 'UNAVAILABLE' }, { code: 'UNAVAILABLE' }]);
    expect(own.totalCount - own.idleCount).toBeLessThanOrEqual(5);
    expect((await own.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    await other.query('COMMIT');
    expect(await Promise.all(asked.map(({ name }) => grant(store, claim({ name }))))).toHaveLength(2);
  });
});

// The real one keeps the contract in test/clients/postgres.proof.test.ts. Here it only has to hold answers back.
test('a client of the shape of neon(), which has no connections, is asked by all calls at once', async () => {
  let asked = 0;
  let answer = () => {};
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const client = Object.assign(() => Promise.reject(new Error('a template')), {
    async query(text: string, values: (string | number)[]) {
      if (++asked === 12) answer();
      await answered;
      return query(text, values);
    },
  });
  const store = postgresStore({ client });

  expect(await Promise.all(Array.from({ length: 12 }, () => grant(store, claim({ name: newName() }))))).toHaveLength(
    12,
  );
});
