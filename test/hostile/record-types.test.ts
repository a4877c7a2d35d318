import { type AttributeValue, PutItemCommand } from '@aws-sdk/client-dynamodb';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { attributeOf } from '../support/backends/dynamodb.js';
import { startBackends } from '../support/backends/stage.js';
import { FIELDS, MINUTE, soundRecord, verdictOf } from '../support/hostile-records.js';
import { call, claim, done } from '../support/one-run.js';

const stage = await startBackends('dynamodb', 'redis');
afterAll(() => stage.stop());

const TYPES: readonly AttributeValue[] = [
  { BOOL: true },
  { NULL: true },
  { B: new Uint8Array([1]) },
  { L: [{ N: '1' }] },
  { M: { a: { S: 'held' } } },
  { SS: ['held'] },
  { NS: ['1'] },
  { S: 'a text' },
  { N: '1e100' },
  { N: '-0.5' },
];

test('F14 an attribute of any DynamoDB type is either read or reported as corrupt by its name, and a live holder keeps its lock', async () => {
  const { store, engine, address } = stage.on('dynamodb');
  let names = 0;
  const attribute = fc.constantFrom(...FIELDS);
  const judged = fc.asyncProperty(attribute, fc.constantFrom(...TYPES), fc.boolean(), async (field, value, isHeld) => {
    const name = `typed-${names++}`;
    const sound = [...soundRecord(isHeld)].map(([key, one]) => [key, attributeOf(one)] as const);
    const Item = { ...Object.fromEntries([...sound, [field, value]]), lockName: { S: name } };
    await engine.client.send(new PutItemCommand({ TableName: address.place, Item }));
    const verdict = await verdictOf(store.acquire(claim({ name }), call()));
    const allowed = isHeld
      ? ['locked', 'paused', `corrupt ${field}`]
      : ['acquired', 'locked', 'paused', `corrupt ${field}`];
    expect(allowed).toContain(verdict);
  });
  await fc.assert(judged, { numRuns: 120, examples: [['fencingToken', { N: '1e100' }, false]] });
});

test('F92 a Redis key of another type is not a lock: each verb says so, none changes it, and a list leaves it out', async () => {
  const { engine, address, prefixed } = stage.on('redis');
  const { client: redis } = engine;
  const { store, admin } = prefixed('other:');
  const place = `${address.place}other`;
  await redis.set(`${place}:string`, 'held');
  await redis.rpush(`${place}:list`, 'held');
  await redis.sadd(`${place}:set`, 'held');
  await redis.zadd(`${place}:zset`, 1, 'held');
  await redis.xadd(`${place}:stream`, '*', 'state', 'held');
  for (const name of ['string', 'list', 'set', 'zset', 'stream']) {
    const before = await redis.dumpBuffer(`${place}:${name}`);
    const times = { fencingToken: 7, lockedAtMs: 1, lockUntilMs: 2, firstSentMono: 0, firstSentWall: 1, nowMs: 1 };
    const lease = { ...claim({ name }), ...times, adminId: 'f1' };
    const verbs = [
      store.acquire(claim({ name }), call()),
      store.extend(lease, { leaseMs: MINUTE }, call()),
      store.release(lease, done, call()),
      admin.get(name, call()),
      admin.forceRelease(lease, call()),
      admin.pause(name, { untilMs: 1, by: 'me' }, call()),
      admin.resume(name, call()),
      admin.listTicks({ name, openTicks: ',', failedTicks: ',', seen: {} }, call()),
    ];
    expect(new Set(await Promise.all(verbs.map(verdictOf)))).toEqual(new Set(['LockStoreError INVALID_REQUEST']));
    expect(await redis.dumpBuffer(`${place}:${name}`)).toEqual(before);
  }
  expect(await admin.list(call())).toEqual([]);
});

test('F92 fields and values of any bytes are read, and a live holder keeps its lock', async () => {
  const { engine, address, prefixed, put } = stage.on('redis');
  const { store, admin } = prefixed('bytes:');
  const bytes = fc.uint8Array({ maxLength: 40 }).map((array) => Buffer.from(array));
  let names = 0;
  const kept = fc.asyncProperty(fc.array(fc.tuple(bytes, bytes), { maxLength: 4 }), async (fields) => {
    const record = soundRecord(true);
    fc.pre(!fields.some(([field]) => record.has(String(field))));
    const name = `digest-${names++}`;
    const key = `${address.place}bytes:${name}`;
    await put(`bytes:${name}`, record);
    for (const [field, value] of fields) await engine.client.hset(key, field, value);
    const before = await engine.client.dumpBuffer(key);
    expect(await verdictOf(store.acquire(claim({ name }), call()))).toBe('locked');
    expect(await admin.get(name, call())).toMatchObject({ name, item: { attemptId: 'a-holder', state: 'held' } });
    expect(await engine.client.dumpBuffer(key)).toEqual(before);
  });
  await fc.assert(kept, { numRuns: 60 });
});
