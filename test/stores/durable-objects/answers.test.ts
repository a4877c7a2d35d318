import type { LockStore } from 'single-execution';
import { durableObjectStore } from 'single-execution/durable-objects';
import { describe, expect, test } from 'vitest';
import { objectsInMemory } from '../../docs/objects-in-memory.js';
import { shiftedClock } from '../../support/clocks.js';
import { storeCall } from '../../support/contract-harness.js';
import { runOn } from '../../support/one-run.js';

/*
 * Answers that no object gives to a request: of another class, of another version, or of another request. The objects
 * are of this process, because workerd cannot be made to change an answer.
 */

type Answer = Record<string, unknown> & { result?: Record<string, unknown> & { lease?: object } };
type Change = (answer: Answer) => unknown;

const call = () => storeCall(shiftedClock(0));

/** A store whose objects give as many changed answers as `state.left` says. */
function changing(change: (answer: string) => string) {
  const state = { left: 0 };
  const store = durableObjectStore(objectsInMemory((answer) => (state.left-- > 0 ? change(answer) : answer)));
  return { store, state };
}

const parsed = (change: Change) => (answer: string) => JSON.stringify(change(JSON.parse(answer)));
const withResult =
  (fields: object): Change =>
  (answer) => ({ ...answer, result: { ...answer.result, ...fields } });
const withLease =
  (fields: object): Change =>
  (answer) =>
    withResult({ lease: { ...answer.result?.lease, ...fields } })(answer);

const CLAIM = { name: 'job', attemptId: 'a1', leaseMs: 60_000, lockedBy: 'test', markTickAtStart: false };

const OF_EVERY_VERB: readonly (readonly [string, (answer: string) => string])[] = [
  ['an empty text', () => ''],
  ['a page', () => '<html><body>Bad gateway</body></html>'],
  ['null', () => 'null'],
  ['a list', () => '[]'],
  ['an object', () => '{}'],
  ['a newer protocol', parsed((answer) => ({ ...answer, protocol: 2 }))],
  ['an unknown word', parsed((answer) => ({ ...answer, word: 'granted' }))],
  ['no time', parsed(({ nowMs: _, ...answer }) => answer)],
  ['a time in seconds', parsed((answer) => ({ ...answer, nowMs: 1_795_000_000 }))],
  ['a record that is a text', parsed((answer) => ({ ...answer, item: 'record' }))],
  ['an error that the record does not show', parsed((answer) => ({ ...answer, word: 'failed' }))],
];

const OF_A_GRANT: readonly (readonly [string, Change])[] = [
  ['no result', ({ result: _, ...answer }) => answer],
  ['a result that is a text', (answer) => ({ ...answer, result: 'acquired' })],
  ['an unknown status', withResult({ status: 'granted' })],
  ['an unknown reason', withResult({ status: 'refused', reason: 'busy' })],
  ['a refusal without a holder that can be read', withResult({ status: 'refused', reason: 'locked', holder: 'me' })],
  ['the lease of another lock', withLease({ name: 'other' })],
  ['the lease of another attempt', withLease({ attemptId: 'a2' })],
  ['a lease that another call was granted', withLease({ firstSentMono: 1 })],
  ['a token that is a text', withLease({ fencingToken: '7' })],
  ['a lease without an end', withLease({ lockUntilMs: null })],
];

const run = (store: LockStore) => runOn(store, () => 'done', { name: 'job' });

const refused = { code: 'INVALID_REQUEST', retryable: false };

