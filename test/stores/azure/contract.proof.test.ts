import { azureTableStore } from 'single-execution/azure';
import { lockStoreContract } from 'single-execution/testing';
import { afterAll, describe, expect, test } from 'vitest';
import { azureClient, azureKey } from '../../support/backends/azure.js';
import { startBackends } from '../../support/backends/stage.js';
import { inThisRun } from '../../support/in-this-run.js';
import { memberCases } from '../../support/member-cases.js';
import { call } from '../../support/one-run.js';
import { AZURE_CLIENTS } from './azure-clients.js';

const LONGEST_MS = 300_000;

const stage = await startBackends('azure');
const { engine, address } = stage.on('azure');
afterAll(() => stage.stop());
const { url, place } = address;
const [first = [], ...further] = Object.entries(AZURE_CLIENTS).map((client) => [client]);

describe.each(inThisRun([], first, further.flat()))(
  'row 234: azureTableStore over @azure/data-tables %s keeps the contract of all stores',
  (title, clientAt) => {
    const keyPrefix = `${title}:`;
    const store = azureTableStore({ client: clientAt(url, place), keyPrefix });
    const harness = engine.harness(address, { store, admin: store }, keyPrefix);
    for (const { name, check } of [...lockStoreContract, ...memberCases]) {
      test.concurrent(name, () => check(harness), LONGEST_MS);
    }
  },
);

test(
  'row 233: a list has more names than one page',
  async () => {
    const client = azureClient(url, place);
    const names = Array.from({ length: 1_001 }, (_, index) => `${index}`);
    for (let done = 0; done < names.length; done += 50) {
      await Promise.all(
        names.slice(done, done + 50).map((name) => {
          return client.createEntity({ partitionKey: azureKey(`many:${name}`), rowKey: 'lock', record: '{}' });
        }),
      );
    }
    const listed = await azureTableStore({ client, keyPrefix: 'many:' }).list({ ...call(), budgetMs: LONGEST_MS });

    expect(listed.map(({ name }) => name).sort()).toEqual(names.sort());
  },
  LONGEST_MS,
);
