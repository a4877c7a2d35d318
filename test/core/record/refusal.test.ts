import { type Claim, CorruptLockError } from 'single-execution';
import { describe, expect, test } from 'vitest';
import { listOf } from '../../../src/core/record/open-ticks.js';
import { judgeRefusal } from '../../../src/core/record/refusal.js';

const NOW = 1_767_225_600_000;
const MINUTE = 60_000;

const claim: Claim = {
  name: 'digest',
  attemptId: 'own',
  leaseMs: MINUTE,
  lockedBy: 'me',
  tickMs: NOW,
  markTickAtStart: false,
};
const held = {
  attemptId: 'other',
  fencingToken: 5,
  state: 'held',
  lockedAt: NOW - MINUTE,
  lockUntil: NOW + MINUTE,
  leaseMs: 2 * MINUTE,
  lockedBy: 'somebody',
  v: 1,
};
const holder = {
  attemptId: 'other',
  lockedBy: 'somebody',
  lockedAtMs: NOW - MINUTE,
  lockUntilMs: NOW + MINUTE,
  fencingToken: 5,
};
const released = { state: 'released', releasedAt: NOW - 1_000, lockUntil: NOW - 1_000 };

const judge = (item: Record<string, unknown> | undefined, over: Partial<Claim> = {}) =>
  judgeRefusal({ ...claim, ...over }, item, NOW, (lockUntil) => lockUntil <= NOW);

function verdict(item: Record<string, unknown> | undefined, over?: Partial<Claim>): string {
  try {
    const judgement = judge(item, over);
    return judgement.status === 'refused' ? judgement.reason : judgement.status;
  } catch (error) {
    return error instanceof CorruptLockError ? `corrupt ${error.attribute}` : String(error);
  }
}

