import { inspect } from 'node:util';
import { Redis as UpstashRedis } from '@upstash/redis';
import { type UpstashStoreOptions, upstashAdminStore, upstashStore } from 'single-execution/upstash';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { newAttemptId } from '../../../src/core/values/names.js';
import { DELETE, FORCE_RELEASE, GET, PAUSE, RESUME } from '../../../src/stores/redis/admin-scripts.js';
import { ACQUIRE, CANCEL, CHECK_IN, EXTEND, RELEASE } from '../../../src/stores/redis/scripts.js';
import { clearedEngine } from '../../support/backends/stage.js';
import { callOfTries } from '../../support/contract-harness.js';
import { call, claim, done, grant } from '../../support/one-run.js';
import { says } from '../../support/settled.js';
import type { BridgeRequest } from '../../support/upstash-bridge.js';

const { client: redis, bridge } = await clearedEngine('upstash');
beforeEach(async () => {
  await redis.script('FLUSH');
});

/** The unmodified client of @upstash/redis, without retries. */
const upstash = (settings: object = {}) =>
  new UpstashRedis({ url: bridge.url, token: bridge.token, retry: { retries: 0 }, ...settings });

describe('F82 a client that repeats an EVAL on its own', () => {
  const isEval = ({ body }: BridgeRequest) => JSON.stringify(body).includes('"eval"');
  const evals = () => bridge.requests().filter(isEval).length;

  /** Makes Redis run the EVAL of a verb twice. @returns the verb's result */
  async function ranTwice<T>(send: () => Promise<T>): Promise<T> {
    const before = evals();
    bridge.inject('drop-response', { when: isEval });
    const result = await send();
    expect(evals() - before).toBe(2);
    return result;
  }

  test.each<[string, object]>([
    ['by default', { retry: undefined }],
    ['under retry: false', { retry: false }],
  ])('%s has one effect', async (_, settings) => {
    const client = upstash(settings);
    const store = upstashStore({ redis: client });
    const admin = upstashAdminStore({ redis: client });
    await admin.get('what the server refuses is known', call());

    const lease = await ranTwice(() => grant(store));
    expect(await redis.hget('lock:digest', 'fencingToken')).toBe(String(lease.fencingToken));

    expect(await ranTwice(() => store.extend(lease, { leaseMs: 90_000 }, call()))).toMatchObject({
      status: 'extended',
    });
    expect(await ranTwice(() => store.release(lease, done, call()))).toBe('released');
    expect(await redis.hmget('lock:digest', 'runSeq', 'r1')).toEqual(['1', null]);

    const { fencingToken, lockedAtMs } = await grant(store);
    const force = { name: 'digest', adminId: newAttemptId('f'), fencingToken, lockedAtMs, nowMs: lockedAtMs };
    expect(await ranTwice(() => admin.forceRelease(force, call()))).toBe('forced');
    expect(await redis.hget('lock:digest', 'fencingToken')).toBe(String(fencingToken + 10));

    const list = await ranTwice(() => store.checkIn({ group: 'sched', member: 'a', forget: [] }, call()));
    expect(list.members).toEqual([{ name: 'a', checkedInMs: list.nowMs }]);
  });
});

/** A call that ends by itself with an error of this code. An outage is tried again; any other error ends a call. */
const until = (code: string) => (code === 'UNAVAILABLE' ? callOfTries(1) : call());

const PIPELINING = [
  ['sends together what it can', {}],
  ['sends one by one', { enableAutoPipelining: false }],
] as const;

test('F83 F90 the client makes up an answer once its signal is aborted, and repeats the command in its errors', async () => {
  const alone = { enableAutoPipelining: false };
  const aborted = upstash({ ...alone, signal: AbortSignal.abort() });

  await expect(aborted.eval('return 1', [], [])).resolves.toBeNull();
  await expect(upstash(alone).eval('no Lua', ['lock:digest'], ['an id'])).rejects.toThrow(/command was.*an id/);
});

describe.each([
  // Together, the client throws an error of its own. One by one, it returns what Redis never sent.
  [...PIPELINING[0], 'UNAVAILABLE', /no (clear )?answer from Redis/],
  [...PIPELINING[1], 'INVALID_REQUEST', 'to @upstash/redis pass signal as a function'],
])('F83 a client that %s and whose signal is aborted', (_, settings, code, message) => {
  const store = () => upstashStore({ redis: upstash({ ...settings, signal: AbortSignal.abort() }) });

  test('gets no lock', async () => {
    await expect(store().acquire(claim(), until(code))).rejects.toMatchObject({ name: 'LockStoreError', code });
    expect(await redis.exists('lock:digest')).toBe(0);
  });

  test('gets no extension and no release', async () => {
    const lease = await grant(upstashStore({ redis: upstash() }));

    await expect(store().extend(lease, { leaseMs: 90_000 }, until(code))).rejects.toThrow(message);
    await expect(store().release(lease, done, until(code))).rejects.toThrow(message);
    expect(await redis.hget('lock:digest', 'state')).toBe('held');
  });
});

