import { setImmediate } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { createClient } from 'redis';
import { type Granted, LockStoreError } from 'single-execution';
import { lockAdmin } from 'single-execution/admin';
import { type RedisStoreOptions, redisAdminStore, redisStore, type ValkeyGlideClient } from 'single-execution/redis';
import { manualClock } from 'single-execution/testing';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { clearedEngine } from '../../support/backends/stage.js';
import { shiftedClock } from '../../support/clocks.js';
import { storeCall } from '../../support/contract-harness.js';
import { gate } from '../../support/gate.js';
import { call, claim, done, grant } from '../../support/one-run.js';
import { packagesOf } from '../../support/package-sets.js';
import { says } from '../../support/settled.js';

const { server, client: redis } = await clearedEngine('redis');

type Evaluate = Extract<RedisStoreOptions['client'], { evalsha: unknown }>;

/** A client that passes scripts on. `faults` are played for the next scripts, one each. */
function faultyClient() {
  const faults: ((send: () => Promise<unknown>) => Promise<unknown>)[] = [];
  const next = (send: () => Promise<unknown>) => (faults.shift() ?? ((pass) => pass()))(send);
  const client: Evaluate = {
    eval: (script, count, ...rest) => redis.eval(script, count, ...rest),
    evalsha: vi.fn((hash, count, ...rest) => next(() => redis.evalsha(hash, count, ...rest))),
  };
  return { client, faults };
}

const reset = () => Promise.reject(Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }));
const applyThenReset = async (send: () => Promise<unknown>) => {
  await send();
  return reset();
};

// test/faults plays the loss of one answer and of all answers of each verb.
describe('a lost answer', () => {
  test('F61 of a force release, with a new run before it is sent again: it is not reported as changed', async () => {
    const { client, faults } = faultyClient();
    const admin = redisAdminStore({ client });
    const { fencingToken, lockedAtMs } = await grant(redisStore({ client: redis }));
    const force = { name: 'digest', adminId: 'f1', fencingToken, lockedAtMs, nowMs: lockedAtMs };
    await admin.forceRelease({ ...force, name: 'another, which loads the script' }, call());
    faults.push(async (send) => {
      await send();
      await grant(redisStore({ client: redis }));
      return reset();
    });

    const forcing = admin.forceRelease(force, call());
    await expect(forcing).rejects.toMatchObject({ name: 'LockStoreError', operation: 'forceRelease', retryable: true });
  });

  test('of a listing of ticks: it was listed, unless a new run came before it is sent again', async () => {
    const { client, faults } = faultyClient();
    const admin = redisAdminStore({ client });
    const store = redisStore({ client: redis });
    const listing = { name: 'digest', openTicks: ',', failedTicks: ',mjuohs00,' };
    const list = async (meanwhile: () => unknown) => {
      const lease = await grant(store);
      await store.release(lease, done, call());
      const { fencingToken } = lease;
      await admin.listTicks({ ...listing, name: 'another, which loads the script', seen: {} }, call());
      faults.push(async (send) => {
        await send();
        await meanwhile();
        return reset();
      });
      return admin.listTicks({ ...listing, seen: { fencingToken } }, call());
    };

    expect(await list(() => {})).toBe('listed');
    await redis.flushall();
    const untold = { name: 'LockStoreError', operation: 'listTicks', retryable: true };
    await expect(list(() => grant(store))).rejects.toMatchObject(untold);
  });

  test('of a resume: it was resumed, unless the name is unknown', async () => {
    const { client, faults } = faultyClient();
    const admin = redisAdminStore({ client });
    await admin.resume('another, which loads the script', call());
    const resume = () => {
      faults.push(applyThenReset);
      return admin.resume('digest', call());
    };

    expect(await resume()).toBe('unknown');
    await admin.pause('digest', { untilMs: Date.now() + 60_000, by: 'me' }, call());
    expect(await resume()).toBe('resumed');
    await admin.delete({ name: 'digest', adminId: 'd1', fencingToken: 0, nowMs: Date.now() }, call());
    expect(await resume()).toBe('unknown');
  });

  test('F6 of a try that Redis did not know the script of: its text is not sent once the try was given up', async () => {
    const { opened, open } = gate();
    const evalsha = async () => {
      await opened;
      throw new Error('NOSCRIPT No matching script');
    };
    const client = { evalsha, eval: vi.fn(async () => null) };

    const lost = redisStore({ client }).acquire(claim(), { ...call(50), tryMs: 50 });
    await expect(lost).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    open();
    await setImmediate();

    expect(client.eval).not.toHaveBeenCalled();
  });

  test('F6 of a try that was granted until its lease was over: nothing ran of its tick, which stays open', async () => {
    const { client, faults } = faultyClient();
    const [store, direct] = [redisStore({ client }), redisStore({ client: redis })];
    await grant(store, claim({ name: 'another, which loads the script' }));
    const clock = manualClock(Date.now());
    const applied = gate();
    faults.push(async (send) => {
      await send();
      applied.open();
      return new Promise(() => {});
    });
    const tickMs = Date.UTC(2026, 0, 1);

    const late = store.acquire(claim({ attemptId: 'a-late', tickMs, leaseMs: 1 }), { ...call(5_000), clock });
    await applied.opened;
    const newer = claim({ attemptId: 'a-newer', tickMs: tickMs + 1 });
    const lease = await vi.waitFor(() => grant(direct, newer), 60_000);
    await clock.advance(1_000);
    expect(await late).toMatchObject({ status: 'refused', reason: 'locked' });
    await direct.release(lease, { ...done, markTickDone: true }, call());

    const again = claim({ attemptId: 'a-again', tickMs });
    expect(await direct.acquire(again, call())).toMatchObject({ status: 'acquired', lease: { openTicksMs: [tickMs] } });
  });
});

