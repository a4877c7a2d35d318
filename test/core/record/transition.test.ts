import { describe, expect, test } from 'vitest';
import { listOf } from '../../../src/core/record/open-ticks.js';
import { forcedFields, grantFields, leaseOf, releaseFields } from '../../../src/core/record/transition.js';
import { claim, lease, GRANTED_AT as NOW } from '../lease.js';

const completion = { result: 'succeeded', lockAtLeastForMs: 0, markTickDone: true, durationMs: 5_000 } as const;

// The contract of stores plays what a grant, a release and a force release write. Here are limits of their numbers.
describe('releaseFields', () => {
  test.each([
    [60_000, 60_000],
    [5_000, 5_000],
  ])('row 4: held for at least %i ms, released after 5 s: over at %i ms', (lockAtLeastForMs, over) => {
    const fields = releaseFields(lease, { ...completion, lockAtLeastForMs }, NOW + 5_000);

    expect(fields).toMatchObject({ lockUntil: NOW + over, releasedAt: NOW + 5_000 });
  });

  test('F28 a clock that stepped back since the grant does not keep the lock', () => {
    expect(releaseFields(lease, completion, NOW - 5_000).lockUntil).toBe(NOW - 5_000);
  });

  test.each([
    ['keeps the fence that it took over from', 60_000, 0, 60_000, 60_000],
    ['is later than a fence gone by', -60_000, 0, 0, 0],
    ['keeps a fence an hour ahead', 3_600_000, 0, 3_600_000, 3_600_000],
    ['drops a fence over an hour ahead, which would cost for ever', 3_600_001, 0, 0, 0],
    ['row 165: keeps the fence beside a hold', 30_000, 60_000, 60_000, 30_000],
    ['row 165: keeps the fence while a hold lasts, which ends by its own time', 120_000, 60_000, 60_000, 59_999],
  ])('the end of a lock %s', (_, fence, lockAtLeastForMs, lockUntil, releasedAt) => {
    const fields = releaseFields({ ...lease, fenceMs: NOW + fence }, { ...completion, lockAtLeastForMs }, NOW);

    expect(fields).toMatchObject({ lockUntil: NOW + lockUntil, releasedAt: NOW + releasedAt });
  });

  test("F88 cuts the error's name to 64 bytes", () => {
    const fields = releaseFields(lease, { ...completion, result: 'failed', error: 'é'.repeat(100) }, NOW);

    expect(fields).toMatchObject({ result: 'failed', error: 'é'.repeat(32) });
  });
});

test.each([
  ['at the instant of the force release', NOW - 60_000, NOW, 'x||mjuoghpc|1aao|p'],
  ['a millisecond after its start, where that is later', NOW + 60_000, NOW + 60_001, 'x||mjuoj2ao|1|p'],
])('forcedFields ends the lock and its run %s, under the id of the operator', (_, lockedAtMs, lockUntil, r5) => {
  const force = { name: 'digest', adminId: 'f1', fencingToken: 25, lockedAtMs, nowMs: NOW };

  const forced = { state: 'forced', attemptId: 'f1', lockUntil, r5 };
  expect(forcedFields(force)).toEqual(forced);
  expect(forcedFields({ ...force, failedTicks: ',mjuohs00,' })).toEqual({ ...forced, failedTicks: ',mjuohs00,' });
});

describe('leaseOf', () => {
  const sent = { firstSentWall: NOW, firstSentMono: 7 };
  const record = { ...grantFields({ ...claim, tickMs: NOW - 5 }, NOW, NOW + 62_000), fencingToken: 26 };

  test('a first grant has no past', () => {
    expect(leaseOf({ ...claim, tickMs: NOW - 5 }, record, sent, {})).toEqual({
      name: 'digest',
      attemptId: 'a1',
      fencingToken: 26,
      leaseMs: 60_000,
      lockedAtMs: NOW,
      lockUntilMs: NOW + 62_000,
      firstSentWall: NOW,
      firstSentMono: 7,
      tickMs: NOW - 5,
    });
  });

  test('the ticks done are read also from a corrupt record, so that they are never lowered', () => {
    const old = { attemptId: 'a0', fencingToken: 25, lockedAt: 'yesterday', doneTick: NOW - 9, openTicks: 'what?' };
    const told = leaseOf(claim, record, sent, old);

    expect(told).toMatchObject({ doneTickMs: NOW - 9, openTicksMs: [] });
    expect(told.previous).toBeUndefined();
  });

  test('after an own replay that has marked its own tick, the newest tick done is unknown and the lists are not', () => {
    const ticks = { doneTick: NOW, openTicks: listOf([NOW - 11]), failedTicks: listOf([NOW - 7]) };
    const replayed = leaseOf({ ...claim, tickMs: NOW, markTickAtStart: true }, { ...record, ...ticks }, sent);

    expect(replayed).toMatchObject({ openTicksMs: [NOW - 11], failedTicksMs: [NOW - 7] });
    expect(replayed).not.toHaveProperty('doneTickMs');
  });
});
