import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { FIELDS, MINUTE, putRaw, rawValue, soundRecord, verdictOf, writeRecord } from '../support/hostile-records.js';
import { call, claim, done } from '../support/one-run.js';
import { startRawStores } from '../support/raw-stores.js';

const raw = await startRawStores();
afterAll(() => raw.stop());

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
  const { store } = raw.open.dynamodb();
  let names = 0;
  const attribute = fc.constantFrom(...FIELDS);
  const judged = fc.asyncProperty(attribute, fc.constantFrom(...TYPES), fc.boolean(), async (field, value, isHeld) => {
    const name = `typed-${names++}`;
    const sound = [...soundRecord(isHeld)].map(([key, one]) => [key, rawValue(one)] as const);
    await putRaw(raw, name, [...sound, [field, value]]);
    const verdict = await verdictOf(store.acquire(claim({ name }), call()));
    const allowed = isHeld
      ? ['locked', 'paused', `corrupt ${field}`]
      : ['acquired', 'locked', 'paused', `corrupt ${field}`];
    expect(allowed).toContain(verdict);
  });
  await fc.assert(judged, { numRuns: 120, examples: [['fencingToken', { N: '1e100' }, false]] });
});

test('F92 a Redis key of another type is not a lock: each verb says so, none changes it, and a list leaves it out', async () => {
  const { redis } = raw;
  const { store, admin } = raw.open.redis('other:');
  await redis.set('other:string', 'held');
  await redis.rpush('other:list', 'held');
  await redis.sadd('other:set', 'held');
  await redis.zadd('other:zset', 1, 'held');
  await redis.xadd('other:stream', '*', 'state', 'held');
  for (const name of ['string', 'list', 'set', 'zset', 'stream']) {
    const before = await redis.dumpBuffer(`other:${name}`);
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
    expect(await redis.dumpBuffer(`other:${name}`)).toEqual(before);
  }
  expect(await admin.list(call())).toEqual([]);
});

test('F92 fields and values of any bytes are read, and a live holder keeps its lock', async () => {
  const { store, admin } = raw.open.redis('bytes:');
  const bytes = fc.uint8Array({ maxLength: 40 }).map((array) => Buffer.from(array));
  let names = 0;
  const kept = fc.asyncProperty(fc.array(fc.tuple(bytes, bytes), { maxLength: 4 }), async (fields) => {
    const record = soundRecord(true);
    fc.pre(!fields.some(([field]) => record.has(String(field))));
    const name = `digest-${names++}`;
    const key = `bytes:${name}`;
    await writeRecord(raw, 'redis', key, record);
    for (const [field, value] of fields) await raw.redis.hset(key, field, value);
    const before = await raw.redis.dumpBuffer(key);
    expect(await verdictOf(store.acquire(claim({ name }), call()))).toBe('locked');
    expect(await admin.get(name, call())).toMatchObject({ name, item: { attemptId: 'a-holder', state: 'held' } });
    expect(await raw.redis.dumpBuffer(key)).toEqual(before);
  });
  await fc.assert(kept, { numRuns: 60 });
});