test('one who only looks leaves nothing in Redis, nor does a list that all have left', async () => {
  const store = redisStore({ client: redis });
  await store.checkIn({ group: 'sched', forget: [] }, call());
  expect(await redis.keys('*')).toEqual([]);
  await store.checkIn({ group: 'sched', member: 'a', forget: [] }, call());
  await store.checkIn({ group: 'sched', forget: ['a'] }, call());
  expect(await redis.keys('*')).toEqual([]);
});

test('F12 F13 a clock that is hours wrong decides nothing, and is reported', async () => {
  const store = redisStore({ client: redis });
  const wrong = { ...storeCall(shiftedClock(7_200_000)), budgetMs: 5_000 };
  await grant(store);

  const refused = await store.acquire(claim(), wrong);
  expect(refused).toMatchObject({ status: 'refused', reason: 'locked' });
  expect(refused.clock?.maxMs).toBeLessThan(-7_190_000);
});

describe('errors', () => {
  const failing = (error: unknown) => {
    const fail = async () => {
      throw error;
    };
    return redisStore({ client: { eval: fail, evalsha: fail } }).acquire(claim(), { ...call(400), tryMs: 400 });
  };

  test('F90 contain neither the command nor the address', async () => {
    const error = await failing(
      new Error('ERR unknown command, command was: ["evalsha","s3cret-token","https://db.upstash.io"]'),
    ).catch((reason: unknown) => reason as Error);

    expect(`${error} ${(error as Error).cause} ${JSON.stringify(error)}`).not.toMatch(/s3cret|upstash\.io|command was/);
    expect(error).toMatchObject({ code: 'INVALID_REQUEST', retryable: false });
  });

  test('say in their cause that the message of a client is left out', async () => {
    const message = 'its message is left out, because those of clients can hold the whole command';
    const cause = { name: 'TypeError', message };
    await expect(failing(new TypeError('s3cret'))).rejects.toMatchObject({ cause });
  });

  test.each<[string, string, string]>([
    ['WRONGPASS invalid username-password pair', 'ACCESS_DENIED', 'check user, password or token'],
    ['NOAUTH Authentication required.', 'ACCESS_DENIED', 'check user, password or token'],
    ['READONLY You can not write against a read only replica.', 'UNAVAILABLE', 'cannot write just now (READONLY)'],
    ['ERR max daily request limit exceeded', 'UNAVAILABLE', 'cannot write just now (ERR)'],
    ['connect ECONNREFUSED 127.0.0.1:1', 'UNAVAILABLE', 'could not be reached'],
    ['ERR Error compiling script (new function)', 'INVALID_REQUEST', 'Redis refused the script (ERR)'],
    ['ERR user_script:1: wrong, command was: ["evalsha"]', 'INVALID_REQUEST', 'Redis refused the script (ERR)'],
    ['ERR internal error, command was: ["evalsha","no script"]', 'UNAVAILABLE', 'no clear answer from Redis (ERR)'],
  ])('%s', async (message, code, remedy) => {
    await expect(failing(new Error(message))).rejects.toMatchObject(says(code, remedy));
  });

  test.each<[string, object, boolean]>([
    ['while connecting', { code: 'EHOSTUNREACH', syscall: 'connect' }, false],
    [
      'before, as ioredis tells it',
      { message: "Stream isn't writeable and enableOfflineQueue options is false" },
      false,
    ],
    ['before, as node-redis tells it', { message: 'The client is offline' }, false],
    ['once it was sent', { code: 'EHOSTUNREACH', syscall: 'read' }, true],
    ['once it was sent, as node-fetch tells it', { code: 'EHOSTUNREACH', message: 'reason: read EHOSTUNREACH' }, true],
    ['once it was sent, as fetch tells it', { cause: { code: 'ENETUNREACH', syscall: 'write' } }, true],
  ])('F1 a request that is lost %s is cancelled only if it may have been applied', async (_, fields, isCancelled) => {
    const sent: string[] = [];
    const fail = async (_hash: string, _keys: number, _key: string, ...args: string[]) => {
      sent.push(args.length === 1 ? 'cancel' : 'acquire');
      throw Object.assign(new Error('failed'), fields);
    };
    const store = redisStore({ client: { eval: fail, evalsha: fail } });

    await expect(store.acquire(claim(), { ...call(400), tryMs: 400 })).rejects.toThrow(LockStoreError);
    expect(sent.includes('cancel')).toBe(isCancelled);
  });

  test('a key that holds something else is named', async () => {
    await redis.set('lock:digest', 'a string');

    await expect(redisStore({ client: redis }).acquire(claim(), call())).rejects.toMatchObject(
      says('INVALID_REQUEST', 'set another keyPrefix for this store'),
    );
  });
});

