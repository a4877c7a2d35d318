import { Command, Redis } from 'ioredis';
import { createClient, RESP_TYPES } from 'redis';
import { type IORedisClient, redisAdminStore, redisStore } from 'single-execution/redis';
import { upstashStore } from 'single-execution/upstash';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { clearedEngine } from '../../support/backends/stage.js';
import { call, claim, done, grant, runOn } from '../../support/one-run.js';
import { failureOf, says } from '../../support/settled.js';

/* An answer is believed only if a script of the library has given it. */

const { server, client: redis } = await clearedEngine('redis');

const wrong = (what: string) => ({
  name: 'LockStoreError',
  code: 'INVALID_REQUEST',
  retryable: false,
  message: expect.stringMatching(
    new RegExp(
      `the client answered with .*${what.replace(/[()]/g, '\\$&')}.*, which no script of this library returns: pass`,
    ),
  ),
});

/** A client that changes what Redis answers, from the moment that the test turns it on. */
function changing(change: (answer: string) => unknown, isOn = true) {
  const switches = { isOn, sent: 0 };
  const run = async (send: () => Promise<unknown>) => {
    switches.sent++;
    const answer = await send();
    return switches.isOn ? change(String(answer)) : answer;
  };
  const client: IORedisClient = {
    eval: (script, count, ...rest) => run(() => redis.eval(script, count, ...rest)),
    evalsha: (hash, count, ...rest) => run(() => redis.evalsha(hash, count, ...rest)),
  };
  return { client, switches, store: redisStore({ client }) };
}

const listOf = (answer: string) => JSON.parse(answer) as unknown[];
const asNumbers = (answer: string) => listOf(answer).map((part) => (/^\d+$/.test(String(part)) ? Number(part) : part));

const CHANGES: [string, string, (answer: string) => unknown][] = [
  ['no answer', 'undefined', () => undefined],
  ['null', 'null', () => null],
  ['the answer of a mock', 'an object without fields', () => ({})],
  ['true', 'a boolean', () => true],
  ['a count', 'a number', () => 1],
  ['OK', 'a text', () => 'OK'],
  ['an empty text', 'an empty text', () => ''],
  ['bytes that are no text of ours', 'other bytes', () => new Uint8Array([1, 2])],
  ['the answer inside an object', 'an object with result', (answer) => ({ result: answer })],
  ['the answer of a pipeline', 'an array of one item (an array)', (answer) => [[null, answer]]],
  ['the answer in a list', 'an array of one item (a text)', (answer) => [answer]],
  ['the answer with one value more', 'an array of', (answer) => [...listOf(answer), 'more', 'still more']],
  ['the answer without its end', 'an array of', (answer) => listOf(answer).slice(0, 2)],
  ['numbers', ', numbers among them', asNumbers],
  [
    'BigInts',
    ', numbers among them',
    (answer) => asNumbers(answer).map((part) => (typeof part === 'number' ? BigInt(part) : part)),
  ],
  [
    'numbers as Lua writes them',
    'an array of',
    (answer) => listOf(answer).map((part, i) => (i === 1 ? '1.7952458226405e+12' : part)),
  ],
  ['another word', 'an array of', (answer) => ['acquired', ...listOf(answer).slice(1)]],
  [
    'the word in capitals',
    'an array of',
    (answer) => listOf(answer).map((part, i) => (i === 0 ? String(part).toUpperCase() : part)),
  ],
];

describe('F125 row 138: a client that answers with', () => {
  test.each(CHANGES)('%s gets no lock, and is told at once what came', async (_, what, change) => {
    const { store, switches } = changing(change);
    await expect(store.acquire(claim(), call())).rejects.toMatchObject(wrong(what));
    // The hash, the text, and the cancel by its hash and its text.
    expect(switches.sent).toBeLessThanOrEqual(4);
  });

  test.each(CHANGES)('%s has released nothing that it knows of', async (_, what, change) => {
    const { store, switches } = changing(change, false);
    const lease = await grant(store);
    switches.isOn = true;

    await expect(store.extend(lease, { leaseMs: 60_000 }, call())).rejects.toMatchObject(wrong(what));
    await expect(store.release(lease, done, call())).rejects.toMatchObject(wrong(what));
  });
});

test('F125 a list of locks is believed only if it is one', async () => {
  const { client } = changing((answer) => [listOf(answer)]);
  const refused = wrong('an array of one item (an array)');
  await expect(redisAdminStore({ client }).list(call())).rejects.toMatchObject(refused);
});