describe('row 221: F208: an answer that no object gives', () => {
  test.each([...OF_EVERY_VERB, ...OF_A_GRANT.map(([title, change]) => [title, parsed(change)] as const)])(
    'row 221: F208: %s is no grant, and the lock is free again',
    async (_, change) => {
      const { store, state } = changing(change);
      await run(store);
      state.left = 1;
      await expect(store.acquire(CLAIM, call())).rejects.toMatchObject(refused);

      expect(await run(store)).toMatchObject({ status: 'executed', previous: { status: 'failed' } });
    },
  );

  const verbs: Readonly<Record<string, (store: Store, lease: Lease) => Promise<unknown>>> = {
    extend: (store, lease) => store.extend(lease, { leaseMs: 60_000 }, call()),
    mark: (store, lease) => store.mark(lease, { tickMs: 1_795_000_000_000, leaseMs: 60_000 }, call()),
    release: (store, lease) =>
      store.release(lease, { result: 'succeeded', lockAtLeastForMs: 0, markTickDone: false, durationMs: 1 }, call()),
    checkIn: (store) => store.checkIn({ group: 'job', member: 'a', forget: [] }, call()),
    get: (store) => store.get('job', call()),
    list: (store) => store.list(call()),
    pause: (store) => store.pause('job', { untilMs: 1_900_000_000_000, by: 'me' }, call()),
    resume: (store) => store.resume('job', call()),
    forceRelease: (store, lease) => store.forceRelease({ ...lease, adminId: 'o1', nowMs: Date.now() }, call()),
    delete: (store) => store.delete({ name: 'job', adminId: 'o1', fencingToken: 1, nowMs: Date.now() }, call()),
    listTicks: (store) => store.listTicks({ name: 'job', openTicks: ',', failedTicks: ',', seen: {} }, call()),
  };
  type Store = ReturnType<typeof durableObjectStore>;
  type Lease = Parameters<LockStore['extend']>[0];

  test.each(Object.keys(verbs))('row 221: F208: %s believes none of them', async (verb) => {
    const wrong: readonly (readonly [string, (answer: string) => string])[] = [
      ...OF_EVERY_VERB.filter(([title]) => verb !== 'list' || !/time|record|error/.test(title)),
      [
        'a name that is never listed',
        parsed((answer) => ({ ...answer, word: answer['word'] === 'decided' ? 'unlisted' : answer['word'] })),
      ],
      ['the result of no verb', parsed((answer) => ({ ...answer, result: 7, names: 7 }))],
    ];
    for (const [title, change] of wrong) {
      const { store, state } = changing(change);
      const granted = await store.acquire(CLAIM, call());
      state.left = Number.POSITIVE_INFINITY;
      const lease = granted.status === 'acquired' ? granted.lease : expect.unreachable();
      await expect(verbs[verb]?.(store, lease), title).rejects.toMatchObject(refused);
    }
  });

  test.each(['acquire', ...Object.keys(verbs).filter((verb) => verb !== 'list')])(
    'row 186: F199 a request for %s that lacks any value leaves a record that every call can read',
    async (verb) => {
      for (let left = Number.POSITIVE_INFINITY, nth = 0; nth < left; nth++) {
        const objects = objectsInMemory();
        const sound = durableObjectStore(objects);
        const lacking = durableObjectStore({
          idFromName: (name) => objects.idFromName(name),
          get: (id) => ({
            fetch(url, { body, ...init }) {
              const request = JSON.parse(body);
              if (request.verb !== verb) return objects.get(id).fetch(url, { ...init, body });
              const places = placesIn(request);
              left = places.length;
              places[nth]?.();
              return objects.get(id).fetch(url, { ...init, body: JSON.stringify(request) });
            },
          }),
        });
        if (verb === 'acquire') await lacking.acquire(CLAIM, call()).catch(() => undefined);
        else {
          const granted = await sound.acquire(CLAIM, call());
          const lease = granted.status === 'acquired' ? granted.lease : expect.unreachable();
          await verbs[verb]?.(lacking, lease).catch(() => undefined);
        }

        expect(['executed', 'skipped']).toContain((await run(sound)).status);
      }
    },
  );
});

/** What removes each value of a request, also those inside others. */
function placesIn(value: Record<string, unknown>): (() => void)[] {
  return Object.entries(value).flatMap(([key, inner]) => [
    () => void delete value[key],
    ...(typeof inner === 'object' && inner !== null ? placesIn(inner as Record<string, unknown>) : []),
  ]);
}

test('row 221: fields of a newer version change nothing', async () => {
  const newer = (value: unknown): unknown =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? { ...Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, newer(inner)])), added: 'later' }
      : value;
  const { store, state } = changing(parsed(newer));
  state.left = Number.POSITIVE_INFINITY;

  expect(await run(store)).toMatchObject({ status: 'executed', release: 'released' });
});

test('row 186: F199 an object of another version is asked once, and the error can be retried', async () => {
  let asked = 0;
  const answer = () => {
    asked++;
    return JSON.stringify({ protocol: 2, word: 'unknown' });
  };
  const { store, state } = changing(answer);
  state.left = Number.POSITIVE_INFINITY;

  await expect(run(store)).rejects.toMatchObject({ code: 'INVALID_REQUEST', retryable: true });
  expect(asked).toBe(1);
});

test('row 186: F199 while every answer lacks a value nobody runs, and the lock stays to the end of the lease', async () => {
  const { store, state } = changing(parsed(({ result: _, ...answer }) => answer));
  state.left = Number.POSITIVE_INFINITY;
  await expect(run(store)).rejects.toMatchObject(refused);
  state.left = 0;

  expect(await run(store)).toMatchObject({ status: 'skipped', reason: 'locked' });
});

test('row 221: F208: the message names what came, and not what it holds', async () => {
  const { store, state } = changing(() => JSON.stringify({ secret: 'hunter2' }));
  state.left = Number.POSITIVE_INFINITY;

  await expect(store.acquire(CLAIM, call())).rejects.toThrow(
    'acquire of lock "job" failed: the object answered with an object with secret, which LockObject does not: bind the class LockObject of this version, and deploy the Worker that exports it',
  );
});
