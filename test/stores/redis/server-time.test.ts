import { createHash } from 'node:crypto';
import { type IORedisClient, redisStore } from 'single-execution/redis';
import { manualClock } from 'single-execution/testing';
import { expect, test } from 'vitest';
import { clearedEngine } from '../../support/backends/stage.js';
import { storeCall } from '../../support/contract-harness.js';
import { claim, done } from '../../support/one-run.js';
import { says } from '../../support/settled.js';

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

/** Acquires, extends and releases a lock. @returns how many requests each took */
async function costs(state: { requests: string[][] }, store: ReturnType<typeof redisStore>, call: () => object) {
  const of = async <T>(send: () => Promise<T>): Promise<[T, number]> => {
    state.requests.length = 0;
    return [await send(), state.requests.length];
  };
  const asked = call() as ReturnType<typeof storeCall>;
  const [granted, acquire] = await of(() => store.acquire(claim(), asked));
  if (granted.status !== 'acquired') throw new Error(granted.reason);
  const [extended, extend] = await of(() => store.extend(granted.lease, { leaseMs: 90_000 }, asked));
  expect(extended.status).toBe('extended');
  const [released, release] = await of(() => store.release(granted.lease, done, asked));
  expect(released).toBe('released');
  return { acquire, extend, release };
}

test('row 137: the first acquire of a process carries no instant, and all others do', async () => {
  const { client, state } = clientOfRedisAhead();
  const store = redisStore({ client });
  const clock = manualClock(Date.UTC(2001, 0, 1));
  const CALL_END = 5;
  await store.acquire(claim({ name: 'first' }), storeCall(clock));
  expect(state.requests.at(-1)?.[CALL_END]).toBe('');

  await store.acquire(claim({ name: 'second' }), storeCall(clock));
  const callEnd = Number(state.requests.at(-1)?.[CALL_END]);
  expect(callEnd - Date.now()).toBeGreaterThan(-60_000);
  expect(callEnd - Date.now()).toBeLessThanOrEqual(5_000);
});

test('a run costs no request more once the server’s time is known', async () => {
  const { client, state } = clientOfRedisAhead();
  const store = redisStore({ client });
  const clock = manualClock();
  await costs(state, store, () => storeCall(clock));
  expect(await costs(state, store, () => storeCall(clock))).toEqual({ acquire: 1, extend: 1, release: 1 });
});

test('F126 after a failover to a Redis whose clock is ahead, one request is asked again, and nothing fails', async () => {
  const { client, state } = clientOfRedisAhead();
  const store = redisStore({ client });
  const clock = manualClock();
  await costs(state, store, () => storeCall(clock));
  state.aheadMs = 3_600_000;

  expect(await costs(state, store, () => storeCall(clock))).toEqual({ acquire: 2, extend: 1, release: 1 });
});

test('F126 after a suspension in which the monotonic clock stood still, one request is asked again', async () => {
  const { client, state } = clientOfRedisAhead();
  const store = redisStore({ client });
  const clock = manualClock();
  await costs(state, store, () => storeCall(clock));
  // For the process no time has passed, for Redis an hour.
  state.aheadMs = 3_600_000;
  clock.stepWall(3_600_000);

  expect(await costs(state, store, () => storeCall(clock))).toEqual({ acquire: 2, extend: 1, release: 1 });
});

test('F126 after a failover to a Redis whose clock is behind, nothing is asked again', async () => {
  const { client, state } = clientOfRedisAhead();
  const store = redisStore({ client });
  const clock = manualClock();
  state.aheadMs = 3_600_000;
  await costs(state, store, () => storeCall(clock));
  state.aheadMs = 0;
  await redis.flushall();

  expect(await costs(state, store, () => storeCall(clock))).toEqual({ acquire: 1, extend: 1, release: 1 });
});

test('an attempt that has the lock already is told so, however late it asks', async () => {
  const { client, state } = clientOfRedisAhead();
  const store = redisStore({ client });
  const clock = manualClock();
  const asked = claim();
  const first = await store.acquire(asked, storeCall(clock));
  state.requests.length = 0;
  state.aheadMs = 30_000;

  const again = await store.acquire(asked, storeCall(clock));
  expect(again).toMatchObject({
    status: 'acquired',
    lease: first.status === 'acquired' && { fencingToken: first.lease.fencingToken },
  });
  expect(state.requests).toHaveLength(1);
});

test('a server whose clock jumps with each request is unavailable, and the lock stays free', async () => {
  const { client, state } = clientOfRedisAhead();
  const hasty: IORedisClient = {
    eval: (...asked) => client.eval(...asked),
    evalsha: (...asked) => {
      state.aheadMs += 60_000;
      return client.evalsha(...asked);
    },
  };
  const store = redisStore({ client: hasty });
  const clock = manualClock();
  await store.acquire(claim({ name: 'another' }), storeCall(clock));

  const asking = expect(store.acquire(claim(), { ...storeCall(clock), budgetMs: 50 })).rejects.toMatchObject(
    says('UNAVAILABLE', 'no answer from Redis in time'),
  );
  await clock.advance(100);
  await asking;
  expect(await redis.hget('lock:digest', 'state')).toBeNull();
});
