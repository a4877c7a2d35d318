import fc from 'fast-check';
import { Redis } from 'ioredis';
import type { Completion, LockStore } from 'single-execution';
import { dynamoDBStore } from 'single-execution/dynamodb';
import { redisAdminStore, redisStore } from 'single-execution/redis';
import type { ContractHarness } from 'single-execution/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dynamoDBHarness } from '../support/dynamodb-harness.js';
import { dynamoDBLocal, freshTable } from '../support/dynamodb-local.js';
import { redisHarness } from '../support/redis-harness.js';
import { type RedisServer, startRedisServer } from '../support/redis-server.js';

/*
 * Functions of two versions share a table while a deployment goes on, or for good. `version-0.1.0/stores.mjs` is what
 * the package had before records listed open ticks, built by esbuild.
 */

const EARLIER = new URL('./version-0.1.0/stores.mjs', import.meta.url).href;
type Stores = { dynamoDBStore: typeof dynamoDBStore; redisStore: typeof redisStore };

const SEQUENCES = 40;
const FIRST_TICK_MS = Date.UTC(2026, 0, 1);
const HOUR_MS = 3_600_000;

const call = fc.record({
  by: fc.constantFrom('earlier' as const, 'this' as const),
  /** Of its tick, from the newest one that is done. */
  hoursLater: fc.integer({ min: -2, max: 2 }),
  /** How many of the hours before its tick a run of this version catches up with, at most. */
  catchesUp: fc.integer({ min: 0, max: 2 }),
  end: fc.constantFrom('succeeds' as const, 'fails' as const, 'dies' as const),
});
type Call = typeof call extends fc.Arbitrary<infer T> ? T : never;

/** This version lists a tick as failed, the earlier one does it and leaves it listed: it must not become open. */
const DONE_BY_THE_EARLIER: readonly Call[] = [
  { by: 'this', hoursLater: 1, catchesUp: 0, end: 'fails' },
  { by: 'earlier', hoursLater: 1, catchesUp: 0, end: 'succeeds' },
  { by: 'this', hoursLater: 1, catchesUp: 0, end: 'succeeds' },
  { by: 'this', hoursLater: -1, catchesUp: 0, end: 'succeeds' },
];

/** This version marks an hour and dies; the earlier one must not do it again. */
const MARKED_BY_THIS: readonly Call[] = [
  { by: 'earlier', hoursLater: 0, catchesUp: 0, end: 'succeeds' },
  { by: 'this', hoursLater: 2, catchesUp: 1, end: 'dies' },
  { by: 'earlier', hoursLater: 0, catchesUp: 0, end: 'succeeds' },
  { by: 'earlier', hoursLater: 1, catchesUp: 0, end: 'succeeds' },
];

let server: RedisServer;
let client: Redis;
let kinds: Record<'redis' | 'dynamoDB', { harness: ContractHarness; by: Record<Call['by'], LockStore> }>;

beforeAll(async () => {
  const earlier = (await import(EARLIER)) as Stores;
  server = await startRedisServer();
  client = new Redis(server.url);
  const hset = (key: string, fields: Record<string, string>) => client.hset(key, fields);
  const redis = redisHarness({
    store: redisStore({ client }),
    admin: redisAdminStore({ client }),
    keyPrefix: '',
    hset,
  });
  const { client: local } = dynamoDBLocal();
  const table = { client: local, tableName: await freshTable(local) };
  kinds = {
    redis: { harness: redis, by: { this: redis.store, earlier: earlier.redisStore({ client }) } },
    dynamoDB: {
      harness: dynamoDBHarness(table),
      by: { this: dynamoDBStore(table), earlier: earlier.dynamoDBStore(table) },
    },
  };
});
afterAll(async () => {
  client.disconnect();
  await server.stop();
});

describe.each(['redis', 'dynamoDB'] as const)('row 85: version 0.1.0 and this one on one %s', (kind) => {
  test('neither runs a tick again that either has done, and each runs every newer one', async () => {
    let listed = 0;
    let marks = 0;
    const check = async (calls: readonly Call[]) => {
      const { harness, by } = kinds[kind];
      const name = crypto.randomUUID();
      const done = new Set<number>();
      for (const { by: version, hoursLater, catchesUp, end } of calls) {
        const newest = done.size === 0 ? FIRST_TICK_MS : Math.max(...done);
        const tickMs = newest + hoursLater * HOUR_MS;
        const attemptId = `a${crypto.randomUUID()}`;
        const claim = {
          name,
          attemptId,
          leaseMs: harness.shortLeaseMs,
          lockedBy: version,
          markTickAtStart: false,
          tickMs,
        };
        const result = await by[version].acquire(claim, harness.call());
        if (result.status === 'refused') {
          expect(result.reason).toBe(tickMs === newest ? 'already-executed' : 'stale-tick');
          expect(tickMs).toBeLessThanOrEqual(newest);
          continue;
        }
        expect(done).not.toContain(tickMs);
        if (tickMs < newest) listed++;
        let { lease } = result;
        const hours = version === 'this' && done.size > 0 ? Math.min(catchesUp, hoursLater - 1) : 0;
        for (let hour = 1; hour <= hours; hour++) {
          const caughtUp = { tickMs: newest + hour * HOUR_MS, leaseMs: harness.shortLeaseMs };
          const marked = await by.this.mark(lease, caughtUp, harness.call());
          expect(marked).toMatchObject({ status: 'marked' });
          if (marked.status === 'marked') lease = marked.lease;
          done.add(caughtUp.tickMs);
          marks++;
        }
        if (end === 'dies') await harness.expire(lease);
        else await by[version].release(lease, completionOf(version, end), harness.call());
        if (end === 'succeeds') done.add(tickMs);
      }
    };
    const sequences = fc.asyncProperty(fc.array(call, { minLength: 12, maxLength: 20 }), check);
    await fc.assert(sequences, { numRuns: SEQUENCES, examples: [[DONE_BY_THE_EARLIER], [MARKED_BY_THIS]] });

    expect(listed, 'grants of older ticks').toBeGreaterThan(0);
    expect(marks, 'ticks caught up with').toBeGreaterThan(0);
  });
});

function completionOf(version: Call['by'], end: 'succeeds' | 'fails'): Completion {
  const failed = end === 'fails';
  return {
    result: failed ? 'failed' : 'succeeded',
    lockAtLeastForMs: 0,
    markTickDone: !failed,
    durationMs: 5,
    ...(version === 'this' && { markTickFailed: failed }),
  };
}
