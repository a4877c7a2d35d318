import { type AcquireResult, CorruptLockError, LockStoreError } from 'single-execution';
import { describe, expect, test } from 'vitest';
import { listedTick } from '../../../src/core/record/open-ticks.js';
import {
  type AttemptWrite,
  cancelCall,
  type Ended,
  endedAttempt,
  isUnreadable,
  mayStillApply,
  resultOf,
  uncancelled,
  unusedCompletions,
} from '../../../src/core/request/attempt.js';
import { call, claim } from '../../support/one-run.js';

const TICK = Date.UTC(2026, 0, 1);
const REFUSED = { status: 'refused', reason: 'locked' } as const;
const OWN = { status: 'acquired', lease: { attemptId: 'own' } } as Extract<AcquireResult, { status: 'acquired' }>;
const ERROR = new LockStoreError('failed', {
  code: 'UNAVAILABLE',
  lockName: 'digest',
  operation: 'acquire',
  retryable: true,
});
const FAILED = { status: 'failed', error: ERROR } as const;

const asked = claim({ tickMs: TICK });
const refused = (ambiguous: boolean, item?: Record<string, unknown>): AttemptWrite => ({
  answer: { value: { item }, ambiguous },
});
const failed = (ambiguous: boolean): AttemptWrite => ({ answer: { error: ERROR, ambiguous } });

test.each<[string, Ended, readonly AttemptWrite[], boolean]>([
  ['granted', OWN, [refused(true)], false],
  ['refused, and every try was answered', REFUSED, [refused(false)], false],
  ['refused for a tick that is done', REFUSED, [refused(true, { doneTick: TICK })], false],
  ['refused by a record of an older tick', REFUSED, [refused(true, { doneTick: TICK - 1 })], true],
  ['refused for a tick that is stale', REFUSED, [refused(true, { doneTick: TICK + 1 })], false],
  [
    'refused for an older open tick',
    REFUSED,
    [refused(true, { doneTick: TICK + 1, openTicks: listedTick(TICK) })],
    true,
  ],
  ['refused', REFUSED, [refused(true, {})], true],
  ['failed', FAILED, [failed(true)], true],
  ['failed, and nothing was sent', FAILED, [failed(false)], false],
  ['refused at the takeover, after an unanswered try', REFUSED, [refused(true, {}), refused(false, {})], true],
  ['refused at the takeover: the tick is done', REFUSED, [refused(true), refused(false, { doneTick: TICK })], false],
])('F6 an attempt that may yet be applied is cancelled: %s', (_, ended, writes, expected) => {
  expect(mayStillApply(asked, ended, writes)).toBe(expected);
});

test.each([
  ['5 s', 5_000, 2_000],
  ['what is left before a near deadline', 300, 150],
])(
  'F6 the cancel of an acquire with a budget of %s has a budget of its own, and no signal stops it',
  (_, budgetMs, own) => {
    const made = cancelCall({ ...call(), budgetMs, signal: AbortSignal.abort() });

    expect(made).toMatchObject({ budgetMs: own, signal: { aborted: false } });
  },
);

test('F151 only an answer that no server gives counts as unreadable; the lock is then given back, in five tries', () => {
  expect(isUnreadable(new LockStoreError('no rows', { ...ERROR, code: 'INVALID_REQUEST', retryable: false }))).toBe(
    true,
  );
  expect(isUnreadable(ERROR)).toBe(false);

  const completions = unusedCompletions(asked);
  expect(completions).toHaveLength(5);
  for (const each of completions) {
    expect(each).toMatchObject({
      result: 'failed',
      error: 'INVALID_REQUEST',
      markTickDone: false,
      markTickFailed: true,
    });
  }
  expect(unusedCompletions(claim({ tickMs: TICK, markTickAtStart: true }))[0]).toMatchObject({ markTickFailed: false });
  expect(unusedCompletions(claim({}))[0]).toMatchObject({ markTickFailed: false });
});

describe('the cancel stays unanswered too', () => {
  const silence = new Error('no answer', { cause: 'silence' });
  const corrupt = new CorruptLockError('digest', 'lockUntil', 'a string');

  test.each([
    ['a store that has not answered', ERROR],
    ['a corrupt record', corrupt],
  ])('F16 %s is known for sure, and told', (_, error) => {
    expect(uncancelled('digest', { status: 'failed', error }, silence)).toBe(error);
  });

  test.each<[string, Ended]>([
    ['a refusal', REFUSED],
    ['a refusal of an attempt that has ended', { status: 'unclear', error: endedAttempt('digest') }],
  ])('%s is UNSETTLED, so that no onStoreError runs the task', (_, ended) => {
    expect(uncancelled('digest', ended, silence)).toMatchObject({
      name: 'LockStoreError',
      code: 'UNSETTLED',
      retryable: true,
      cause: 'silence',
    });
  });
});

test('an acquire ends with its result, or with its error', () => {
  expect(resultOf(REFUSED)).toBe(REFUSED);
  expect(() => resultOf(FAILED)).toThrow(ERROR);
});
