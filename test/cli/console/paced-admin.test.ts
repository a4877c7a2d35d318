import { lockAdmin } from 'single-execution/admin';
import { memoryStore } from 'single-execution/memory';
import { manualClock } from 'single-execution/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startConsole } from '../../../src/cli/console/console-server.js';
import { pacedAdmin, REFRESH_MS } from '../../../src/cli/console/paced-admin.js';
import { ran } from '../stage.js';

/** Locks whose reads are counted, and a clock to turn. */
function counted() {
  const clock = manualClock(Date.UTC(2026, 10, 20));
  const store = memoryStore();
  const admin = lockAdmin(store, { clock });
  const reads = { list: 0, get: 0 };
  const paced = pacedAdmin(
    {
      ...admin,
      list: () => {
        reads.list++;
        return admin.list();
      },
      get: (name) => {
        reads.get++;
        return admin.get(name);
      },
    },
    clock,
  );
  return { clock, store, admin, paced, reads };
}

describe('the pages of a console that are open', () => {
  test('read the store once a refresh, all together', async () => {
    const { clock, store, paced, reads } = counted();
    await ran(store, 'digest');
    const console = await startConsole({ admin: paced, clock, page: '', readOnly: false, store: 'memory' });
    onTestFinished(() => console.close());
    const { origin, hash } = new URL(console.url);
    const authorization = `Bearer ${hash.slice('#token='.length)}`;
    const ask = async (path: string) => (await fetch(`${origin}/api/${path}`, { headers: { authorization } })).json();
    const pages = () => Promise.all(Array.from({ length: 20 }, () => ask('locks')));

    expect(await ask('console')).toMatchObject({ refreshMs: REFRESH_MS });
    for (const list of await pages()) expect(list).toMatchObject([{ name: 'digest' }]);
    await clock.advance(REFRESH_MS - 1);
    await pages();
    expect(reads.list).toBe(1);
    await clock.advance(1);
    await pages();
    await pages();
    expect(reads).toEqual({ list: 2, get: 0 });
  });

  test('wait together for a read that takes longer than a refresh, and for one that fails', async () => {
    const { clock, admin } = counted();
    let fail = (_: Error) => {};
    let reads = 0;
    const list = () => {
      reads++;
      return new Promise<never>((_, reject) => {
        fail = reject;
      });
    };
    const paced = pacedAdmin({ ...admin, list }, clock);
    const asked = [paced.list()];
    await clock.advance(10 * REFRESH_MS);
    asked.push(paced.list());
    fail(new Error('away'));

    expect((await Promise.allSettled(asked)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await expect(paced.list()).rejects.toThrow('away');
    expect(reads).toBe(1);
    await clock.advance(REFRESH_MS);
    void paced.list().catch(() => undefined);
    expect(reads).toBe(2);
  });

  test('see at once what one of them has changed, and for that one lock is read', async () => {
    const { store, admin, paced, reads } = counted();
    await ran(store, 'b');
    await ran(store, 'c');
    const states = async () => (await paced.list()).map(({ name, state }) => [name, state]);
    expect(await states()).toEqual([
      ['b', 'free'],
      ['c', 'free'],
    ]);

    await admin.pause('a');
    await paced.refresh('a');
    await admin.delete('c', { fencingToken: (await admin.get('c'))?.fencingToken ?? 0 });
    await paced.refresh('c');

    expect(await states()).toEqual([
      ['a', 'paused'],
      ['b', 'free'],
    ]);
    expect(reads).toEqual({ list: 1, get: 2 });
  });
});