describe('judges in the order of the protocol', () => {
  const paused = { pausedUntil: NOW + 1 };

  test.each<[string, Record<string, unknown> | undefined, string]>([
    // 1. The own attempt, held, before everything else.
    ['own and held', { ...held, attemptId: 'own' }, 'own'],
    ['own and held, though corrupt', { ...held, attemptId: 'own', lockedBy: '', doneTick: 'x' }, 'own'],
    ['F14 own and held, without an end', { ...held, attemptId: 'own', lockUntil: 'x' }, 'corrupt lockUntil'],
    [
      'F86 own and held, its token too great',
      { ...held, attemptId: 'own', fencingToken: 2 ** 53 },
      'corrupt fencingToken',
    ],
    ['own and held, though paused', { ...held, ...paused, attemptId: 'own' }, 'own'],
    [
      'own and held, though its tick is done (marked at the start)',
      { ...held, attemptId: 'own', doneTick: NOW },
      'own',
    ],
    ['own and held, though over', { ...held, attemptId: 'own', lockUntil: NOW - 1 }, 'own'],
    // 2. Corrupt.
    ['corrupt before paused', { ...held, ...paused, lockUntil: 'x' }, 'corrupt lockUntil'],
    ['corrupt before done', { ...held, doneTick: NOW, lockedAt: 'x' }, 'corrupt lockedAt'],
    ['corrupt though own and ended', { ...held, attemptId: 'own', state: 'free' }, 'corrupt state'],
    // 3. Paused.
    ['paused before done', { ...held, ...paused, doneTick: NOW }, 'paused'],
    ['paused before over', { ...held, ...paused, lockUntil: NOW - 1 }, 'paused'],
    ['paused, and nothing else', { ...paused }, 'paused'],
    ['paused for ever', { ...held, pausedUntil: 8_640_000_000_000_000 }, 'paused'],
    ['paused until now, which is over', { ...held, pausedUntil: NOW }, 'locked'],
    // 4. The tick.
    ['done before locked', { ...held, doneTick: NOW }, 'already-executed'],
    ['done before over', { ...held, doneTick: NOW, lockUntil: NOW - 1 }, 'already-executed'],
    ['a newer tick done before locked', { ...held, doneTick: NOW + 1 }, 'stale-tick'],
    ['an older tick done', { ...held, doneTick: NOW - 1 }, 'locked'],
    ['a newer tick done, and this one listed', { ...held, doneTick: NOW + 1, openTicks: listOf([NOW]) }, 'locked'],
    [
      'a newer tick done, and another one listed',
      { ...held, doneTick: NOW + 1, openTicks: listOf([NOW - 1]) },
      'stale-tick',
    ],
    [
      'a newer tick done, and this one only failed',
      { ...held, doneTick: NOW + 1, failedTicks: listOf([NOW]) },
      'stale-tick',
    ],
    ['done, though it is listed', { ...held, doneTick: NOW, openTicks: listOf([NOW]) }, 'already-executed'],
    ['F14 a list that is no list', { ...held, openTicks: 'mjuohs00' }, 'corrupt openTicks'],
    ['F14 a list of failed ticks that is no list', { ...held, failedTicks: 7 }, 'corrupt failedTicks'],
    // 5. The lease over, by the best clock.
    ['held and over', { ...held, lockUntil: NOW - 1 }, 'expired'],
    ['held and over this instant', { ...held, lockUntil: NOW }, 'expired'],
    ['released and over', { ...held, ...released }, 'expired'],
    ['forced and over', { ...held, state: 'forced', lockUntil: NOW - 1 }, 'expired'],
    // Given back, whatever the clocks say.
    ['forced in the future of a clock that is behind', { ...held, state: 'forced' }, 'expired'],
    [
      'released in the future of a clock that is behind',
      { ...held, state: 'released', releasedAt: NOW + MINUTE },
      'expired',
    ],
    [
      'paused before released in the future',
      { ...held, ...paused, state: 'released', releasedAt: NOW + MINUTE },
      'paused',
    ],
    // 6. The lease not over.
    ['held', held, 'locked'],
    ['released, and held on', { ...held, state: 'released', releasedAt: NOW - 1_000 }, 'lock-at-least-for'],
    // 7. Anything else.
    ['no item', undefined, 'unexpected'],
    ['no lockUntil', { barredAttempt: 'other' }, 'unexpected'],
    ['own and released', { ...held, ...released, attemptId: 'own' }, 'unexpected'],
    ['own and forced', { ...held, attemptId: 'own', state: 'forced' }, 'unexpected'],
  ])('%s', (_, item, expected) => {
    expect(verdict(item)).toBe(expected);
  });

  test('without a tick, no tick is done and none is stale', () => {
    const { tickMs: _, ...noTick } = claim;
    const judgement = judgeRefusal(noTick, { ...held, doneTick: NOW }, NOW, () => false);

    expect(judgement).toEqual({ status: 'refused', reason: 'locked', holder });
  });
});

// The contract of stores states whom the lockAtLeastFor of a complete record keeps out: src/testing/contract/holds.ts.
describe('the lockAtLeastFor of the last run keeps out', () => {
  const kept = { ...held, state: 'released', result: 'succeeded', releasedAt: NOW - 1_000, tick: NOW - 2 * MINUTE };

  test.each<[string, Record<string, unknown>, number]>([
    ['an owed tick, if the record does not say how the run ended', { ...kept, result: undefined }, NOW - MINUTE],
    ['a later tick, if the record does not say when the run began', { ...kept, lockedAt: undefined }, NOW],
  ])('%s', (_, item, tickMs) => {
    expect(verdict(item, { tickMs })).toBe('lock-at-least-for');
  });
});

test('a listed tick is stale for a claim that marks it at its start', () => {
  const item = { ...held, doneTick: NOW + 1, openTicks: listOf([NOW]) };

  expect(verdict(item, { markTickAtStart: true })).toBe('stale-tick');
});

test('row 44: a refusal carries the holder', () => {
  expect(judge(held)).toEqual({ status: 'refused', reason: 'locked', holder });
});

test('a refusal without a holder says nothing of one', () => {
  expect(judge({ pausedUntil: NOW + 1 })).toEqual({ status: 'refused', reason: 'paused' });
});

test('F21 only what the holder stored counts: the claim asks for less and changes nothing', () => {
  expect(verdict(held, { leaseMs: 1_000 })).toBe('locked');
  expect(verdict({ ...held, lockUntil: NOW - 1 }, { leaseMs: 86_400_000 })).toBe('expired');
});
