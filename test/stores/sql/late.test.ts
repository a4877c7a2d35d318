import { describe, expect, test } from 'vitest';
import { call, claim, done, grant } from '../../support/one-run.js';
import { failureOf } from '../../support/settled.js';
import { DATABASES, type Query } from './databases.js';

/*
 * Statements that wait, in a client's queue or for a lock of the database, until their call has given up. A grant or an
 * extension that is applied then would keep the lock for nobody.
 */

const UNAVAILABLE = { code: 'UNAVAILABLE' };
let names = 0;
const newName = () => `late ${names++}`;

describe.each(Object.entries(DATABASES))('%s', async (_, start) => {
  const { query, store, connected, settled } = await start();
  const sound = store(query);
  const itemOf = async (name: string) => (await sound.get(name, call()))?.item;
  const ranBefore = async (name: string) => sound.release(await grant(sound, claim({ name })), done, call());

  /** A store whose client holds every write back, until `arrive` sends them all. */
  function holdingBack() {
    const waiting: (() => void)[] = [];
    const answers: Promise<object[]>[] = [];
    const client: Query = (text, values) => {
      if (text.startsWith('SELECT')) return query(text, values);
      const answer = new Promise<void>((send) => waiting.push(send)).then(() => query(text, values));
      answers.push(answer);
      return answer;
    };
    const arrive = async () => {
      for (const send of waiting) send();
      return Promise.all(answers);
    };
    return { late: store(client), arrive };
  }

  describe('F152 a write that arrives after its call has given up', () => {
    test.each(['a lock that never ran', 'a lock that ran before'])('is no grant of %s', async (kind) => {
      const name = newName();
      if (kind.endsWith('before')) await ranBefore(name);
      const { late, arrive } = holdingBack();

      expect(await failureOf(late.acquire(claim({ name }), call(1_000)))).toMatchObject(UNAVAILABLE);
      await arrive();
      expect(await sound.acquire(claim({ name }), call())).toMatchObject({ status: 'acquired' });
    });

    test('is no extension', async () => {
      const lease = await grant(sound, claim({ name: newName() }));
      const { late, arrive } = holdingBack();

      expect(await failureOf(late.extend(lease, { leaseMs: 600_000 }, call(1_000)))).toMatchObject(UNAVAILABLE);
      await arrive();
      expect(await itemOf(lease.name)).toMatchObject({ lockUntil: lease.lockUntilMs });
    });

    test('is a release all the same: it holds the record of finished work', async () => {
      const lease = await grant(sound, claim({ name: newName(), tickMs: 1_800_000_000_000 }));
      const { late, arrive } = holdingBack();

      expect(await failureOf(late.release(lease, done, call(1_000)))).toMatchObject(UNAVAILABLE);
      await arrive();
      expect(await itemOf(lease.name)).toMatchObject({ state: 'released', doneTick: 1_800_000_000_000 });
    });
  });

  describe('F152 a write that waits for somebody else’s transaction', () => {
    test('is refused once its call is over: a row that is locked', async () => {
      const name = newName();
      await ranBefore(name);
      const other = await connected();
      await other('BEGIN');
      await other(`SELECT 1 FROM single_execution_locks WHERE name = '${name}' FOR UPDATE`);

      expect(await failureOf(sound.acquire(claim({ name }), call(1_000)))).toMatchObject(UNAVAILABLE);
      await other('COMMIT');
      await settled();
      expect(await itemOf(name)).toMatchObject({ state: 'released' });
    });

    test('makes at most an empty row: a name that somebody inserts', async () => {
      const name = newName();
      const other = await connected();
      await other('BEGIN');
      await other(`INSERT INTO single_execution_locks VALUES ('${name}', '{}', 1)`);

      expect(await failureOf(sound.acquire(claim({ name }), call(1_000)))).toMatchObject(UNAVAILABLE);
      await other('ROLLBACK');
      await settled();
      expect((await itemOf(name))?.['state']).not.toBe('held');
      expect((await sound.list(call())).filter((one) => one.name === name && one.item['state'] === 'held')).toEqual([]);
    });
  });
});