describe.each(PIPELINING)('F90 of a client that %s', (_, settings) => {
  test.each([
    ['an error of the server', {}, 'UNAVAILABLE'],
    ['a refusal of its credentials', { token: 'another-token' }, 'ACCESS_DENIED'],
  ])('%s is told without the command', async (__, wrong, code) => {
    const asked = claim();
    const isOfAsked = ({ body }: BridgeRequest) => JSON.stringify(body).includes(asked.attemptId);
    if (code === 'UNAVAILABLE') {
      bridge.inject('http-500-after', { when: isOfAsked, times: Number.POSITIVE_INFINITY });
    }
    const store = upstashStore({ redis: upstash({ ...settings, ...wrong }) });
    const error = await store.acquire(asked, until(code)).catch((reason: unknown) => reason);

    expect(error).toMatchObject({ name: 'LockStoreError', code });
    const everything = inspect(error, { depth: Number.POSITIVE_INFINITY, showHidden: true, maxStringLength: null });
    for (const secret of [asked.attemptId, bridge.token, 'another-token', bridge.url, 'command was', 'redis.call']) {
      expect(everything).not.toContain(secret);
    }
  });
});

describe('F100 the first line of the scripts', () => {
  const HEADER = '#!lua flags=allow-key-locking\n';
  const sent = vi.fn((script: string) => script.startsWith(HEADER));

  /** A user's own client, for a server that accepts the line, as Upstash does, or for plain Redis, which does not. */
  const clientOf = (takesIt: boolean): UpstashStoreOptions['redis'] => ({
    evalsha: async () => {
      throw new Error('NOSCRIPT No matching script');
    },
    eval: async (script, keys, args) => {
      sent(script);
      return redis.eval(takesIt ? script.replace(HEADER, '') : script, keys.length, ...keys, ...args);
    },
  });
  const underHeader = () => sent.mock.results.map(({ value }) => value);
  beforeEach(() => {
    sent.mockClear();
  });

  test('stays where the server takes it', async () => {
    const store = upstashStore({ redis: clientOf(true) });
    await store.release(await grant(store), done, call());
    expect(underHeader()).toEqual([true, true]);
  });

  test('is refused by plain Redis once a client, and goes', async () => {
    const client = clientOf(false);
    const store = upstashStore({ redis: client });
    await store.release(await grant(store), done, call());
    await upstashAdminStore({ redis: client, keyPrefix: 'other:' }).get('digest', call());
    expect(underHeader()).toEqual([true, false, false, false]);
  });

  test('is refused to calls that race, and each is answered', async () => {
    const store = upstashStore({ redis: clientOf(false) });
    const results = await Promise.all([1, 2, 3].map((n) => store.acquire(claim({ name: `digest-${n}` }), call())));
    expect(results.map(({ status }) => status)).toEqual(['acquired', 'acquired', 'acquired']);
  });

  test('is worth its place: a script touches no key but its own', () => {
    for (const { text } of [ACQUIRE, CANCEL, EXTEND, RELEASE, FORCE_RELEASE, PAUSE, RESUME, DELETE, CHECK_IN, GET]) {
      const calls = [...text.matchAll(/redis\.call\('(\w+)'(?:, (\w+))?/g)].map(([, command, key]) => [command, key]);
      expect(calls.filter(([command, key]) => command !== 'TIME' && key !== 'key')).toEqual([]);
    }
    expect(ACQUIRE.text).toContain('local key = KEYS[1]');
  });
});

describe('a client without a URL', () => {
  test.each([
    ['as the environment has none', () => UpstashRedis.fromEnv()],
    ['as it was given none', () => new UpstashRedis({ url: '', token: '' })],
  ])('%s is told at once, and asked for nothing', async (_, make) => {
    vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    const fetched = vi.spyOn(globalThis, 'fetch');
    onTestFinished(() => void vi.restoreAllMocks());

    await expect(upstashStore({ redis: make() }).acquire(claim(), call(5_000))).rejects.toMatchObject(
      says('ACCESS_DENIED', 'has no URL: set UPSTASH_REDIS_REST_URL and UPSTASH_REDIS_REST_TOKEN'),
    );
    expect(fetched).not.toHaveBeenCalled();
  });
});
