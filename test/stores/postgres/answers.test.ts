import { lockAdmin } from 'single-execution/admin';
import { createPostgresTable, type PostgresClient, postgresStore } from 'single-execution/postgres';
import { describe, expect, test } from 'vitest';
import { ownEngine } from '../../support/backends/stage.js';
import { call, claim, done, grant, runOn } from '../../support/one-run.js';
import { failureOf, says } from '../../support/settled.js';

/*
 * Shapes in which clients answer a statement other than by its rows. The statement itself always reaches a real
 * Postgres. Real clients of each shape: test/clients.
 */

const { pool } = await ownEngine('postgres');
const sound = postgresStore({ client: pool });

interface Answer {
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  readonly rowCount: number | null;
}
type Shape = (answer: Answer) => unknown;

const renamed = (rename: (column: string) => string) => (answer: Answer) =>
  answer.rows.map((row) => Object.fromEntries(Object.entries(row).map(([column, value]) => [rename(column), value])));

/** Shapes of the answer to a write. Reads are answered by their rows. */
const OF_A_WRITE: Readonly<Record<string, Shape>> = {
  'rows and a count': ({ rows, rowCount }) => [rows, rowCount],
  'no rows and a count': () => [[], 0],
  'a count': ({ rowCount }) => rowCount,
  'a count in an object': ({ rowCount }) => ({ affectedRows: rowCount }),
  'a count of nothing in an object': () => ({ affectedRows: 0 }),
  'an array of a count': ({ rowCount }) => [rowCount],
  'an array of an object with a count': ({ rowCount }) => [{ affectedRows: rowCount }],
  nothing: () => undefined,
  null: () => null,
  true: () => true,
  'a text': () => 'UPDATE 1',
  'a JSON text': ({ rows }) => JSON.stringify(rows),
  'rows as arrays': ({ rows }) => rows.map((row) => Object.values(row)),
  'rows in rows': ({ rows }) => [rows],
  'the row of another lock': ({ rows }) => rows.map((row) => ({ ...row, name: 'another' })),
  'a row of another version': ({ rows }) => rows.map((row) => ({ ...row, version: '77' })),
  'a row without its version': ({ rows }) => rows.map(({ name }) => ({ name })),
  'the row twice': ({ rows }) => [...rows, ...rows],
  'columns in capitals': renamed((column) => column.toUpperCase()),
  'columns with a prefix': renamed((column) => `locks.${column}`),
};

/** Shapes of the answer to a read. */
const OF_A_READ: Readonly<Record<string, Shape>> = {
  ...OF_A_WRITE,
  'no row': () => [],
  'an empty object': () => [{}],
  'a time that is none': ({ rows }) => rows.map((row) => ({ ...row, now: 'soon' })),
};
for (const name of ['no rows and a count', 'the row of another lock', 'a row of another version'])
  delete (OF_A_READ as Record<string, Shape>)[name];

const isRead = (text: string) => text.startsWith('SELECT');

const shaped = (shape: Shape, isShaped: (text: string) => boolean): PostgresClient =>
  (async (text, values) => {
    const answer = await pool.query(text, values);
    return isShaped(text) ? shape(answer) : answer.rows;
  }) as PostgresClient;

let names = 0;
const newName = () => `answered ${names++}`;
const used = async () => {
  const name = newName();
  await sound.release(await grant(sound, claim({ name })), done, call());
  return name;
};

const REFUSED = {
  name: 'LockStoreError',
  code: 'INVALID_REQUEST',
  retryable: false,
  message: expect.stringMatching(
    / failed: the client answered a (read|write) with .* instead of .*; pass a client of pg/,
  ),
};

