import { fileURLToPath } from 'node:url';
import { lockStoreContract } from 'single-execution/testing';
import { describe, expect, test } from 'vitest';
import { bundleWorker, startWorker } from '../../edge/workerd.js';
import { startBackends } from '../../support/backends/stage.js';
import { inThisRun } from '../../support/in-this-run.js';
import { memberCases } from '../../support/member-cases.js';
import { call, claim, grant } from '../../support/one-run.js';

const LONGEST_MS = 300_000;

const [playsOutside] = inThisRun([true], [false]);
if (playsOutside) {
  const stage = await startBackends('durable-objects');
  const { engine, address, store, admin } = stage.on('durable-objects');
  const harness = engine.harness(address, { store, admin });

  describe.concurrent('row 217: durableObjectStore over the real workerd keeps the contract of all stores', () => {
    for (const { name, check } of [...lockStoreContract, ...memberCases]) test(name, () => check(harness));
  });
} else {
  test.concurrent.each([
    ['storage in SQLite', { compatibilityFlags: ['nodejs_compat'] }],
    ['the older kind of storage', { compatibilityFlags: ['nodejs_compat'], inKv: true }],
    // The oldest date there is.
    ['an old compatibility date', { compatibilityFlags: ['nodejs_compat'], compatibilityDate: '2021-11-03' }],
  ])(
    'row 217: durableObjectStore keeps the contract in a Worker, with %s',
    async (_, runtime) => {
      const bundle = await bundleWorker(fileURLToPath(new URL('./contract.worker.ts', import.meta.url)));
      const worker = await startWorker(bundle, {}, { objects: { LOCKS: 'TestedObject' }, ...runtime });
      const played = JSON.parse(await worker.ask('/'));
      await worker.stop();

      expect(played).toEqual({ cases: lockStoreContract.length, failed: [] });
    },
    LONGEST_MS,
  );

  test(
    'a list has more names than one answer of the index',
    async ({ onTestFinished }) => {
      const stage = await startBackends('durable-objects');
      onTestFinished(() => stage.stop());
      const { engine, prefixed } = stage.on('durable-objects');
      const keys = Array.from({ length: 1_001 }, (_, index) => `many:${index}`);
      for (let done = 0; done < keys.length; done += 50) {
        await Promise.all(keys.slice(done, done + 50).map((key) => engine.list(key)));
      }
      const { store, admin } = prefixed('many:');
      // The last name, in the order of the index, has the only record.
      await grant(store, claim({ name: '999' }));

      expect((await admin.list({ ...call(), budgetMs: LONGEST_MS })).map(({ name }) => name)).toEqual(['999']);
    },
    LONGEST_MS,
  );
}
