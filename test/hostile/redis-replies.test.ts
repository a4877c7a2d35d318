import fc from 'fast-check';
import { CorruptLockError, LockStoreError, type StoreCall } from 'single-execution';
import { manualClock } from 'single-execution/testing';
import { upstashAdminStore, upstashStore } from 'single-execution/upstash';
import { beforeEach, describe, expect, test } from 'vitest';
import { newAttemptId } from '../../src/core/values/attempt-id.js';
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
const OWN = ['attemptId', ASKED.attemptId, 'state', 'held', 'fencingToken', `${TOKEN}`, 'lockedAt', `${NOW}`];
const HELD = [...OWN, 'lockUntil', `${NOW + 60_000}`];

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
  fc.constantFrom(...HELD, '%', '%0A', '%2'),
  anyText.map((text) => text.replaceAll('\n', '')),
);
/** Answers that look like a script's, whole or not. */
const nearReplies = (words: readonly string[]) =>
  fc.oneof(
    fc
      .tuple(fc.constantFrom(...words), fc.array(line, { maxLength: 6 }))
      .map(([word, rest]) => [word, ...rest].join('\n')),
    fc
      .tuple(fc.constantFrom(...words), fc.constantFrom(HELD, []), fc.nat(12), line)
      .map(([word, fields, place, wrong]) =>
        [word, `${NOW}`, `${TOKEN}`, ...fields].with(place % (3 + fields.length), wrong).join('\n'),
      ),
    fc.constantFrom(...words).map((word) => [word, NOW, TOKEN]),
    fc.constantFrom(...words).map((word) => ({ result: `${word}\n${NOW}\n${TOKEN}` })),
    fc.constantFrom(...words).map((word) => Buffer.from(`${word}\n${NOW}\n${TOKEN}`)),
  );

/** Whether an answer is one of a script: a word, two whole numbers, and fields with a value each. */
function isReply(reply: unknown, words: readonly string[]): reply is string {
  if (typeof reply !== 'string') return false;
  const [word = '', now = '', number = '', ...fields] = reply.split('\n');
  const isWhole = (text: string) => /^[0-9]+$/.test(text) && Number(text) < 2 ** 53;
  return words.includes(word) && isWhole(now) && isWhole(number) && fields.length % 2 === 0;
}

const settled = async (verb: () => Promise<unknown>) => (await Promise.allSettled([verb()]))[0];

describe.each(VERBS)('F83 F84 F86 any answer of a Redis to %s', (verb, bare, ask) => {
  const words = bare.map((word) => `!${word}`);

  test('counts when it is exactly what the script says, and is a LockStoreError otherwise', async () => {
    let counted = 0;
    await fc.assert(
      fc.asyncProperty(fc.oneof(nearReplies(words), nearReplies(words), anyValue), async (reply) => {
        answer = () => reply;
        const result = await settled(ask);
        if (result.status === 'rejected') {
          const { reason } = result;
          expect(reason).toBeInstanceOf(reason?.code === 'CORRUPT_LOCK' ? CorruptLockError : LockStoreError);
          if (reason.code !== 'CORRUPT_LOCK')
            expect(reason).toMatchObject({ operation: verb, lockName: expect.stringContaining('digest') });
          return;
        }
        expect(isReply(reply, words)).toBe(true);
        counted++;
        expectSaid(String(reply), result.value);
      }),
      { numRuns: 600, examples: [[`${words[0]}\n${NOW}\n${TOKEN}\n${HELD.join('\n')}`], [`${words[0]}\n${NOW}\n`]] },
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
function expectSaid(reply: string, value: unknown): void {
  const [word, , number] = reply.slice(1).split('\n');
  const fields = new Map(
    [...reply.matchAll(/\n(\w+)\n(\d+)(?=\n|$)/g)].map(([, field, text]) => [field, Number(text)]),
  );
  if (word === 'granted') expect(value).toMatchObject({ status: 'acquired', lease: { fencingToken: Number(number) } });
  if (word === 'extended') expect(value).toMatchObject({ status: 'extended', lockUntilMs: Number(number) });
  if (['forced', 'resumed', 'not-paused', 'unknown', 'deleted', 'held', 'changed'].includes(word ?? ''))
    expect(value).toBe(word);
  if (word === 'refused') expect(value).toMatchObject({ status: 'refused' });
  if (word === 'own') {
    expect(reply).toContain(`attemptId\n${ASKED.attemptId}`);
    expect(value).toMatchObject({
      status: 'acquired',
      lease: { fencingToken: fields.get('fencingToken'), lockUntilMs: fields.get('lockUntil') },
    });
  }
}

describe('any page of a list', () => {
  test('is names, or a LockStoreError', async () => {
    const page = fc.oneof(
      fc.array(line, { maxLength: 4 }).map((lines) => ['!page', ...lines].join('\n')),
      anyValue,
    );
    await fc.assert(
      fc.asyncProperty(page, anyValue, async (reply, other) => {
        const replies = [reply, `!page\n0`, other];
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
