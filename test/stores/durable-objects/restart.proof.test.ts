import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { acquireLock, executeWithLock } from 'single-execution';
import { lockAdmin } from 'single-execution/admin';
import { durableObjectStore, type LockNamespace } from 'single-execution/durable-objects';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { dataFolder } from '../../edge/workerd.js';
import { namespaceAt, type ObjectsEngine, startObjects } from '../../support/backends/durable-objects.js';
import { gate } from '../../support/gate.js';
import { freePort } from '../../support/kept-server.js';

/*
 * workerd is killed or stopped while a run goes on, and starts again on the same disk.
 */

const TICK = new Date('2026-01-01T00:00:00Z');
const DONE = { status: 'skipped', reason: 'already-executed' };

let folder: string;
let engine: ObjectsEngine;
beforeEach(async () => {
  folder = await dataFolder();
  engine = await startObjects({ folder, port: await freePort() });
});
afterEach(async () => {
  await engine.stop();
  await rm(folder, { recursive: true });
});

/** Kills the runtime, and starts it again at the same address. */
async function restart(): Promise<void> {
  const port = Number(new URL(engine.at().url).port);
  signalAll('SIGKILL');
  await engine.stop();
  engine = await startObjects({ folder, port });
}

function signalAll(signal: NodeJS.Signals): void {
  for (const pid of engine.pids) process.kill(pid, signal);
}

/** A namespace whose runtime restarts after the object has applied a verb, before the caller has the answer. */
function losing(verb: string): LockNamespace {
  const namespace = namespaceAt(engine.at().url);
  let isLost = false;
  return {
    idFromName: (name) => namespace.idFromName(name),
    get: (id) => ({
      async fetch(url, request) {
        const response = await namespace.get(id).fetch(url, request);
        const text = await response.text();
        if (!isLost && JSON.parse(request.body).verb === verb && JSON.parse(text).word === 'decided') {
          isLost = true;
          await restart();
          throw new Error('Network connection lost.');
        }
        return { ...response, text: async () => text };
      },
    }),
  };
}

const LOCK = { name: 'job', lockAtMostFor: '1m', observers: [] } as const;
const storeOf = (namespace = namespaceAt(engine.at().url)) => durableObjectStore(namespace);
const run = (task: () => unknown, namespace?: LockNamespace) =>
  executeWithLock(task, { ...LOCK, store: storeOf(namespace), tick: TICK });
const runsOf = async () => (await lockAdmin(storeOf()).runs('job')).map(({ status }) => status);

test('row 219: F207: a runtime that is killed between runs knows which ticks are done, and the names', async () => {
  await run(() => 'done');
  await restart();

  expect(await run(() => expect.unreachable())).toMatchObject(DONE);
  expect(await lockAdmin(storeOf()).list()).toMatchObject([{ name: 'job', state: 'free' }]);
});

test('row 219: F207: a runtime that is killed during a run leaves the lock to that run, which releases it', async () => {
  const lock = await acquireLock({ ...LOCK, store: storeOf(), tick: TICK });
  await restart();

  expect(await run(() => expect.unreachable())).toMatchObject({ status: 'skipped', reason: 'locked' });
  expect(await lock.release()).toBe('released');
  expect(await runsOf()).toEqual(['succeeded']);
});

test.each(['acquire', 'release', 'get'])(
  'row 219: F207: a runtime that is killed when it has applied %s has applied it once',
  async (verb) => {
    const namespace = losing(verb);

    expect(await run(() => 'done', namespace)).toMatchObject({ status: 'executed', release: 'released' });
    expect(await lockAdmin(storeOf(namespace)).get('job')).toMatchObject({ state: 'free' });
    expect(await run(() => expect.unreachable())).toMatchObject(DONE);
    expect(await runsOf()).toEqual(['succeeded']);
  },
);

test('row 219: F207: a name that is in the index when the runtime is killed has its lock at the next call', async () => {
  const namespace = namespaceAt(engine.at().url);
  const body = JSON.stringify({ protocol: 1, add: 'job' });
  await namespace.get(namespace.idFromName('index')).fetch('https://lock.object/', { method: 'POST', body });
  await restart();

  expect(await lockAdmin(storeOf()).list()).toEqual([]);
  expect(await run(() => 'done')).toMatchObject({ status: 'executed' });
  expect(await lockAdmin(storeOf()).list()).toMatchObject([{ name: 'job' }]);
});

test('row 219: a runtime that stands still ends the run by its lease, and no other run overlaps it', async () => {
  const begun = gate();
  let isRunning = false;
  const options = { ...LOCK, store: storeOf(), tick: TICK };
  const first = executeWithLock(
    async ({ signal }) => {
      isRunning = true;
      begun.open();
      if (!signal.aborted) await once(signal, 'abort');
      isRunning = false;
      signalAll('SIGCONT');
      signal.throwIfAborted();
    },
    { ...options, lockAtMostFor: '3s' },
  );
  await begun.opened;
  signalAll('SIGSTOP');
  const second = vi.waitFor(
    async () => {
      const outcome = await executeWithLock(() => expect(isRunning).toBe(false), options);
      expect(outcome).toMatchObject({ status: 'executed', release: 'released' });
    },
    { timeout: 60_000 },
  );

  await expect(first).rejects.toMatchObject({ code: 'LOCK_LOST' });
  await second;
  expect(await run(() => expect.unreachable())).toMatchObject(DONE);
});
