import type { DynamoDBStoreOptions } from 'single-execution/dynamodb';
import { type ContractHarness, lockStoreContract } from 'single-execution/testing';
import { beforeAll, describe, test } from 'vitest';
import { dynamoDBHarness } from '../../support/dynamodb-harness.js';
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
