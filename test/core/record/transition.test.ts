import type { Lease } from 'single-execution';
import { describe, expect, test } from 'vitest';
import { listOf } from '../../../src/core/record/open-ticks.js';
import { forcedFields, grantFields, leaseOf, releaseFields } from '../../../src/core/record/transition.js';
import { claim, lease, GRANTED_AT as NOW } from '../lease.js';

const completion = { result: 'succeeded', lockAtLeastForMs: 0, markTickDone: true, durationMs: 5_000 } as const;

describe('grantFields', () => {
  const granted = {
    attemptId: 'a1',
    state: 'held',
    lockedAt: NOW,
    lockUntil: NOW + 62_000,
    leaseMs: 60_000,
    lockedBy: 'me',
    v: 1,
  };

  test('writes who holds the lock and until when', () => {
    expect(grantFields(claim, NOW, NOW + 62_000)).toEqual(granted);
  });

  test("row 37: marks no tick at the start with tickMark 'success'", () => {
    expect(grantFields({ ...claim, tickMs: NOW - 5 }, NOW, NOW + 62_000)).toEqual({ ...granted, tick: NOW - 5 });
  });

  test("row 37: marks the tick in the same write with tickMark 'start'", () => {
    expect(grantFields({ ...claim, tickMs: NOW - 5, markTickAtStart: true }, NOW, NOW + 62_000)).toEqual({
      ...granted,
      tick: NOW - 5,
      doneTick: NOW - 5,
    });
    expect(grantFields({ ...claim, markTickAtStart: true }, NOW, NOW + 62_000)).toEqual(granted);
  });

  test('adds the tick of a run that crashed to those that failed, also where the claim has none', () => {
    const crashed = { state: 'held', tick: NOW - 5 };

    expect(grantFields(claim, NOW, NOW + 62_000, crashed)).toEqual({ ...granted, failedTicks: listOf([NOW - 5]) });
    expect(grantFields(claim, NOW, NOW + 62_000, { ...crashed, state: 'released' })).toEqual(granted);
  });
});

describe('releaseFields', () => {
  test('the lock is over at the very instant of its release, not before', () => {
    expect(releaseFields(lease, completion, NOW + 5_000)).toEqual({
      state: 'released',
      lockUntil: NOW + 5_000,
      releasedAt: NOW + 5_000,
      result: 'succeeded',
      r5: 's||mjuohs00|3uw|p',
    });
  });

  test.each([
    [60_000, 60_000],
    [5_000, 5_000],
    [4_999, 5_000],
    [1, 5_000],
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

  test('F55 lockAtLeastFor counts from the start as the holder wrote it', () => {
    const behind = { ...lease, lockedAtMs: NOW - 20_000 };
    const fields = releaseFields(behind, { ...completion, lockAtLeastForMs: 60_000 }, NOW);

    expect(fields.lockUntil).toBe(NOW + 40_000);
  });

  test.each<[string, Partial<Lease>, boolean, number | undefined]>([
    ['its own tick', { tickMs: NOW }, true, NOW],
    ['a newer tick that was done before', { tickMs: NOW - 1, doneTickMs: NOW }, true, NOW],
    ['its own tick after an older one', { tickMs: NOW, doneTickMs: NOW - 1 }, true, NOW],
    ['nothing without a tick', { doneTickMs: NOW }, true, undefined],
    ['nothing when it is not to be marked', { tickMs: NOW }, false, undefined],
  ])('marks as done %s', (_, ticks, markTickDone, doneTick) => {
    expect(releaseFields({ ...lease, ...ticks }, { ...completion, markTickDone }, NOW).doneTick).toBe(doneTick);
  });

  test('writes the lists of ticks that the run changes', () => {
    const ticks = { tickMs: NOW, doneTickMs: NOW - 9, failedTicksMs: [NOW - 5] };

    expect(releaseFields({ ...lease, ...ticks }, completion, NOW)).toMatchObject({
      doneTick: NOW,
      openTicks: listOf([NOW - 5]),
      failedTicks: ',',
    });
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

  test('row 28: the record before shows the previous run and the ticks done', () => {
    const old = {
      attemptId: 'a0',
      fencingToken: 25,
      state: 'held',
      lockedAt: NOW - 90_000,
      lockedBy: 'somebody',
      doneTick: NOW - 120_000,
    } as const;

    expect(leaseOf(claim, record, sent, old)).toMatchObject({
      previous: { status: 'crashed', lockedBy: 'somebody', lockedAtMs: NOW - 90_000, fencingToken: 25 },
      doneTickMs: NOW - 120_000,
    });
  });

  test('a takeover has the ticks that failed as it has left them', () => {
    const old = { state: 'held', tick: NOW - 5, openTicks: listOf([NOW - 9]), failedTicks: listOf([NOW - 7]) };
    const granted = { ...grantFields(claim, NOW, NOW + 62_000, old), fencingToken: 26 };

    expect(leaseOf(claim, granted, sent, old)).toMatchObject({
      openTicksMs: [NOW - 9],
      failedTicksMs: [NOW - 7, NOW - 5],
    });
  });

  test('the ticks done are read also from a corrupt record, so that they are never lowered', () => {
    const old = { attemptId: 'a0', fencingToken: 25, lockedAt: 'yesterday', doneTick: NOW - 9, openTicks: 'what?' };
    const told = leaseOf(claim, record, sent, old);

    expect(told).toMatchObject({ doneTickMs: NOW - 9, openTicksMs: [] });
    expect(told.previous).toBeUndefined();
  });

  test('after an own replay the previous run is unknown, and the ticks are those of the own record', () => {
    const ticks = { doneTick: NOW - 9, openTicks: listOf([NOW - 11]), failedTicks: listOf([NOW - 7]) };
    const replayed = leaseOf(claim, { ...record, ...ticks }, sent);

    expect(replayed.previous).toBeUndefined();
    expect(replayed).toMatchObject({
      doneTickMs: NOW - 9,
      openTicksMs: [NOW - 11],
      failedTicksMs: [NOW - 7],
      fencingToken: 26,
    });
  });

  test('after an own replay that has marked its own tick, the newest tick done is unknown and the lists are not', () => {
    const ticks = { doneTick: NOW, openTicks: listOf([NOW - 11]), failedTicks: listOf([NOW - 7]) };
    const replayed = leaseOf({ ...claim, tickMs: NOW, markTickAtStart: true }, { ...record, ...ticks }, sent);

    expect(replayed).toMatchObject({ openTicksMs: [NOW - 11], failedTicksMs: [NOW - 7] });
    expect(replayed).not.toHaveProperty('doneTickMs');
  });
});