describe('F151 a client that answers a write with what is not the row that it made', () => {
  test.each(Object.entries(OF_A_WRITE))(
    'with %s: the acquire fails at once, and nobody holds the lock',
    async (_, shape) => {
      const client = shaped(shape, (text) => !isRead(text));
      const store = postgresStore({ client });
      for (const name of [newName(), await used()]) {
        let ran = 0;
        const run = () => runOn(store, () => ++ran, { name });
        // The second call may find the grant of the first one, before that is given back.
        const outcomes = await Promise.allSettled([run(), run()]);
        const failures = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));

        expect(failures.length).toBeGreaterThan(0);
        for (const failure of failures) expect(failure).toMatchObject(REFUSED);
        expect(ran).toBe(0);
        expect((await lockAdmin(sound).get(name))?.state).not.toBe('held');
        expect(await sound.acquire(claim({ name }), call())).toMatchObject({ status: 'acquired' });
      }
    },
  );

  test.each(Object.entries(OF_A_WRITE))(
    'with %s: a release is unknown, and the run keeps its value',
    async (_, shape) => {
      let isWrong = false;
      const store = postgresStore({ client: shaped(shape, (text) => isWrong && !isRead(text)) });
      const task = () => {
        isWrong = true;
        return 'ran';
      };
      const outcome = await runOn(store, task, { name: newName() });

      expect(outcome).toMatchObject({ status: 'executed', value: 'ran', release: 'unknown' });
    },
  );

  test.each(Object.entries(OF_A_WRITE))('with %s: an extension and a mark fail at once', async (_, shape) => {
    const store = postgresStore({ client: shaped(shape, (text) => !isRead(text)) });
    const lease = await grant(sound, claim({ name: newName(), tickMs: 1_800_000_060_000 }));

    expect(await failureOf(store.extend(lease, { leaseMs: 60_000 }, call()))).toMatchObject(REFUSED);
    const tick = { tickMs: 1_800_000_000_000, leaseMs: 60_000 };
    expect(await failureOf(store.mark(lease, tick, call()))).toMatchObject(REFUSED);
  });
});

test.each(Object.entries(OF_A_READ))('F151 a client that answers a read with %s runs nothing', async (_, shape) => {
  const store = postgresStore({ client: shaped(shape, isRead) });

  expect(await failureOf(store.acquire(claim({ name: await used() }), call()))).toMatchObject({
    code: 'INVALID_REQUEST',
    retryable: false,
  });
});

test.each<[string, Shape]>([
  ['BigInts', ({ rows }) => rows.map((row) => ({ ...row, version: row['version'] && BigInt(String(row['version'])) }))],
  [
    'numbers',
    ({ rows }) => rows.map((row) => ({ ...row, ...(row['version'] != null && { version: Number(row['version']) }) })),
  ],
  ['rows without a prototype', ({ rows }) => rows.map((row) => Object.assign(Object.create(null), row))],
  ['an object with rows', (answer) => answer],
])('F151 a client that answers with %s works', async (_, shape) => {
  const query = async (text: string, values: (string | number)[]) => shape(await pool.query(text, values));
  const store = postgresStore({ client: { query } as PostgresClient });
  const lease = await grant(store, claim({ name: newName() }));

  expect(await store.extend(lease, { leaseMs: 60_000 }, call())).toMatchObject({ status: 'extended' });
  expect(await store.release(lease, done, call())).toBe('released');
});

test('F151 a client that sends nothing makes no table', async () => {
  const client = async () => [];

  expect(await failureOf(createPostgresTable(client, { table: 'sent_nowhere' }))).toMatchObject(
    says('INVALID_REQUEST', 'the table was not made: the client answered a read with an empty array'),
  );
});

test('F151 an error names the fields of an answer and none of its values', async () => {
  const client = shaped(
    () => [{ token: 'secret', owner: 'secret' }],
    (text) => !isRead(text),
  );
  const { message } = await failureOf<Error>(postgresStore({ client }).acquire(claim({ name: newName() }), call()));

  expect(message).toContain('an array of one item (an object with token, owner)');
  expect(message).not.toContain('secret');
});
