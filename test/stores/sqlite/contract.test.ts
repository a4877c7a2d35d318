import { fileURLToPath } from 'node:url';
import { lockStoreContract } from 'single-execution/testing';
import { afterAll, describe, expect, test } from 'vitest';
import { bundleWorker, startWorker } from '../../edge/workerd.js';
import { ownEngine } from '../../support/backends/stage.js';
import { openStore } from '../../support/backends.js';
import { memberCases } from '../../support/member-cases.js';
import { playedOnNode, WHOLE_CONTRACT } from './played-on-node.js';

const LONGEST_MS = 300_000;

const engine = await ownEngine('sqlite');
const address = engine.at();
const locks = await openStore(address);
afterAll(locks.close);

describe.concurrent('row 132: sqliteStore over libSQL on a file keeps the contract of all stores', () => {
  const harness = engine.harness(address, locks);
  for (const { name, check } of [...lockStoreContract, ...memberCases]) test(name, () => check(harness));
});

test.concurrent(
  'row 132: sqliteStore over node:sqlite of Node 24 keeps the contract of all stores',
  async () => expect(await playedOnNode(24)).toMatchObject(WHOLE_CONTRACT),
  LONGEST_MS,
);

test.concurrent(
  'row 132: sqliteStore over D1, in workerd, keeps the contract of all stores',
  async ({ onTestFinished }) => {
    const bundle = await bundleWorker(fileURLToPath(new URL('./d1.worker.ts', import.meta.url)));
    const worker = await startWorker(bundle, {}, { compatibilityFlags: ['nodejs_compat'] });
    onTestFinished(() => worker.stop().then(() => undefined));

    expect(JSON.parse(await worker.ask('/'))).toEqual(WHOLE_CONTRACT);
  },
  LONGEST_MS,
);
