import { type LockInfo, lockAdmin } from 'single-execution/admin';
import { memoryStore } from 'single-execution/memory';
import { manualClock } from 'single-execution/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startConsole } from '../../../src/cli/console/console-server.js';
import { pacedAdmin, REFRESH_MS } from '../../../src/cli/console/paced-admin.js';
import type { Job } from '../../../src/operate/troubles.js';
import { ran, ranAt } from '../stage.js';

/** Locks whose reads are counted, and a clock to turn. */
function counted() {
  const clock = manualClock(Date.UTC(2026, 10, 20));
  const store = memoryStore();
  const admin = lockAdmin(store, { clock });
  const reads = { list: 0, get: 0 };
  const list = () => {
    reads.list++;
    return admin.list();
  };
  const get = (name: string) => {
    reads.get++;
    return admin.get(name);
  };
  const removed = async (name: string) =>
    admin.delete(name, { fencingToken: (await admin.get(name))?.fencingToken ?? 0 });
  return { clock, store, admin, removed, paced: pacedAdmin({ ...admin, list, get }, clock), reads };
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
    const { store, admin, removed, paced, reads } = counted();
    await ran(store, 'b');
    await ran(store, 'c');
    const states = async () => (await paced.list()).map(({ name, state }) => `${name} ${state}`);
    expect(await states()).toEqual(['b free', 'c free']);

    await admin.pause('a');
    await paced.refresh('a');
    await removed('c');
    await paced.refresh('c');
    expect(await states()).toEqual(['a paused', 'b free']);
    expect(reads).toEqual({ list: 1, get: 2 });
  });

  test('row 244: are sent only the jobs that have changed, and the names of those that are gone', async () => {
    const { clock, store, admin, removed, paced, reads } = counted();
    for (const name of ['a', 'b', 'c']) await ran(store, name);
    const changes = async (after: number) => {
      const { jobs, revision, more, gone } = JSON.parse(await paced.changesAfter(after));
      expect(more).toBe(false);
      return [revision, gone.join(), jobs.map(({ name, state }: LockInfo) => `${name} ${state}`).join()];
    };
    expect(await changes(0)).toEqual([3, '', 'a free,b free,c free']);
    expect(await changes(3)).toEqual([3, '', '']);

    await admin.pause('b');
    await removed('c');
    expect(await changes(3)).toEqual([3, '', '']);
    await clock.advance(REFRESH_MS);
    expect(await changes(3)).toEqual([5, 'c', 'b paused']);
    expect(await changes(0)).toEqual([5, 'c', 'a free,b paused']);
    await clock.advance(10 * REFRESH_MS);
    expect(await changes(5)).toEqual([5, '', '']);
    expect(reads.list).toBe(3);
  });

  test('row 244: are sent ten thousand jobs in parts, the most urgent ones first', async () => {
    const { clock, admin } = counted();
    const name = (n: number) => `job-${String(n).padStart(5, '0')}`;
    const locks = Array.from({ length: 10_000 }, (_, n) => {
      const isIll = n % 50 === 49;
      return { name: name(n), state: isIll ? 'corrupt' : 'free', failuresInARow: 0, runs: [] } as const;
    });
    const paced = pacedAdmin({ ...admin, list: async () => [...locks] }, clock);
    const parts: (readonly LockInfo[])[] = [];
    let revision = 0;
    for (let more = true; more; ) {
      const part = JSON.parse(await paced.changesAfter(revision));
      ({ more, revision } = part);
      parts.push(part.jobs);
    }

    expect(parts.map(({ length }) => length)).toEqual(Array.from({ length: 10 }, () => 1_000));
    expect(parts[0]?.filter(({ state }) => state === 'corrupt')).toHaveLength(200);
    expect(parts[0]?.[0]?.name).toBe(name(49));
    expect(new Set(parts.flat().map((job) => job.name)).size).toBe(10_000);
  });

  test('row 244: are told when time alone has changed a job', async () => {
    const { clock, store, admin } = counted();
    const run = { tick: new Date(clock.now()), atMs: clock.now(), tookMs: 1_000, lockedBy: 'web-1' };
    await ranAt(store, 'hourly', { ...run, schedule: '0 * * * *' });
    const [seen] = await admin.list();
    let minutes = 0;
    const readAt = () => new Date(clock.now() + minutes * 60_000);
    const later = pacedAdmin({ ...admin, list: async () => [{ ...(seen as LockInfo), readAt: readAt() }] }, clock);
    const told = async (to: number) => {
      await clock.advance(REFRESH_MS);
      minutes = to;
      const { jobs } = JSON.parse(await later.changesAfter(revision));
      revision += jobs.length;
      return jobs.map(({ troubles = [], nextTick }: Job) => [troubles, String(nextTick).slice(11, 16)]);
    };
    let revision = 0;

    expect(await told(1)).toEqual([[[], '01:00']]);
    expect(await told(2)).toEqual([]);
    expect(await told(61)).toEqual([[[], '02:00']]);
    expect(await told(76)).toEqual([[['overdue'], '02:00']]);
  });
});