test('lists the locks of its own prefix alone, whatever signs are in it, and no key that no lock can have', async () => {
  for (const keyPrefix of ['a*', 'ab', 'a[b]']) await grant(redisStore({ client: redis, keyPrefix }));
  await redis.set('a*string', '1');
  for (const name of ['', 'a\nb', 'x'.repeat(127), 'u\u0308']) await redis.hset(`a*${name}`, { of: 'another program' });

  const locks = await lockAdmin(redisAdminStore({ client: redis, keyPrefix: 'a*' })).list();
  expect(locks.map(({ name, state }) => [name, state])).toEqual([['digest', 'held']]);
});

const oldest = await packagesOf('test/oldest-sdk');

describe('a client that cannot send', () => {
  const { createClient: createOldestClient } = oldest('redis') as typeof import('redis');
  const OldestRedis = oldest('ioredis') as typeof Redis;
  const nobody = { port: 1, host: '127.0.0.1' };

  const watched = <C extends { on(event: 'error', listener: () => void): unknown }>(client: C): C => {
    client.on('error', () => undefined);
    return client;
  };
  const ended = async (client: Redis) => {
    client.disconnect();
    await vi.waitUntil(() => client.status === 'end', 60_000);
    return client;
  };
  /** A client that tries to connect again and again. */
  const connecting = (client: ReturnType<typeof createClient>) => {
    client.connect().catch(() => undefined);
    onTestFinished(() => void client.disconnect());
    return client;
  };
  const ioredis = (client: Redis) => {
    onTestFinished(() => client.disconnect());
    return client;
  };

  test.each<[string, () => RedisStoreOptions['client'] | Promise<RedisStoreOptions['client']>]>([
    ['node-redis that was never connected', () => createClient()],
    ['the oldest node-redis that was never connected', () => createOldestClient() as never],
    ['ioredis that has ended', () => ended(watched(new Redis(nobody)))],
    ['the oldest ioredis that has ended', () => ended(watched(new OldestRedis(nobody)))],
  ])('%s is told at once', async (_, make) => {
    const store = redisStore({ client: await make() });

    const why =
      'the client is closed: await client.connect() before the first run, and close it after the last; nothing was sent';
    // The call may take longer than this test, so the test fails if the call waits for its own time limit.
    await expect(store.acquire(claim(), call(600_000))).rejects.toMatchObject({
      message: `acquire of lock "digest" failed: ${why}`,
      cause: { name: 'NotSent', message: why },
    });
  });

  test.each<[string, () => Exclude<RedisStoreOptions['client'], ValkeyGlideClient>]>([
    ['node-redis', () => connecting(watched(createClient({ socket: nobody })))],
    ['ioredis', () => ioredis(watched(new Redis(nobody)))],
    ['the oldest ioredis', () => ioredis(watched(new OldestRedis(nobody)))],
  ])('%s of a Redis that is down is asked for no lock, and told', async (_, make) => {
    const client = make();
    const [evaluate, evaluateHash] = [vi.spyOn(client, 'eval'), 'evalSha' in client ? 'evalSha' : 'evalsha'];
    const send = vi.spyOn(client as unknown as Record<string, () => unknown>, evaluateHash);

    await expect(redisStore({ client }).acquire(claim(), call(300))).rejects.toMatchObject(
      says('UNAVAILABLE', 'the client is not connected to Redis: start Redis, or check its address'),
    );
    // Only `return 1` is sent, which changes nothing: its answer shows whether Redis refuses the login.
    expect([evaluate, send].map(({ mock }) => mock.calls)).toEqual([[['return 1', expect.anything()]], []]);
  });

  test('and connects meanwhile, gets its lock', async () => {
    const client = ioredis(new Redis(server.url));
    expect(client.status).toBe('connecting');
    expect(await redisStore({ client }).acquire(claim(), call(5_000))).toMatchObject({ status: 'acquired' });
  });

  /** A client that passes scripts on, and has the connection status that the test sets. */
  const slowClient = (status: string) => ({ ...faultyClient().client, status });

  test('and connects after longer than a lease, has its whole lease from the first request on', async () => {
    const clock = manualClock();
    const client = slowClient('connecting');
    const store = redisStore({ client });
    const acquiring = store.acquire(claim({ leaseMs: 1_000 }), storeCall(clock));
    await clock.advance(1_495);
    client.status = 'ready';
    await clock.advance(5);
    const acquired = await acquiring;
    const granted = { firstSentMono: 1_500, firstSentWall: Date.UTC(2026, 0, 1) + 1_500 };
    expect(acquired).toMatchObject({ status: 'acquired', lease: granted });

    client.status = 'reconnecting';
    const extending = store.extend((acquired as Granted).lease, { leaseMs: 60_000 }, storeCall(clock));
    await clock.advance(95);
    client.status = 'ready';
    await clock.advance(5);
    expect(await extending).toMatchObject({ status: 'extended', firstSentMono: 1_600 });
  });

  test('at its first try has its whole lease from the try that is sent', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0.5);
    onTestFinished(() => void vi.restoreAllMocks());
    const clock = manualClock();
    const statuses = ['ready', 'reconnecting'];
    const client = Object.defineProperty(slowClient('ready'), 'status', { get: () => statuses.shift() ?? 'ready' });
    const acquiring = redisStore({ client }).acquire(claim(), storeCall(clock));
    await clock.advance(25);

    expect(await acquiring).toMatchObject({ status: 'acquired', lease: { firstSentMono: 25 } });
  });

  test.each<[string, (client: { status: string }, controller: AbortController) => void]>([
    [
      'connects when its time is up',
      (client) => {
        client.status = 'ready';
      },
    ],
    ['is given up while it connects', (_, controller) => controller.abort()],
  ])('and %s, is asked for no lock, and told', async (_, happen) => {
    const clock = manualClock();
    const client = slowClient('connecting');
    const controller = new AbortController();
    clock.setTimer(() => happen(client, controller), 300);
    const asked = { ...storeCall(clock), budgetMs: 300, signal: controller.signal };
    const refused = expect(redisStore({ client }).acquire(claim(), asked)).rejects.toThrow(
      'the client is not connected to Redis: start Redis, or check its address and the network; nothing was sent',
    );
    await clock.advance(400);

    await refused;
    expect(client.evalsha).not.toHaveBeenCalled();
  });
});
