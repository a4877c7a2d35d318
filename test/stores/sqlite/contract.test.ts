import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Client, createClient } from '@libsql/client';
import { createSqliteTable, sqliteStore } from 'single-execution/sqlite';
import { type ContractHarness, lockStoreContract } from 'single-execution/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundleWorker, startWorker } from '../../edge/workerd.js';
import { memberCases } from '../../support/member-cases.js';
import { questionMarkStatements, type Rows, sqlHarness } from '../../support/sql-harness.js';
import { playedOnNode, WHOLE_CONTRACT } from './played-on-node.js';

const LONGEST_MS = 300_000;

let folder: string;
let client: Client;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sqlite-'));
  // Do not wait for the disk. This setting is for one connection, so use only one.
  client = createClient({ url: `file:${join(folder, 'locks.db')}`, concurrency: 1 });
  await client.execute('PRAGMA synchronous = OFF');
  await createSqliteTable(client);
});
afterAll(async () => {
  client.close();
  await rm(folder, { recursive: true });
});

const rows: Rows = async (sql, args) => (await client.execute({ sql, args })).rows;

describe.concurrent('row 132: sqliteStore over libSQL on a file keeps the contract of all stores', () => {
  let harness: ContractHarness;
  beforeAll(() => {
    const keyPrefix = 'libsql:';
    const store = sqliteStore({ client, keyPrefix });
    harness = sqlHarness({ store, keyPrefix, rows, ...questionMarkStatements() });
  });

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
