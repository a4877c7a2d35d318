import { randomUUID } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, type TranslateConfig } from '@aws-sdk/lib-dynamodb';
import { type DynamoDBStoreOptions, dynamoDBAdminStore, dynamoDBStore } from 'single-execution/dynamodb';
import { type ContractHarness, lockStoreContract } from 'single-execution/testing';
import { beforeAll, describe, test } from 'vitest';
import { type ClientAge, libraryOn } from '../../faults/clients.js';
import { dynamoDBHarness } from '../../support/backends/dynamodb.js';
import { dynamoDBLocal, freshTable } from '../../support/dynamodb-local.js';
import { inThisRun } from '../../support/in-this-run.js';
import { memberCases } from '../../support/member-cases.js';

type Shape = Pick<DynamoDBStoreOptions, 'partitionKey' | 'sortKey' | 'keyPrefix'>;

const SHAPES = inThisRun<readonly [string, Shape]>(
  [['row 71: a shared table with a key prefix', { partitionKey: 'pk', sortKey: 'sk', keyPrefix: 'app/prod#lock#' }]],
  [
    ['a table of its own', {}],
    ['row 71: a table with a sort key', { partitionKey: 'pk', sortKey: 'sk' }],
  ],
);

const AGES = inThisRun<ClientAge>([], [], ['oldest', 'copied']);

describe.concurrent.each(SHAPES)(
  'dynamoDBStore keeps the contract of all stores, and lists of members, on %s',
  (_, shape) => {
    let harness: ContractHarness;

    beforeAll(async () => {
      const { client } = dynamoDBLocal();
      harness = dynamoDBHarness({ tableName: await freshTable(client, shape), client, ...shape });
    });

    for (const { name, check } of [...lockStoreContract, ...memberCases]) test(name, () => check(harness));
  },
);

/** Cases that read DynamoDB's message. In a tree with several copies of the SDK's core, the SDK loses the message too. */
const READS_MESSAGE: Readonly<Partial<Record<ClientAge, RegExp>>> = {
  copied: /^F14 a wrong fencingToken of a free lock/,
};

describe.concurrent.each(AGES)('row 136: dynamoDBStore keeps the contract over the %s client', (age) => {
  let harness: ContractHarness;

  beforeAll(async () => {
    const { client, endpoint } = dynamoDBLocal();
    const library = await libraryOn(age);
    const own = new library.DynamoDBClient({ endpoint, maxAttempts: 1 });
    const tableName = `locks-${randomUUID()}`;
    await library.createLockTable(own, { tableName });
    // Once more: the table exists.
    await library.createLockTable(own, { tableName });
    harness = {
      ...dynamoDBHarness({ tableName, client }),
      store: library.dynamoDBStore({ tableName, client: own }),
      admin: library.dynamoDBAdminStore({ tableName, client: own }),
    };
  }, 60_000);

  const cases = [...lockStoreContract, ...memberCases].filter(({ name }) => !READS_MESSAGE[age]?.test(name));
  for (const { name, check } of cases) test(name, () => check(harness));
});

/** Settings of a user's document client that change what it sends and returns. */
const SETTINGS = inThisRun<readonly [string, TranslateConfig]>(
  [['numbers as texts', { unmarshallOptions: { wrapNumbers: String as never } }]],
  [],
  [
    ['wrapped numbers', { unmarshallOptions: { wrapNumbers: true } }],
    ['numbers as bigints', { unmarshallOptions: { wrapNumbers: BigInt as never } }],
    ['numbers as objects of a class', { unmarshallOptions: { wrapNumbers: ((of: string) => ({ of })) as never } }],
    ['outputs that are maps', { unmarshallOptions: { convertWithoutMapWrapper: false } }],
    [
      'empty texts as null, and more',
      { marshallOptions: { convertEmptyValues: true, convertTopLevelContainer: false } },
    ],
  ],
);

describe.concurrent.each(SETTINGS)('dynamoDBStore keeps the contract over a document client with %s', (_, settings) => {
  let harness: ContractHarness;

  beforeAll(async () => {
    const { client, endpoint } = dynamoDBLocal();
    const tableName = await freshTable(client);
    const own = DynamoDBDocumentClient.from(new DynamoDBClient({ endpoint, maxAttempts: 1 }), settings);
    harness = {
      ...dynamoDBHarness({ tableName, client }),
      store: dynamoDBStore({ tableName, client: own }),
      admin: dynamoDBAdminStore({ tableName, client: own }),
    };
  });

  for (const { name, check } of [...lockStoreContract, ...memberCases]) test(name, () => check(harness));
});
