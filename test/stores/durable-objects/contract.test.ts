import { fileURLToPath } from 'node:url';
import { lockStoreContract } from 'single-execution/testing';
import { describe, expect, test } from 'vitest';
import { bundleWorker, startWorker } from '../../edge/workerd.js';
import { startBackends } from '../../support/backends/stage.js';
import { inThisRun } from '../../support/in-this-run.js';
import { memberCases } from '../../support/member-cases.js';

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
    // From 2024-04-03 on, stubs have every method. No earlier date is accepted with nodejs_compat's timers/promises.
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
}
