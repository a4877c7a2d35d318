import { rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { acquireLock } from 'single-execution';
import { lockAdmin } from 'single-execution/admin';
import { durableObjectStore, type LockNamespace } from 'single-execution/durable-objects';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readRecord } from '../../../src/core/record/lock-record.js';
import { bundleWorker, dataFolder, startWorker } from '../../edge/workerd.js';

/*
 * Two versions of the library at once, in the real workerd: those of the Worker with the objects, and of Workers that
 * call them. `one` is a Worker with the exchange of this library, and `two` one with the next exchange.
 */

const WORKER = fileURLToPath(new URL('./versions.worker.ts', import.meta.url));
const CHANGE = { file: 'durable-objects/object-answer.ts', text: 'PROTOCOL = 1', by: 'PROTOCOL = 2' };
const [one, two] = await Promise.all([bundleWorker(WORKER), bundleWorker(WORKER, CHANGE)]);
const HOLDERS = { one, two };

interface Deployed {
  readonly url: string;
  /** Runs a job for one tick. @param more `later`: with requests that have more fields */
  run(
    caller: 'one' | 'two',
    name: string,
    more?: string,
  ): Promise<{ readonly status: string; readonly reason?: string }>;
  stored(name: string): Promise<{ readonly record?: object; readonly added?: string } | null>;
}

async function deployed(holder: keyof typeof HOLDERS, version = 'this', folder?: string): Promise<Deployed> {
  const runtime = { objects: { LOCKS: 'VersionedObject' }, beside: { one, two } };
  const worker = await startWorker(HOLDERS[holder], { VERSION: version }, { ...runtime, ...(folder && { folder }) });
  onTestFinished(async () => void (await worker.stop()));
  return {
    url: worker.url,
    run: async (caller, name, more = '') => JSON.parse(await worker.ask(`/run?name=${name}&${more}`, caller)),
    stored: async (name) => JSON.parse(await worker.ask(`/stored?name=${name}`)),
  };
}

const ANOTHER_VERSION = {
  status: 'failed',
  code: 'INVALID_REQUEST',
  retryable: true,
  message:
    'acquire of lock "job" failed: the object is of another version of this library, and wrote nothing: deploy the Worker that exports LockObject with the version of this one, and call again',
};

describe('row 186: callers of two versions', () => {
  test.each(['this', 'later'])(
    'row 186: with one exchange run a tick once, on objects of %s version',
    async (version) => {
      const { run, stored } = await deployed('one', version);
      const all = await Promise.all(['', 'later', '', 'later', '', 'later'].map((more) => run('one', 'job', more)));

      expect(all.map(({ status, reason }) => reason ?? status).sort()).toEqual([
        'executed',
        ...Array(5).fill('locked'),
      ]);
      const again = await Promise.all(['', 'later'].map((more) => run('one', 'job', more)));
      expect(again.map(({ reason }) => reason)).toEqual(['already-executed', 'already-executed']);
      expect(readRecord('job', (await stored('job'))?.record as never)).toMatchObject({ state: 'released' });
    },
  );

  test.each([
    ['one', 'two'],
    ['two', 'one'],
  ] as const)(
    'row 186: F199 with two exchanges run a tick once, by callers with that of the objects (%s); others fail',
    async (same, other) => {
      const { run, stored } = await deployed(same);
      expect(await run(other, 'job')).toEqual(ANOTHER_VERSION);
      expect(await stored('job')).toBe(null);
      const callers = [same, other, same, other, same, other];
      const all = await Promise.all(callers.map((caller) => run(caller, 'job')));

      expect(all.filter((_, n) => n % 2 === 1)).toEqual(Array(3).fill(ANOTHER_VERSION));
      const ended = all.filter((_, n) => n % 2 === 0).map(({ status, reason }) => reason ?? status);
      expect(ended.sort()).toEqual(['executed', 'locked', 'locked']);
      expect(await run(other, 'job')).toEqual(ANOTHER_VERSION);
      expect(await run(same, 'job')).toMatchObject({ reason: 'already-executed' });
    },
  );

  test('row 186: a tick that is done stays done when the objects get another version, and what a later one stored stays', async () => {
    const folder = await dataFolder();
    onTestFinished(() => rm(folder, { recursive: true }));
    const next = async (holder: 'one' | 'two', version: string, day: number) => {
      const { run, stored } = await deployed(holder, version, folder);
      const older = await run(holder, 'job', `tick=2026-11-${day - 1}`);
      return [older.reason, (await run(holder, 'job', `tick=2026-11-${day}`)).status, (await stored('job'))?.added];
    };

    expect(await next('one', 'later', 24)).toEqual([undefined, 'executed', 'later']);
    expect(await next('two', 'this', 25)).toEqual(['already-executed', 'executed', 'later']);
    expect(await next('one', 'this', 26)).toEqual(['already-executed', 'executed', 'later']);
  });
});

/** The objects from outside, whose requests can be changed on their way. */
function namespaceAt(url: string, change: (request: Record<string, unknown>) => object): LockNamespace {
  return {
    idFromName: (name) => ({ name }),
    get: (id) => ({
      fetch: (_, { body }) => {
        const { name } = id as { readonly name: string };
        const init = { method: 'POST', body: JSON.stringify(change(JSON.parse(body))) };
        return fetch(`${url}/?object=${encodeURIComponent(name)}`, init);
      },
    }),
  };
}
const LOCK = { name: 'job', lockAtMostFor: '1m', observers: [] } as const;

test('F199 a run whose object gets another version keeps its lock to the end of the lease, and nobody overlaps it', async () => {
  const { url, run } = await deployed('one');
  let protocol = 1;
  const lock = await acquireLock({
    ...LOCK,
    store: durableObjectStore(namespaceAt(url, (sent) => ({ ...sent, protocol }))),
  });
  protocol = 2;

  await expect(lock.extend('5m')).rejects.toMatchObject({ code: 'INVALID_REQUEST', retryable: true });
  expect(await lock.release()).toBe('unknown');
  expect(await run('one', 'job')).toMatchObject({ reason: 'locked' });
});

test('F199 an operation that the object does not know is refused, and changes nothing', async () => {
  const { url, stored } = await deployed('one');
  const admin = (verb?: string) =>
    lockAdmin(
      durableObjectStore(namespaceAt(url, (sent) => ({ ...sent, ...(verb && sent['verb'] === 'pause' && { verb }) }))),
    );
  await (await acquireLock({ ...LOCK, store: durableObjectStore(namespaceAt(url, (sent) => sent)) })).release();
  const before = await stored('job');

  await expect(admin('pauseAll').pause('job')).rejects.toMatchObject({ code: 'INVALID_REQUEST', retryable: true });
  expect(await stored('job')).toEqual(before);
  expect(await admin().pause('job')).toMatchObject({ state: 'paused' });
});
