import { Client, Pool } from 'pg';
import { createPostgresTable, postgresStore } from 'single-execution/postgres';
import { expect, onTestFinished, test } from 'vitest';
import { ownEngine } from '../../support/backends/stage.js';
import { call, claim, done, grant } from '../../support/one-run.js';
import { failureOf } from '../../support/settled.js';

/* What ../sql/late.test.ts plays over each database with a server, and this is of Postgres alone. */

const { server, pool } = await ownEngine('postgres');

let names = 0;
const newName = () => `late ${names++}`;

test('F152 a write that waits for a table is refused once it has the table, and leaves half of the pool to others', async () => {
  const table = 'locked_locks';
  const own = new Pool({ connectionString: server.url });
  own.on('error', () => undefined);
  onTestFinished(() => own.end());
  await createPostgresTable(own, { table });
  const store = postgresStore({ client: own, table });
  const asked = [claim({ name: newName() }), claim({ name: newName() })];
  for (const one of asked) await store.release(await grant(store, one), done, call());
  const other = new Client({ connectionString: server.url });
  await other.connect();
  onTestFinished(() => other.end());
  await other.query(`BEGIN; LOCK TABLE ${table}`);

  const calls = asked.map(({ name }) => failureOf(store.acquire(claim({ name }), { ...call(800), tryMs: 50 })));
  expect(await Promise.all(calls)).toMatchObject([{ code: 'UNAVAILABLE' }, { code: 'UNAVAILABLE' }]);
  expect(own.totalCount - own.idleCount).toBeLessThanOrEqual(5);
  expect((await own.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
  await other.query('COMMIT');
  expect(await Promise.all(asked.map(({ name }) => grant(store, claim({ name }))))).toHaveLength(2);
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
      return (await pool.query(text, values)).rows;
    },
  });
  const store = postgresStore({ client });

  expect(await Promise.all(Array.from({ length: 12 }, () => grant(store, claim({ name: newName() }))))).toHaveLength(
    12,
  );
});
