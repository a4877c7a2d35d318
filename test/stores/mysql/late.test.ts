import mariadb from 'mariadb';
import oldMariadb from 'mariadb-3.0';
import mysql from 'mysql2/promise';
import { mysqlStore } from 'single-execution/mysql';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ownEngine } from '../../support/backends/stage.js';
import { call, claim, done, grant } from '../../support/one-run.js';
import { failureOf } from '../../support/settled.js';
import { startTcpFaultProxy } from '../../support/tcp-fault-proxy.js';
import { untilUnhandledAreTold } from '../../support/unhandled.js';

/*
 * Statements that wait, in a client's queue or for a lock of the database, until their call has given up. A grant or an
 * extension that is applied then would keep the lock for nobody.
 */

const { server, pool } = await ownEngine('mysql');
const sound = mysqlStore({ client: pool });

type Query = (text: string, values: (string | number)[]) => Promise<mysql.RowDataPacket[] | mysql.ResultSetHeader>;
const query: Query = async (text, values) =>
  (await pool.execute<mysql.RowDataPacket[] | mysql.ResultSetHeader>(text, values))[0];
const isWrite = (text: string) => !text.startsWith('SELECT');

let names = 0;
const newName = () => `late ${names++}`;
const itemOf = async (name: string) => (await sound.get(name, call()))?.item;

async function connected(): Promise<mysql.Connection> {
  const connection = await mysql.createConnection(server.url);
  onTestFinished(() => connection.end());
  return connection;
}

/** A store whose client holds every write back, until `arrive` sends them all. */
function holdingBack() {
  const waiting: (() => void)[] = [];
  const answers: ReturnType<Query>[] = [];
  const store = mysqlStore({
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
    expect(await itemOf(lease.name)).toMatchObject({ lockUntil: lease.lockUntilMs });
  });

  test('is a release all the same: it holds the record of finished work', async () => {
    const lease = await grant(sound, claim({ name: newName(), tickMs: 1_800_000_000_000 }));
    const { store, arrive } = holdingBack();

    expect(await failureOf(store.release(lease, done, call(1_000)))).toMatchObject({ code: 'UNAVAILABLE' });
    await arrive();
    expect(await itemOf(lease.name)).toMatchObject({ state: 'released', doneTick: 1_800_000_000_000 });
  });
});

describe('F152 a write that waits for somebody else’s transaction', () => {
  /** Waits until the server has applied or refused whatever waited. */
  const settled = async () => {
    for (;;) {
      const [rows] = await pool.query<mysql.RowDataPacket[]>(
        "SELECT 1 FROM information_schema.processlist WHERE info LIKE '%single_execution_locks%' AND id <> CONNECTION_ID()",
      );
      if (rows.length === 0) return;
    }
  };

  test('is refused once its call is over: a row that is locked', async () => {
    const name = newName();
    await sound.release(await grant(sound, claim({ name })), done, call());
    const other = await connected();
    await other.beginTransaction();
    await other.execute('SELECT 1 FROM single_execution_locks WHERE name = ? FOR UPDATE', [name]);

    expect(await failureOf(sound.acquire(claim({ name }), call(1_000)))).toMatchObject({ code: 'UNAVAILABLE' });
    await other.commit();
    await settled();
    expect(await itemOf(name)).toMatchObject({ state: 'released' });
  });

  test('makes at most an empty row: a name that somebody inserts', async () => {
    const name = newName();
    const other = await connected();
    await other.beginTransaction();
    await other.execute("INSERT INTO single_execution_locks VALUES (?, '{}', 1)", [name]);

    expect(await failureOf(sound.acquire(claim({ name }), call(1_000)))).toMatchObject({ code: 'UNAVAILABLE' });
    await other.rollback();
    await settled();
    expect((await itemOf(name))?.['state']).not.toBe('held');
    expect((await sound.list(call())).filter((one) => one.name === name && one.item['state'] === 'held')).toEqual([]);
  });
});

describe('F209 a connection that goes silent', () => {
  test.each([
    ['newest', mariadb],
    ['oldest', oldMariadb as unknown as typeof mariadb],
  ])('is closed without a KILL, whose failure would end the process: the %s mariadb', async (_, { createPool }) => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown) => unhandled.push(reason);
    process.on('unhandledRejection', note);
    onTestFinished(() => void process.off('unhandledRejection', note));
    const seen = { silent: 0, kills: 0 };
    const proxy = await startTcpFaultProxy(Number(new URL(server.url).port), (request) => {
      if (request.includes('KILL ')) {
        seen.kills++;
        return 'drop-request';
      }
      return request.includes('single_execution_locks') && seen.silent++ === 0 ? 'stall' : undefined;
    });
    onTestFinished(proxy.stop);
    const url = new URL(server.url);
    const client = createPool({ host: url.hostname, port: proxy.port, user: 'root', database: url.pathname.slice(1) });

    await grant(mysqlStore({ client }), claim({ name: newName() }));
    await expect.poll(() => client.activeConnections()).toBe(0);
    await client.end();
    await untilUnhandledAreTold();
    expect({ ...seen, unhandled }).toMatchObject({ kills: 0, unhandled: [] });
    expect(seen.silent).toBeGreaterThan(1);
  });
});
