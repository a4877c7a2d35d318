import fc from 'fast-check';
import { CorruptLockError, LockStoreError, type StoreCall } from 'single-execution';
import { manualClock } from 'single-execution/testing';
import { upstashAdminStore, upstashStore } from 'single-execution/upstash';
import { beforeEach, describe, expect, test } from 'vitest';
import { newAttemptId } from '../../src/core/values/names.js';
import { storeCall } from '../support/contract-harness.js';
import { anyFailure, anyText, anyValue } from '../support/hostile-values.js';
import { claim, done } from '../support/one-run.js';

const NOW = 1_767_225_600_000;
const TOKEN = NOW + 1;
const ASKED = claim({ tickMs: NOW });
const LEASE = {
  ...ASKED,
  fencingToken: TOKEN,
  lockedAtMs: NOW,
  lockUntilMs: NOW + 60_000,
  firstSentMono: 0,
  firstSentWall: NOW,
};
const HELD = {
  attemptId: ASKED.attemptId,
  state: 'held',
  fencingToken: `${TOKEN}`,
  lockedAt: `${NOW}`,
  lockUntil: `${NOW + 60_000}`,
};

/** One try and no more, of a server that answers at once: no timer ends it, and no second try mends it. */
const call = (): StoreCall => ({ ...storeCall(manualClock(NOW)), budgetMs: 0 });

/** What the server does to the next script; the ones after it, such as a cancel, fare alike. */
let answer: () => unknown;
let sent = 0;
beforeEach(() => {
  sent = 0;
});
const respond = async () => {
  sent++;
  return answer();
};
const redis = { eval: respond, evalsha: respond };
const store = upstashStore({ redis });
const admin = upstashAdminStore({ redis });

/** Each verb, and the words of its script. */
const VERBS: readonly (readonly [string, readonly string[], () => Promise<unknown>])[] = [
  ['acquire', ['granted', 'own', 'refused'], () => store.acquire(ASKED, call())],
  ['extend', ['extended', 'lost'], () => store.extend(LEASE, { leaseMs: 60_000 }, call())],
  ['release', ['released', 'other'], () => store.release(LEASE, done, call())],
  ['checkIn', ['listed'], () => store.checkIn({ group: 'digest', forget: [] }, call())],
  ['get', ['read'], () => admin.get('digest', call())],
  [
    'forceRelease',
    ['forced', 'changed'],
    () => admin.forceRelease({ ...LEASE, adminId: newAttemptId('f'), nowMs: NOW }, call()),
  ],
  ['pause', ['paused'], () => admin.pause('digest', { untilMs: NOW, by: 'me' }, call())],
  ['resume', ['resumed', 'not-paused', 'unknown'], () => admin.resume('digest', call())],
  [
    'delete',
    ['deleted', 'held', 'changed', 'unknown'],
    () => admin.delete({ ...LEASE, adminId: newAttemptId('d'), nowMs: NOW }, call()),
  ],
  [
    'listTicks',
    ['listed', 'changed'],
    () => admin.listTicks({ name: 'digest', openTicks: ',', failedTicks: ',', seen: { fencingToken: TOKEN } }, call()),
  ],
];

const line = fc.oneof(
  fc.constantFrom(
    `${NOW}`,
    '0',
    '-1',
    '1e13',
    '0x1',
    ' 1',
    '1.5',
    'NaN',
    'Infinity',
    '',
    '9007199254740993',
    '9'.repeat(400),
  ),
  fc.constantFrom(...Object.values(HELD)),
  anyText,
);
/** A record, perhaps with a value that is wrong. */
const record = fc
  .tuple(fc.constantFrom(HELD, {}), fc.dictionary(fc.constantFrom(...Object.keys(HELD), 'tick', 'error'), line))
  .map(([sound, wrong]): unknown => ({ ...sound, ...wrong }));
/** Answers that look like a script's, whole or not, as Redis gives them or as a client that reads JSON does. */
const nearReplies = (words: readonly string[]) =>
  fc
    .oneof(
      fc
        .tuple(fc.constantFrom(...words), fc.array(fc.oneof(line, record), { maxLength: 6 }))
        .map(([w, all]) => [w, ...all]),
      fc.tuple(fc.constantFrom(...words), record).map(([word, told]) => [word, `${NOW}`, `${TOKEN}`, told]),
      fc
        .tuple(fc.constantFrom(...words), fc.nat(3), fc.oneof(line, fc.jsonValue()))
        .map(([word, place, wrong]) => [word, `${NOW}`, `${TOKEN}`, HELD].with(place, wrong as string)),
      fc.constantFrom(...words).map((word) => [word, NOW, TOKEN]),
      fc.constantFrom(...words).map((word) => ({ result: [word, `${NOW}`, `${TOKEN}`] })),
    )
    .chain((reply) => fc.constantFrom<unknown>(reply, JSON.stringify(reply), Buffer.from(JSON.stringify(reply))));

