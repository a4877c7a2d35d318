import { dynamoDBStore } from 'single-execution/dynamodb';
import { expect, test } from 'vitest';
import { dynamoDBLocal } from '../../support/dynamodb-local.js';
import { call } from '../../support/one-run.js';
import { ownProxiedLocks } from '../../support/proxied-locks.js';

const locks = await ownProxiedLocks();

test('F1 a check-in whose answer is lost is sent again, and is one check-in of the instant it began', async () => {
  const store = locks.store();
  await store.checkIn({ group: 'sched', member: 'a', forget: [] }, call());
  locks.proxy.reset();
  locks.proxy.inject({ kind: 'reset', at: 'after' });
  const list = await store.checkIn({ group: 'sched', member: 'b', forget: ['a'] }, call());

  expect(locks.proxy.requests()).toHaveLength(2);
  expect(list.members).toEqual([{ name: 'b', checkedInMs: list.nowMs }]);
});

test('a check-in is one UpdateItem, and so is a look; neither needs a read', async () => {
  const store = locks.store();
  await store.checkIn({ group: 'sched', member: 'a', forget: [] }, call());
  await store.checkIn({ group: 'sched', forget: [] }, call());

  expect(locks.proxy.requests().map(({ operation }) => operation)).toEqual(['UpdateItem', 'UpdateItem']);
});

test('a check-in that fails is a LockStoreError that names the group', async () => {
  const store = dynamoDBStore({ tableName: 'no-such-table', client: dynamoDBLocal().client });

  await expect(store.checkIn({ group: 'sched', forget: [] }, call())).rejects.toMatchObject({
    name: 'LockStoreError',
    code: 'TABLE_NOT_FOUND',
    operation: 'checkIn',
    lockName: 'sched',
  });
});
