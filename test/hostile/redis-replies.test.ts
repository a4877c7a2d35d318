import fc from 'fast-check';
import { CorruptLockError, LockStoreError } from 'single-execution';
import { upstashAdminStore, upstashStore } from 'single-execution/upstash';
import { beforeEach, describe, expect, test } from 'vitest';
import { anyFailure, anyText, anyValue } from '../support/hostile-values.js';
import { ASKED, NOW, oneTry, settled, TOKEN, verbsOf } from './verbs.js';

const HELD = {
  attemptId: ASKED.attemptId,
  state: 'held',
  fencingToken: `${TOKEN}`,
  lockedAt: `${NOW}`,
  lockUntil: `${NOW + 60_000}`,
};

/** The answer to the next scripts: to that of the verb, and to later ones, such as a cancel. */
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

const VERBS = verbsOf(store, admin);
/** The words with which the answers of each verb's script begin. */
const WORDS: Readonly<Record<keyof typeof VERBS, readonly string[]>> = {
  acquire: ['granted', 'own', 'refused'],
  extend: ['extended', 'lost'],
  release: ['released', 'other'],
  checkIn: ['listed'],
  get: ['read'],
  forceRelease: ['forced', 'changed'],
  pause: ['paused'],
  resume: ['resumed', 'not-paused', 'unknown'],
  delete: ['deleted', 'held', 'changed', 'unknown'],
  listTicks: ['listed', 'changed'],
};

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
/** A record in which some values may be wrong. */
const record = fc
  .tuple(fc.constantFrom(HELD, {}), fc.dictionary(fc.constantFrom(...Object.keys(HELD), 'tick', 'error'), line))
  .map(([sound, wrong]): unknown => ({ ...sound, ...wrong }));
/** Answers like those of a script, complete or not, as Redis sends them or as a client that parses JSON does. */
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

/** The list of a valid answer of a script: a word, two whole numbers, and perhaps a record of texts; else undefined. */
function listOf(
  reply: unknown,
  words: readonly string[],
): [string, string, string, Record<string, string>?] | undefined {
  let list = reply;
  try {
    const text = Buffer.isBuffer(reply) ? reply.toString() : reply;
    list = typeof text === 'string' ? JSON.parse(text) : text;
  } catch {}
  if (!Array.isArray(list) || list.length > 4) return undefined;
  const [word, now, number, told = {}] = list;
  const isWhole = (text: unknown) => typeof text === 'string' && /^[0-9]+$/.test(text) && Number(text) < 2 ** 53;
  const isRecord = typeof told === 'object' && told !== null;
  const isTexts = isRecord && Object.values(told).every((value) => typeof value === 'string');
  return words.includes(word) && isWhole(now) && isWhole(number) && isTexts ? [word, now, number, told] : undefined;
}

describe.each(Object.entries(WORDS))('F83 F84 F86 any answer of a Redis to %s', (verb, words) => {
  const ask: () => Promise<unknown> = VERBS[verb as keyof typeof VERBS];

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

/** Expects that the result of the verb has the numbers and the words of the answer. */
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

test('any page of a list is names, or a LockStoreError', async () => {
  const page = fc.oneof(
    fc.array(line, { maxLength: 4 }).map((all) => JSON.stringify(['page', ...all])),
    anyValue,
  );
  await fc.assert(
    fc.asyncProperty(page, anyValue, async (reply, other) => {
      const replies = [reply, '["page","0"]', other];
      sent = 0;
      answer = () => replies[Math.min(sent - 1, 2)];
      const result = await settled(() => admin.list(oneTry()));
      if (result.status === 'rejected') expect(result.reason).toBeInstanceOf(LockStoreError);
      else expect(result.value).toEqual([]);
    }),
    { numRuns: 500 },
  );
});
