import { createHash } from 'node:crypto';
import { type IORedisClient, redisStore } from 'single-execution/redis';
import { manualClock } from 'single-execution/testing';
import { expect, test } from 'vitest';
import { clearedEngine } from '../../support/backends/stage.js';
import { storeCall } from '../../support/contract-harness.js';
import { claim, done, grant } from '../../support/one-run.js';
import { failureOf, says } from '../../support/settled.js';

/* What a process knows of Redis's clock from earlier answers, and how it learns that it was wrong. */

const { client: redis } = await clearedEngine('redis');

/** A client of a Redis whose clock is ahead of the real one by as much as the test says, as after a failover. */
function clientOfRedisAhead() {
  const scripts = new Map<string, string>();
  const state = { aheadMs: 0, requests: [] as string[][] };
  const NOW = 'local now = time[1] * 1000';
  const run = (script: string, rest: string[]) => {
    expect(script).toContain(NOW);
    state.requests.push(rest);
    return redis.eval(script.replace(NOW, `${NOW} + ${state.aheadMs}`), 1, ...rest);
  };
  const client: IORedisClient = {
    eval: async (script, _, ...rest) => {
      scripts.set(createHash('sha1').update(script).digest('hex'), script);
      return run(script, rest);
    },
    evalsha: async (hash, _, ...rest) => {
      const script = scripts.get(hash);
      if (script === undefined) throw new Error('NOSCRIPT No matching script');
      return run(script, rest);
    },
  };
  return { client, state };
}

/** A store over such a client, and a clock that stands still. */
function stage() {
  const { client, state } = clientOfRedisAhead();
  const store = redisStore({ client });
  const clock = manualClock();
  const asking = () => storeCall(clock);
  const countOf = async <T>(send: () => Promise<T>): Promise<[T, number]> => {
    state.requests.length = 0;
    return [await send(), state.requests.length];
  };
  /** Acquires, extends and releases a lock. @returns how many requests each took */
  const costs = async () => {
    const [granted, acquire] = await countOf(() => store.acquire(claim(), asking()));
    if (granted.status !== 'acquired') throw new Error(granted.reason);
    const [extended, extend] = await countOf(() => store.extend(granted.lease, { leaseMs: 90_000 }, asking()));
    const [released, release] = await countOf(() => store.release(granted.lease, done, asking()));
    expect([extended.status, released]).toEqual(['extended', 'released']);
    return { acquire, extend, release };
  };
  return { client, state, store, clock, asking, costs };
}

test('row 137: the first acquire of a process carries no instant, and all others do', async () => {
  const { state, store, asking } = stage();
  const CALL_END = 5;
  await store.acquire(claim({ name: 'first' }), asking());
  expect(state.requests.at(-1)?.[CALL_END]).toBe('');

  await store.acquire(claim({ name: 'second' }), asking());
  const callEnd = Number(state.requests.at(-1)?.[CALL_END]);
  expect(callEnd - Date.now()).toBeGreaterThan(-60_000);
  expect(callEnd - Date.now()).toBeLessThanOrEqual(5_000);
});

type Stage = ReturnType<typeof stage>;
const HOUR_MS = 3_600_000;
test.each<[string, string, number, (stage: Stage) => unknown]>([
  ['a run costs no request more', 'once the server’s time is known', 1, () => undefined],
  [
    'F126 one request is asked again, and nothing fails,',
    'after a failover to a Redis whose clock is ahead',
    2,
    ({ state }) => {
      state.aheadMs = HOUR_MS;
    },
  ],
  [
    'F126 one request is asked again',
    // For the process no time has passed, for Redis an hour.
    'after a suspension in which the monotonic clock stood still',
    2,
    ({ state, clock }) => {
      state.aheadMs = HOUR_MS;
      clock.stepWall(HOUR_MS);
    },
  ],
  [
    'F126 nothing is asked again',
    'after a failover to a Redis whose clock is behind',
    1,
    async ({ state }) => {
      state.aheadMs = -HOUR_MS;
      await redis.flushall();
    },
  ],
])('%s %s', async (_, __, acquire, happens) => {
  const one = stage();
  await one.costs();
  await happens(one);

  expect(await one.costs()).toEqual({ acquire, extend: 1, release: 1 });
});

test('an attempt that has the lock already is told so, however late it asks', async () => {
  const { state, store, asking } = stage();
  const asked = claim();
  const { fencingToken } = await grant(store, asked, asking());
  state.requests.length = 0;
  state.aheadMs = 30_000;

  expect(await store.acquire(asked, asking())).toMatchObject({ status: 'acquired', lease: { fencingToken } });
  expect(state.requests).toHaveLength(1);
});

test('a server whose clock jumps with each request is unavailable, and the lock stays free', async () => {
  const { client, state, clock, asking } = stage();
  const hasty: IORedisClient = {
    eval: (...asked) => client.eval(...asked),
    evalsha: (...asked) => {
      state.aheadMs += 60_000;
      return client.evalsha(...asked);
    },
  };
  const store = redisStore({ client: hasty });
  await store.acquire(claim({ name: 'another' }), asking());

  const failed = failureOf(store.acquire(claim(), { ...asking(), budgetMs: 50 }));
  await clock.advance(100);
  expect(await failed).toMatchObject(says('UNAVAILABLE', 'no answer from Redis in time'));
  expect(await redis.hget('lock:digest', 'state')).toBeNull();
});
