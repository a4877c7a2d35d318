import type { LockStore } from 'single-execution';
import { lockAdmin } from 'single-execution/admin';
import { createLockTable, dynamoDBAdminStore, dynamoDBStore } from 'single-execution/dynamodb';
import { recordingObserver } from 'single-execution/testing';
import { expect, test } from 'vitest';
import { dynamoDBLocal, freshTable, putItem, storedItem } from '../../support/dynamodb-local.js';
import { runOn } from '../../support/one-run.js';
import { says } from '../../support/settled.js';

const { client } = dynamoDBLocal();
const TICK = new Date('2026-03-01T20:00:00Z');

/** Runs once under a lock of this name. */
const run = (store: LockStore, name: string, more: object = {}) => runOn(store, () => 'done', { name, ...more });
const DONE = { status: 'skipped', reason: 'already-executed' };

test('row 71: locks live in a single-table design beside foreign items, and the admin list shows locks alone', async () => {
  const keys = { partitionKey: 'PK', sortKey: 'SK' };
  const tableName = await freshTable(client, keys);
  const options = { tableName, client, keyPrefix: 'LOCK#', ...keys };
  const foreign = [
    { PK: 'CUSTOMER#1', SK: 'PROFILE', name: 'Ada', state: 'held' },
    { PK: 'CUSTOMER#1', SK: 'lock', reason: 'unpaid' },
    { PK: 'LOCK#digest', SK: 'AUDIT#1', note: 'of the same partition' },
    { PK: 'LOCK#', SK: 'lock', note: 'the prefix alone' },
  ];
  for (const item of foreign) await putItem(client, tableName, item);
  const store = dynamoDBStore(options);

  expect(await run(store, 'digest', { tick: TICK })).toMatchObject({ status: 'executed' });
  expect(await run(store, 'digest', { tick: TICK })).toMatchObject(DONE);
  expect(await run(store, 'cleanup')).toMatchObject({ status: 'executed' });

  expect(await storedItem(client, tableName, { PK: 'LOCK#digest', SK: 'lock' })).toMatchObject({ state: 'released' });
  const locks = await lockAdmin(dynamoDBAdminStore(options)).list();
  expect(locks.map(({ name, state }) => [name, state])).toEqual([
    ['cleanup', 'free'],
    ['digest', 'free'],
  ]);
  for (const item of foreign) {
    expect(await storedItem(client, tableName, { PK: item.PK, SK: item.SK })).toEqual(item);
  }
});

test.each([
  ['a partition key of another name', { partitionKey: 'id' }],
  ['a sort key', { sortKey: 'range' }],
  ['both', { partitionKey: 'id', sortKey: 'range' }],
])('row 71: createLockTable makes a table with %s, and leaves one alone that is there', async (_, keys) => {
  const tableName = `created-${crypto.randomUUID()}`;
  await createLockTable(client, { tableName, ...keys });
  await createLockTable(client, { tableName, ...keys });

  expect(await run(dynamoDBStore({ tableName, client, ...keys }), 'job')).toMatchObject({ status: 'executed' });
});

test('createLockTable throws what the client throws', async () => {
  await expect(createLockTable(client, { tableName: 'no spaces' })).rejects.toMatchObject({
    name: 'ValidationException',
  });
});

test.each([
  ['no sort key given', {}],
  ['another partition key', { partitionKey: 'id', sortKey: 'SK' }],
  ['another sort key', { sortKey: 'range' }],
])('F16 %s for a table that has one: KEY_SCHEMA at once, with the remedy', async (_, keys) => {
  const tableName = await freshTable(client, { sortKey: 'SK' });

  await expect(run(dynamoDBStore({ tableName, client, ...keys }), 'job')).rejects.toMatchObject(
    says('KEY_SCHEMA', 'sortKey', { retryable: false }),
  );
});

test('F22 a record of a newer version works, and what this one does not know survives', async () => {
  const tableName = await freshTable(client);
  const store = dynamoDBStore({ tableName, client });
  const unknown = { colour: 'blue', nested: { deep: [1, 2] }, r10: 'x', tags: new Set(['a']) };
  await putItem(client, tableName, {
    ...{ lockName: 'digest', attemptId: 'a-newer', fencingToken: 41, lockedBy: 'a newer library', v: 2 },
    ...{ state: 'released', result: 'succeeded', doneTick: TICK.getTime(), leaseMs: 60_000 },
    ...{ lockedAt: 1_772_395_200_000, lockUntil: 1_772_395_201_000, releasedAt: 1_772_395_201_000 },
    ...unknown,
  });

  expect(await run(store, 'digest', { tick: TICK })).toMatchObject(DONE);
  const previous = { status: 'succeeded', lockedBy: 'a newer library' };
  expect(await run(store, 'digest')).toMatchObject({ status: 'executed', fencingToken: 42, previous });
  expect(await storedItem(client, tableName, { lockName: 'digest' })).toMatchObject({
    ...unknown,
    state: 'released',
    doneTick: TICK.getTime(),
  });
});

test('row 135 an index of another type refuses a run before it starts, or its release, and the error says so', async () => {
  const outcomeOn = async (attribute: string) => {
    const tableName = await freshTable(client, { indexes: [{ attribute, type: 'N' }] });
    const store = dynamoDBStore({ tableName, client });
    const observer = recordingObserver();
    const outcome = await run(store, 'digest', { observers: [observer] }).catch((error: unknown) => error);
    return { outcome, events: observer.events };
  };
  const says = {
    code: 'INVALID_REQUEST',
    message: expect.stringMatching(/an index refuses an attribute of locks \(Index/),
  };

  expect((await outcomeOn('state')).outcome).toMatchObject(says);
  const { outcome, events } = await outcomeOn('result');
  expect(outcome).toMatchObject({ status: 'executed', release: 'unknown' });
  expect(events).toContainEqual(expect.objectContaining({ error: expect.objectContaining(says) }));
});