test('F125 an attempt whose acquire was answered with something else is cancelled', async () => {
  const { store, switches } = changing(() => 'OK', false);
  const held = await grant(store);
  switches.isOn = true;
  const asked = claim();
  await expect(store.acquire(asked, call())).rejects.toMatchObject(wrong('a text'));
  switches.isOn = false;
  await store.release(held, done, call());

  await expect(store.acquire(asked, call())).rejects.toMatchObject({ code: 'UNAVAILABLE' });
});

test('F125 a grant whose answer was changed is given back, and the next run has the lock', async () => {
  const { store, switches } = changing(() => {
    switches.isOn = false;
    return 'OK';
  }, false);
  await store.release(await grant(store), done, call());
  switches.isOn = true;

  await expect(store.acquire(claim(), call())).rejects.toMatchObject(wrong('a text'));
  expect(await redis.hmget('lock:digest', 'state', 'error')).toEqual(['released', 'INVALID_REQUEST']);
  await grant(store);
});

test('F125 a run whose release was answered with something else ends with release: unknown', async () => {
  const { store, switches } = changing(() => ({}), false);
  const task = () => {
    switches.isOn = true;
    return 'done';
  };
  expect(await runOn(store, task)).toMatchObject({ value: 'done', release: 'unknown' });
});

test('F125 the answer of the user is in no error', async () => {
  const error = await failureOf(changing(() => 's3cret').store.acquire(claim(), call()));
  expect(`${error} ${error.cause} ${JSON.stringify(error)}`).not.toContain('s3cret');
});

describe('real clients', () => {
  const ownClient = () => {
    const client = new Redis(server.url, { maxRetriesPerRequest: 0 });
    onTestFinished(() => client.disconnect());
    return client;
  };

  test('ioredis by its functions that return Buffers is read', async () => {
    const client = ownClient();
    const buffers: IORedisClient = {
      eval: (script, count, ...rest) => client.callBuffer('EVAL', script, String(count), ...rest),
      evalsha: (hash, count, ...rest) => client.callBuffer('EVALSHA', hash, String(count), ...rest),
    };
    const store = redisStore({ client: buffers });
    expect(await store.release(await grant(store), done, call())).toBe('released');
  });

  test('node-redis that maps texts to Buffers is read', async () => {
    const client = await createClient({ url: server.url }).connect();
    onTestFinished(() => client.destroy());
    const store = redisStore({ client: client.withTypeMapping({ [RESP_TYPES.BLOB_STRING]: Buffer }) as never });
    expect(await store.release(await grant(store), done, call())).toBe('released');
  });

  test('F125 ioredis with a transformer of its replies is told, and so is a pipeline in place of a client', async () => {
    const transform = (change: (answer: unknown) => unknown) => {
      for (const name of ['evalsha', 'eval']) Command.setReplyTransformer(name, change);
    };
    transform((answer) => ({ answer }));
    onTestFinished(() => transform((answer) => answer));
    const client = ownClient();
    for (const one of [client, client.pipeline()]) {
      const asked = redisStore({ client: one as never }).acquire(claim(), call());
      await expect(asked).rejects.toMatchObject(wrong('an object with'));
    }
  });

  test('F125 a connection inside somebody’s MULTI: the lock is not taken, and the transaction is named', async () => {
    const client = ownClient();
    const store = redisStore({ client });
    const { clock } = call();
    await grant(store, claim({ name: 'before' }), { ...call(), clock });
    await client.multi({ pipeline: false });

    const endMono = clock.monotonic() + 200;
    await expect(store.acquire(claim(), { ...call(200), clock })).rejects.toMatchObject(
      says('UNAVAILABLE', 'the connection is inside a MULTI that this library did not begin'),
    );
    await vi.waitUntil(() => clock.monotonic() > endMono, 60_000);
    await client.exec();
    expect(await redis.hget('lock:digest', 'state')).toBeNull();
  });
});

test.each<[string, (answer: string) => unknown]>([
  ['parsed with numbers', asNumbers],
  ['nothing', () => undefined],
])('F125 a client of Upstash’s REST API that answers with the answer %s is told', async (_, change) => {
  const { client } = changing(change);
  const rest = {
    eval: (script: string, keys: string[], args: string[]) =>
      client.eval(script.replace(/^#!.*\n/, ''), keys.length, ...keys, ...args),
    evalsha: (hash: string, keys: string[], args: string[]) => client.evalsha(hash, keys.length, ...keys, ...args),
  };
  const asked = upstashStore({ redis: rest }).acquire(claim(), call());
  await expect(asked).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
});
