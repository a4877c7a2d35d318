import { type AcquireResult, CorruptLockError, LockStoreError, type StoreCall } from 'single-execution';
import { describe, expect, test, vi } from 'vitest';
import { listedTick } from '../../../src/core/record/open-ticks.js';
import { type AttemptSteps, endedAttempt, settleAttempt } from '../../../src/core/request/attempt.js';
import { call, claim } from '../../support/one-run.js';

const TICK = Date.UTC(2026, 0, 1);
const REFUSED = { status: 'refused', reason: 'locked' } as const;
const OWN = { status: 'acquired', lease: { attemptId: 'own' } } as Extract<AcquireResult, { status: 'acquired' }>;
const FAILED = new LockStoreError('failed', {
  code: 'UNAVAILABLE',
  lockName: 'digest',
  operation: 'acquire',
  retryable: true,
});
const CORRUPT = new CorruptLockError('digest', 'lockUntil', 'a string');
const UNANSWERED = { error: new Error('no answer', { cause: 'silence' }), ambiguous: true };

/** A store whose write is answered so, unless it fails without an answer, and what the acquire then comes to. */
function storeOf(outcome: AcquireResult | Error, ambiguous: boolean, record?: Record<string, unknown>) {
  return {
    acquire: async (note) => {
      note(outcome === FAILED ? { error: FAILED, ambiguous } : { value: record, ambiguous }, record);
      if (outcome instanceof Error) throw outcome;
      return outcome;
    },
    cancel: vi.fn(async () => ({ value: 'barred', ambiguous: false })),
    own: (reply) => (reply === 'own' ? OWN : undefined),
    giveBack: vi.fn(async () => undefined),
  } satisfies AttemptSteps<string>;
}

const asked = claim({ tickMs: TICK });
const settle = (steps: AttemptSteps<string>, over: Partial<StoreCall> = {}) =>
  settleAttempt(asked, { ...call(), ...over }, steps);

describe('F6 an attempt that may yet be applied is cancelled', () => {
  test.each([
    ['granted', OWN, true, undefined, 0],
    ['refused, and every try was answered', REFUSED, false, undefined, 0],
    ['refused for a tick that is done', REFUSED, true, { doneTick: TICK }, 0],
    ['refused by a record of an older tick', REFUSED, true, { doneTick: TICK - 1 }, 1],
    ['refused for a tick that is stale', REFUSED, true, { doneTick: TICK + 1 }, 0],
    ['refused for an older tick that is open', REFUSED, true, { doneTick: TICK + 1, openTicks: listedTick(TICK) }, 1],
    ['refused', REFUSED, true, {}, 1],
  ] as const)('%s', async (_, outcome, ambiguous, refusedBy, cancels) => {
    const store = storeOf(outcome, ambiguous, refusedBy);

    expect(await settle(store)).toBe(outcome);
    expect(store.cancel).toHaveBeenCalledTimes(cancels);
  });

  test('failed', async () => {
    const store = storeOf(FAILED, true);

    await expect(settle(store)).rejects.toBe(FAILED);
    expect(store.cancel).toHaveBeenCalledTimes(1);
  });
});

test.each([
  ['5 s', 5_000, 2_000],
  ['what is left before a near deadline', 300, 150],
])(
  'F6 the cancel of an acquire with a budget of %s has a budget of its own, and no signal stops it',
  async (_, budgetMs, own) => {
    const store = storeOf(REFUSED, true);

    await settle(store, { budgetMs, signal: AbortSignal.abort() });

    const [cancelCall] = store.cancel.mock.calls[0] as unknown as [StoreCall];
    expect(cancelCall).toMatchObject({ budgetMs: own, signal: { aborted: false } });
  },
);

test.each([
  ['refused', REFUSED],
  ['failed', FAILED],
])('F6 %s, and the cancel finds that the attempt holds the lock: granted', async (_, outcome) => {
  const store = { ...storeOf(outcome, true), cancel: async () => ({ value: 'own', ambiguous: false }) };

  expect(await settle(store)).toBe(OWN);
});

test('F151 failed because its answer was none, and the cancel finds that the attempt holds the lock: given back', async () => {
  const unreadable = new LockStoreError('no rows', { ...FAILED, code: 'INVALID_REQUEST', retryable: false });
  const store = { ...storeOf(unreadable, true), cancel: async () => ({ value: 'own', ambiguous: false }) };

  await expect(settle(store)).rejects.toBe(unreadable);
  expect(store.giveBack).toHaveBeenCalledExactlyOnceWith(
    OWN.lease,
    expect.objectContaining({ result: 'failed', markTickDone: false, markTickFailed: true }),
    expect.objectContaining({ budgetMs: expect.any(Number) }),
  );
});

describe('the cancel stays unanswered too', () => {
  const unanswered = (outcome: AcquireResult | Error) => ({
    ...storeOf(outcome, true),
    cancel: async () => UNANSWERED,
  });

  test.each([
    ['a store that has not answered', FAILED],
    ['a corrupt record', CORRUPT],
  ])('F16 %s is known for sure, and told', async (_, error) => {
    await expect(settle(unanswered(error))).rejects.toBe(error);
  });

  test.each([
    ['a refusal', REFUSED],
    ['a refusal of an attempt that has ended', endedAttempt('digest')],
  ])('%s is UNSETTLED, so that no onStoreError runs the task', async (_, outcome) => {
    await expect(settle(unanswered(outcome))).rejects.toMatchObject({
      name: 'LockStoreError',
      code: 'UNSETTLED',
      retryable: true,
      cause: 'silence',
    });
  });
});
