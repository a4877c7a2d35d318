import { acquireLock, type Claim, type ExecuteOptions, LockStoreError } from 'single-execution';
import { lockAdmin } from 'single-execution/admin';
import { durableObjectStore } from 'single-execution/durable-objects';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { bundleWorker, startWorker } from '../../edge/workerd.js';
import { namespaceAt, WORKER } from '../../support/backends/durable-objects.js';
import { pass, shiftedClock } from '../../support/clocks.js';
import { callOfTries, patientStore } from '../../support/contract-harness.js';
import { call, runOn } from '../../support/one-run.js';
import { failureOf, says } from '../../support/settled.js';

const { url, stop, ask } = await startWorker(
  await bundleWorker(WORKER),
  { TEXT: 'any' },
  {
    objects: { LOCKS: 'TestedObject', TALKING: 'TalkingObject', DEAF: 'DeafObject' },
    others: {
      kvNamespaces: ['KV'],
      r2Buckets: ['BUCKET'],
      queueProducers: { QUEUE: 'queue' },
      serviceBindings: { SERVICE: 'tests' },
    },
  },
);
afterAll(() => stop().then(() => undefined));

/** The bodies of the requests so far, and the path of the next ones. */
let sent: string[];
let pathOf: (body: string) => string;
const namespace = namespaceAt(url, undefined, (body) => {
  sent.push(body);
  return pathOf(body);
});
const store = patientStore(durableObjectStore(namespace));
const admin = lockAdmin(store);

let name: string;
let lockOf: number = 0;
beforeEach(() => {
  sent = [];
  pathOf = () => '/';
  name = `job ${lockOf++}`;
});

const run = (task: () => unknown = () => 'done', more: Partial<ExecuteOptions> = {}) =>
  runOn(store, task, { name, ...more });
const hold = (over = store, as = name) => acquireLock({ name: as, store: over, lockAtMostFor: '1m', observers: [] });
const words = () => sent.map((body) => JSON.parse(body)).map(({ verb, add }) => verb ?? (add ? 'add' : 'names'));

/** Sends a copy of a request once more. @returns the word of the answer */
async function again(body: string): Promise<string> {
  const stub = namespace.get(namespace.idFromName(`lock:${name}`));
  const response = await stub.fetch('https://lock.object/', { method: 'POST', body });
  return JSON.parse(await response.text()).word;
}

describe('row 218: requests', () => {
  test('row 218: the first run of a name sends four, every other run two, and a skip one', async () => {
    await run();
    expect(words()).toEqual(['acquire', 'add', 'acquire', 'release']);
    sent = [];
    const lock = await hold();
    expect(words()).toEqual(['acquire']);
    expect(await run()).toMatchObject({ status: 'skipped' });
    expect(words()).toEqual(['acquire', 'acquire']);
    await lock.release();
    expect(words()).toEqual(['acquire', 'acquire', 'release']);
  });

  test('row 218: a list has every lock under its prefix that was granted, and reads each once', async () => {
    const prefixed = patientStore(durableObjectStore(namespace, { keyPrefix: 'listed:' }));
    const held = await Promise.all(['b', 'a', 'c'].map((each) => hold(prefixed, each)));
    sent = [];

    expect((await lockAdmin(prefixed).list()).map((lock) => lock.name).sort()).toEqual(['a', 'b', 'c']);
    expect(words()).toEqual(['names', 'get', 'get', 'get']);
    await Promise.all(held.map((lock) => lock.release()));
  });
});

test('F206: a lock is not granted while the index does not answer, and is afterwards', async () => {
  pathOf = (body) => ('add' in JSON.parse(body) ? '/fail-before' : '/');
  const acquiring = { ...store, acquire: (asked: Claim) => store.acquire(asked, callOfTries(1)) };
  const running = run(() => expect.unreachable(), { store: acquiring });
  await expect(running).rejects.toMatchObject({ code: 'UNAVAILABLE', cause: { message: 'inside' } });
  expect(await admin.get(name)).toBeUndefined();
  pathOf = () => '/';
  expect(await run()).toMatchObject({ status: 'executed' });
});

test('F206: a name whose caller died before its grant is not listed, and its next call runs', async () => {
  const index = namespace.get(namespace.idFromName('index'));
  await index.fetch('https://lock.object/', { method: 'POST', body: JSON.stringify({ protocol: 1, add: name }) });
  const names = async () => (await admin.list()).map((lock) => lock.name);
  expect(await names()).not.toContain(name);
  expect(await run()).toMatchObject({ status: 'executed' });
  expect(await names()).toContain(name);
});

