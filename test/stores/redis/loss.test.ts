import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { redisStore } from 'single-execution/redis';
import { describe, expect, test } from 'vitest';
import { clearedEngine } from '../../support/backends/stage.js';
import { call, done, grant } from '../../support/one-run.js';

const { client: redis } = await clearedEngine('redis');

test('F80 FLUSHALL forgets the ticks, and tokens still rise', async () => {
  const store = redisStore({ client: redis });
  const first = await grant(store);
  await store.release(first, done, call());
  await sleep(2);
  await redis.flushall();

  expect((await grant(store)).fencingToken).toBeGreaterThan(first.fencingToken);
});

describe('F81 a split brain', () => {
  test('grants a lock on both sides, and the run whose grant is overwritten finds it lost', async () => {
    const west = redisStore({ client: redis, keyPrefix: 'west:' });
    const east = redisStore({ client: redis, keyPrefix: 'east:' });
    await west.release(await grant(west), done, call());
    await redis.copy('west:digest', 'east:digest');

    const overwritten = await grant(west);
    const kept = await grant(east);
    await redis.copy('east:digest', 'west:digest', 'REPLACE');

    expect(await west.extend(overwritten, { leaseMs: 60_000 }, call())).toEqual({ status: 'lost' });
    expect(await west.release(overwritten, done, call())).toBe('lost');
    expect(await west.release(kept, done, call())).toBe('released');
  });

  test.each(['docs/protocol.md', 'docs/stores/redis.md'])('is no promise of %s', (path) => {
    expect(readFileSync(path, 'utf8')).toMatch(/all promises end if .* acknowledged write/i);
  });
});

test('F76 no key has a time to live', async () => {
  const store = redisStore({ client: redis });
  await store.release(await grant(store), done, call());

  expect(await redis.pttl('lock:digest')).toBe(-1);
});
