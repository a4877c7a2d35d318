import { mysqlStore } from 'single-execution/mysql';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ownEngine } from '../support/backends/stage.js';
import { call, claim, done, grant } from '../support/one-run.js';
import { failureOf } from '../support/settled.js';
import { MYSQL_CLIENTS } from './mysql-clients.js';

/*
 * A client whose one connection is inside a transaction of the program: whatever is written there can be rolled back,
 * and others do not see it until it is committed.
 */

const { server, pool } = await ownEngine('mysql');
const sound = mysqlStore({ client: pool });

let names = 0;
const newName = () => `in a transaction ${names++}`;
const itemOf = async (name: string) => (await sound.get(name, call()))?.item;
const INSIDE = "the client's connection is inside a transaction of this program";
const IN_TRANSACTION = { code: 'UNAVAILABLE', message: expect.stringContaining(INSIDE) };

const CONNECTIONS = MYSQL_CLIENTS.filter(({ isConnection }) => isConnection);

describe.each(CONNECTIONS)('F153 $package, $kind, inside a transaction', ({ connect }) => {
  const connected = async () => {
    const { client, run = async () => undefined, close } = await connect(server.url);
    onTestFinished(async () => void (await close()));
    return { store: mysqlStore({ client }), run };
  };

  test.each(['START TRANSACTION', 'START TRANSACTION READ ONLY', 'SET autocommit = 0'])(
    'writes nothing that a rollback takes back (%s)',
    async (begin) => {
      const { store, run } = await connected();
      const [first, second] = [newName(), newName()];
      const lease = await grant(sound, claim({ name: second }));
      await run(begin);

      expect(await failureOf(store.acquire(claim({ name: first }), call(500)))).toMatchObject(IN_TRANSACTION);
      expect(await failureOf(store.extend(lease, { leaseMs: 600_000 }, call(500)))).toMatchObject(IN_TRANSACTION);
      expect(await failureOf(store.release(lease, done, call(500)))).toMatchObject(IN_TRANSACTION);
      await run('COMMIT');
      expect(await itemOf(first)).toBeUndefined();
      expect(await itemOf(second)).toMatchObject({ state: 'held', lockUntil: lease.lockUntilMs });
    },
  );

  test('is waited for', async () => {
    const { store, run } = await connected();
    const name = newName();
    await run('START TRANSACTION');
    const asked = grant(store, claim({ name }));
    await run('DO SLEEP(0.05)');
    await run('ROLLBACK');

    expect((await asked).name).toBe(name);
    expect(await itemOf(name)).toMatchObject({ state: 'held' });
  });

  test('writes nothing into a transaction that begins between a read and its write', async () => {
    const { store, run } = await connected();
    const name = newName();
    const lease = await grant(store, claim({ name }));
    const released = store.release(lease, done, call(500)).catch((error: Error) => error.message);
    const begun = run('START TRANSACTION');
    expect([expect.stringContaining(INSIDE), 'released']).toContainEqual(await released);
    await begun;
    await run('ROLLBACK');
    const isReleased = (await released) === 'released';
    expect(await itemOf(name)).toMatchObject({ state: isReleased ? 'released' : 'held' });
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
