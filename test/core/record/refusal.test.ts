import { type Claim, CorruptLockError } from 'single-execution';
import { describe, expect, test } from 'vitest';
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
function verdict(item: Record<string, unknown>, over?: Partial<Claim>): string {
  try {
    const judgement = judgeRefusal({ ...claim, ...over }, item, NOW, (lockUntil) => lockUntil <= NOW);
    return judgement.status === 'refused' ? judgement.reason : judgement.status;
  } catch (error) {
    return error instanceof CorruptLockError ? `corrupt ${error.attribute}` : String(error);
  }
}

// The contract of stores plays the rest of the order: paused, done, over, locked.
describe('judges in the order of the protocol', () => {
  const paused = { pausedUntil: NOW + 1 };

  test.each<[string, Record<string, unknown>, string]>([
    // The own attempt, held, comes before everything else.
    ['own and held, though corrupt', { ...held, attemptId: 'own', lockedBy: '', doneTick: 'x' }, 'own'],
    ['F14 own and held, without an end', { ...held, attemptId: 'own', lockUntil: 'x' }, 'corrupt lockUntil'],
    ['F86 own and held, token too great', { ...held, attemptId: 'own', fencingToken: 2 ** 53 }, 'corrupt fencingToken'],
    ['corrupt before paused', { ...held, ...paused, lockUntil: 'x' }, 'corrupt lockUntil'],
    ['paused, and nothing else', { ...paused }, 'paused'],
    ['paused until now, which is over', { ...held, pausedUntil: NOW }, 'locked'],
    ['own and forced', { ...held, attemptId: 'own', state: 'forced' }, 'unexpected'],
  ])('%s', (_, item, expected) => {
    expect(verdict(item)).toBe(expected);
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

test('F21 only what the holder stored counts: the claim asks for less and changes nothing', () => {
  expect(verdict(held, { leaseMs: 1_000 })).toBe('locked');
  expect(verdict({ ...held, lockUntil: NOW - 1 }, { leaseMs: 86_400_000 })).toBe('expired');
});