/** The list of an answer that is one of a script: a word, two whole numbers, and perhaps a record of texts. */
function listOf(
  reply: unknown,
  words: readonly string[],
): [string, string, string, Record<string, string>?] | undefined {
  let list = reply;
  try {
    list = typeof reply === 'string' ? JSON.parse(reply) : reply;
  } catch {}
  if (!Array.isArray(list)) return undefined;
  const [word, now, number, told = {}] = list;
  const isWhole = (text: unknown) => typeof text === 'string' && /^[0-9]+$/.test(text) && Number(text) < 2 ** 53;
  const isRecord = typeof told === 'object' && told !== null;
  const isTexts = isRecord && Object.values(told).every((value) => typeof value === 'string');
  return words.includes(word) && isWhole(now) && isWhole(number) && isTexts ? [word, now, number, told] : undefined;
}

const settled = async (verb: () => Promise<unknown>) => (await Promise.allSettled([verb()]))[0];

describe.each(VERBS)('F83 F84 F86 any answer of a Redis to %s', (verb, words, ask) => {
  test('counts when it is exactly what the script says, and is a LockStoreError otherwise', async () => {
    let counted = 0;
    await fc.assert(
      fc.asyncProperty(fc.oneof(nearReplies(words), nearReplies(words), anyValue), async (reply) => {
        const list = listOf(reply, words);
        answer = () => reply;
        const result = await settled(ask);
        if (result.status === 'rejected') {
          const { reason } = result;
          expect(reason).toBeInstanceOf(reason?.code === 'CORRUPT_LOCK' ? CorruptLockError : LockStoreError);
          if (reason.code !== 'CORRUPT_LOCK')
            expect(reason).toMatchObject({ operation: verb, lockName: expect.stringContaining('digest') });
          return;
        }
        expect(list).toBeDefined();
        counted++;
        if (list) expectSaid(list, result.value);
      }),
      { numRuns: 600, examples: [[[words[0], `${NOW}`, `${TOKEN}`, HELD]], [[words[0], `${NOW}`]]] },
    );
    expect(counted).toBeGreaterThan(0);
  });

  test('is a LockStoreError where it is a failure of any kind, and what may have been applied is cancelled', async () => {
    await fc.assert(
      fc.asyncProperty(anyFailure, async (thrown) => {
        answer = () => {
          throw thrown;
        };
        sent = 0;
        const result = await settled(ask);
        expect(result).toMatchObject({
          status: 'rejected',
          reason: { name: 'LockStoreError', operation: verb, code: 'UNAVAILABLE' },
        });
        expect(sent).toBe(verb === 'acquire' ? 2 : 1);
      }),
    );
  });
});

/** A grant, an extension, a record: each says what the answer says, number by number. */
function expectSaid([word, , number, told = {}]: NonNullable<ReturnType<typeof listOf>>, value: unknown): void {
  if (word === 'granted') expect(value).toMatchObject({ status: 'acquired', lease: { fencingToken: Number(number) } });
  if (word === 'extended') expect(value).toMatchObject({ status: 'extended', lockUntilMs: Number(number) });
  if (['forced', 'resumed', 'not-paused', 'unknown', 'deleted', 'held', 'changed'].includes(word))
    expect(value).toBe(word);
  if (word === 'refused') expect(value).toMatchObject({ status: 'refused' });
  if (word === 'own') {
    expect(told['attemptId']).toBe(ASKED.attemptId);
    expect(value).toMatchObject({
      status: 'acquired',
      lease: { fencingToken: Number(told['fencingToken']), lockUntilMs: Number(told['lockUntil']) },
    });
  }
}

describe('any page of a list', () => {
  test('is names, or a LockStoreError', async () => {
    const page = fc.oneof(
      fc.array(line, { maxLength: 4 }).map((all) => JSON.stringify(['page', ...all])),
      anyValue,
    );
    await fc.assert(
      fc.asyncProperty(page, anyValue, async (reply, other) => {
        const replies = [reply, '["page","0"]', other];
        sent = 0;
        answer = () => replies[Math.min(sent - 1, 2)];
        const result = await settled(() => admin.list(call()));
        if (result.status === 'rejected') expect(result.reason).toBeInstanceOf(LockStoreError);
        else expect(result.value).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });
});
