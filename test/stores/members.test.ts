import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { mockClient } from 'aws-sdk-client-mock';
import { type DynamoDBStoreOptions, dynamoDBAdminStore, dynamoDBStore } from 'single-execution/dynamodb';
import { memoryStore } from 'single-execution/memory';
import { fakeLockTable } from 'single-execution/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { storeCall } from '../support/contract-harness.js';
import { dynamoDBHarness } from '../support/dynamodb-harness.js';
import { dynamoDBLocal, freshTable } from '../support/dynamodb-local.js';
import { type MemberScene, memberCases, patchedMemberCases } from '../support/member-cases.js';
import { type ProxiedLocks, startProxiedLocks } from '../support/proxied-locks.js';
import { shiftedClock } from '../support/shifted-clock.js';

/** Callers' clocks are ten minutes behind. */
const BEHIND_MS = -600_000;
const behind = shiftedClock(BEHIND_MS);

describe('memoryStore keeps lists of members', () => {
  const store = memoryStore();
  const scene: MemberScene = {
    store,
    admin: store,
    call: () => storeCall(behind),
    time: behind.now,
  };

  for (const { name, check } of memberCases) test(name, () => check(scene));
});

type Shape = Pick<DynamoDBStoreOptions, 'partitionKey' | 'sortKey' | 'keyPrefix'>;

describe.each<[string, Shape]>([
  ['a table of its own', {}],
  ['row 71: a table with a sort key', { partitionKey: 'pk', sortKey: 'sk' }],
  ['row 71: a shared table with a key prefix', { partitionKey: 'pk', sortKey: 'sk', keyPrefix: 'app/prod#lock#' }],
])('dynamoDBStore keeps lists of members on %s', (_, shape) => {
  let scene: MemberScene;
  beforeAll(async () => {
    const { client } = dynamoDBLocal();
    const options = { tableName: await freshTable(client, shape), client, ...shape };
    const admin = dynamoDBAdminStore(options);
    scene = { ...dynamoDBHarness(options), store: dynamoDBStore(options), admin, time: behind.now };
  });

  for (const { name, check } of [...memberCases, ...patchedMemberCases]) test(name, () => check(scene));
});

describe('row 60: dynamoDBStore on fakeLockTable keeps lists of members', () => {
  const client = DynamoDBDocumentClient.from(new DynamoDBClient({}));
  const table = fakeLockTable(mockClient(client));
  const options = { tableName: 'locks', client };
  const scene: MemberScene = {
    store: dynamoDBStore(options),
    admin: dynamoDBAdminStore(options),
    call: () => storeCall(behind),
    async patch(name, attributes) {
      table.put(name, { ...table.item(name), ...attributes });
    },
    time: behind.now,
  };

  for (const { name, check } of [...memberCases, ...patchedMemberCases]) test(name, () => check(scene));
});

describe('a check-in at DynamoDB', () => {
  let locks: ProxiedLocks;
  beforeAll(async () => {
    locks = await startProxiedLocks();
  });
  afterAll(() => locks.stop());

  test('F1 whose answer is lost is sent again, and is one check-in of the instant it began', async () => {
    const store = locks.store();
    await store.checkIn({ group: 'sched', member: 'a', forget: [] }, storeCall(behind));
    locks.proxy.reset();
    locks.proxy.inject({ kind: 'reset', at: 'after' });
    const list = await store.checkIn({ group: 'sched', member: 'b', forget: ['a'] }, storeCall(behind));

    expect(locks.proxy.requests()).toHaveLength(2);
    expect(list.members).toEqual([{ name: 'b', checkedInMs: list.nowMs }]);
  });

  test('is one UpdateItem, and so is a look; neither needs a read', async () => {
    const store = locks.store();
    locks.proxy.reset();
    await store.checkIn({ group: 'sched', member: 'a', forget: [] }, storeCall(behind));
    await store.checkIn({ group: 'sched', forget: [] }, storeCall(behind));

    expect(locks.proxy.requests().map(({ operation }) => operation)).toEqual(['UpdateItem', 'UpdateItem']);
  });

  test('that fails is a LockStoreError that names the group', async () => {
    const { client } = dynamoDBLocal();
    const store = dynamoDBStore({ tableName: 'no-such-table', client });

    await expect(store.checkIn({ group: 'sched', forget: [] }, storeCall(behind))).rejects.toMatchObject({
      name: 'LockStoreError',
      code: 'TABLE_NOT_FOUND',
      operation: 'checkIn',
      lockName: 'sched',
    });
  });
});
