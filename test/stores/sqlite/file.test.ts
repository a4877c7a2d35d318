import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import { type Client, createClient } from '@libsql/client';
import { type Execution, executeWithLock } from 'single-execution';
import { createSqliteTable, sqliteStore } from 'single-execution/sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { bundledProgram } from '../../support/bundled-program.js';
import { nodeBinary } from '../../support/node-binary.js';
import { playFileScenes, type Seen, seenInFiles } from './file-scenes.js';

/** libSQL waits for 5 s at a time for a file that is locked. */
const LONGEST_MS = 120_000;

const CLIENTS: Readonly<Record<string, () => Promise<Readonly<Record<string, Seen>>>>> = {
  '@libsql/client': () =>
    playFileScenes((path) => {
      const client = createClient({ url: `file:${path}` });
      return {
        client,
        exec: (sql) => client.execute(sql),
        async lock() {
          const writing = await client.transaction('write');
          return () => writing.rollback();
        },
        close: () => client.close(),
      };
    }),
  async 'node:sqlite'() {
    const program = await bundledProgram(new URL('./file-program.ts', import.meta.url));
    try {
      const { stdout } = await promisify(execFile)(await nodeBinary(24), [program.path]);
      return JSON.parse(stdout);
    } finally {
      await program.remove();
    }
  },
};

/** Writes to a file by a thread of its own, most of the time, so that a statement comes in between now and then. */
function busyWriter(path: string): Worker {
  return new Worker(
    `const { workerData } = require('node:worker_threads');
    const client = require('@libsql/client').createClient({ url: 'file:' + workerData, timeout: 60_000 });
    const pause = (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
    (async () => {
      for (;;) {
        const writing = await client.transaction('write');
        pause(900);
        await writing.rollback();
        pause(300);
      }
    })();`,
    { eval: true, workerData: path },
  );
}

test('rows 21, 22: keepAlive holds the lock in a file that another process keeps busy', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sqlite-busy-'));
  const path = join(folder, 'locks.db');
  const [client, other] = [0, 1].map(() => createClient({ url: `file:${path}` })) as [Client, Client];
  await createSqliteTable(client);
  const writer = busyWriter(path);
  onTestFinished(async () => {
    await writer.terminate();
    for (const one of [client, other]) one.close();
    await rm(folder, { recursive: true });
  });
  let renewals = 0;
  const types: string[] = [];
  const options = { name: 'digest', lockAtMostFor: '9s' };
  const task = async ({ signal }: Execution) => {
    while (!signal.aborted && renewals < 4) await sleep(20);
    return [
      signal.aborted,
      await executeWithLock(() => 'ran', { ...options, store: sqliteStore({ client: other }), observers: [] }),
    ];
  };
  const outcome = await executeWithLock(task, {
    ...options,
    store: sqliteStore({ client }),
    keepAlive: true,
    observers: [
      ({ type }) => {
        types.push(type);
        if (type === 'extended') renewals++;
      },
    ],
  });

  expect(outcome).toMatchObject({ value: [false, { status: 'skipped', reason: 'locked' }], release: 'released' });
  expect(types).not.toContain('lost');
});

// At the same time: one of the two programs is a process of its own.
test.concurrent.each(Object.entries(CLIENTS))(
  'F177 F178 a file that is locked, deleted, replaced, full or read-only, over %s',
  async (_, play) => {
    expect(await play()).toEqual(seenInFiles());
  },
  LONGEST_MS,
);