describe('F205: a request that comes late', () => {
  test('F205: for a grant whose call is over takes nothing', async () => {
    await run();
    const { untilMs, ...body } = JSON.parse(sent[2] ?? '');
    const asked = { ...body.asked, attemptId: 'a-of-another-call' };
    const late = JSON.stringify({ ...body, asked, untilMs: Date.now() - 1 });
    expect(untilMs).toBeGreaterThan(Date.now());

    expect(await again(late)).toBe('late');
    expect(await admin.get(name)).toMatchObject({ state: 'free' });
  });

  test('F205: of an attempt that ran takes nothing, also after a later run', async () => {
    await run();
    await run();
    const [acquired] = sent.filter((body) => JSON.parse(body).isListed);

    expect(await again(acquired ?? '')).toBe('ended');
    expect(await admin.get(name)).toMatchObject({ state: 'free' });
  });

  test.each([
    ['cancelled', 'cancel'],
    ['ended by force', 'force'],
  ])('F205: of an attempt that was %s takes nothing', async (_, how) => {
    const lock = await hold();
    const [claimed] = sent.filter((body) => JSON.parse(body).isListed);
    const { asked, ...body } = JSON.parse(claimed ?? '');
    if (how === 'force') await admin.forceRelease(name, { fencingToken: lock.fencingToken });
    else {
      await lock.release();
      expect(
        await again(JSON.stringify({ ...body, verb: 'cancel', asked: { claim: { ...asked, attemptId: 'a2' } } })),
      ).toBe('decided');
    }
    await run();
    const attemptId = how === 'force' ? asked.attemptId : 'a2';

    expect(await again(JSON.stringify({ ...body, asked: { ...asked, attemptId } }))).toBe('ended');
  });

  test('F205: for an extension whose call is over extends nothing', async () => {
    const lock = await hold();
    await lock.extend('2m');
    const { lockUntil } = (await admin.get(name)) ?? {};
    const [extended] = sent.filter((body) => JSON.parse(body).verb === 'extend');
    const { asked, ...body } = JSON.parse(extended ?? '');

    const late = { ...body, asked: { ...asked, leaseMs: 600_000 }, untilMs: Date.now() - 1 };
    expect(await again(JSON.stringify(late))).toBe('late');
    expect(await admin.get(name)).toMatchObject({ lockUntil });
    await lock.release();
  });

  test('F205: a caller whose clock is behind asks once more, by the clock of the object', async () => {
    await run();
    sent = [];
    const clock = shiftedClock(-600_000);
    await pass(clock, 0);
    await run(() => {}, { clock });

    expect(words()).toEqual(['acquire', 'acquire', 'release']);
  });
});

test.each([
  ['is no JSON', 'hello', 'unknown'],
  ['is null', 'null', 'unknown'],
  ['is a newer verb', '{"protocol":1,"verb":"renew","asked":{}}', 'unknown'],
  ['is a name of every object', '{"protocol":1,"verb":"constructor"}', 'unknown'],
  ['adds no name', '{"protocol":1,"add":7}', 'unknown'],
  ['asks for nothing', '{"protocol":1,"verb":"acquire","isListed":true}', 'unknown'],
  ['is of a newer exchange', '{"protocol":2,"verb":"resume","asked":"job"}', 'unknown'],
])('row 221: a request that %s changes nothing', async (_, body, word) => {
  await run();
  const recordOf = async () => (await store.get(name, call()))?.item;
  const before = await recordOf();

  expect(await again(body)).toBe(word);
  expect(await recordOf()).toEqual(before);
});

describe('row 220: what cannot be the binding', () => {
  test('row 220: each other kind of binding is refused when the store is made', async () => {
    const said: Readonly<Record<string, string>> = JSON.parse(await ask('/kinds'));
    const bind =
      'bind the class LockObject in durable_objects of wrangler.jsonc, and pass the binding, such as env.LOCKS';

    expect(said).toEqual({
      LOCKS: 'none',
      // The first call finds out: below.
      TALKING: 'none',
      DEAF: 'none',
      TEXT: `TypeError: namespace is a string: ${bind}`,
      KV: `TypeError: namespace is a KV namespace or a bucket, which keeps no locks: ${bind}`,
      BUCKET: `TypeError: namespace is a KV namespace or a bucket, which keeps no locks: ${bind}`,
      DB: 'TypeError: namespace is a D1 database: pass it to sqliteStore({ client }) of single-execution/sqlite',
      QUEUE: `TypeError: namespace has no function 'idFromName': ${bind}`,
      SERVICE: `TypeError: namespace is a stub or the binding of a service: ${bind}`,
      stub: `TypeError: namespace is a stub or the binding of a service: ${bind}`,
      env: `TypeError: namespace has no function 'idFromName': ${bind}`,
    });
  });

  test.each([undefined, null, () => namespace, Promise.resolve(namespace), 7])('row 220: nor can %s', (value) => {
    expect(() => durableObjectStore(value as never)).toThrow(/^namespace is .*: bind the class LockObject/);
  });

  test('row 220: options are checked', () => {
    expect(() => durableObjectStore(namespace, { prefix: 'a' } as never)).toThrow(
      "unknown option 'prefix' of durableObjectStore: the option is keyPrefix",
    );
    expect(() => durableObjectStore(namespace, { keyPrefix: 7 } as never)).toThrow('keyPrefix is 7: pass a string');
  });

  test.each([
    ['TALKING', 'the object answered with a text, which LockObject does not: bind the class LockObject'],
    ['DEAF', 'the bound class has no fetch, as LockObject has: bind the class LockObject'],
  ])('row 220: F208: a class other than LockObject (%s) is an error of the first call', async (binding, words) => {
    const other = durableObjectStore(namespaceAt(url, undefined, () => '/', binding));
    const failed = await failureOf(runOn(other, () => {}, { name }));

    expect(failed).toBeInstanceOf(LockStoreError);
    expect(failed).toMatchObject(says('INVALID_REQUEST', words, { retryable: false }));
  });
});
