import { describe, expect, test } from 'vitest';
import type { LockRecord } from '../../../src/core/record/lock-record.js';
import { isReleasedBy, rowOfForce, rowsOfRelease, runsOf, slotOf } from '../../../src/core/record/run-ring.js';
import { newAttemptId, utf8Bytes } from '../../../src/core/values/names.js';
import { GRANTED_AT, lease } from '../lease.js';

const completion = { result: 'succeeded', lockAtLeastForMs: 0, markTickDone: true, durationMs: 1_500 } as const;
const crashed = {
  status: 'crashed',
  tickMs: GRANTED_AT - 60_000,
  lockedBy: 'somebody',
  lockedAtMs: GRANTED_AT - 50_000,
  fencingToken: 24,
} as const;

describe('rowsOfRelease', () => {
  test('writes one row, in the slot of its token', () => {
    expect(rowsOfRelease({ ...lease, tickMs: GRANTED_AT - 1_000 }, completion)).toEqual({
      r5: 's|mjuohr88|mjuohs00|15o|p',
    });
  });

  test('leaves the tick empty where the run has none', () => {
    expect(rowsOfRelease(lease, { ...completion, result: 'failed' })).toEqual({ r5: 'f||mjuohs00|15o|p' });
  });

  test.each([
    ['s|!|mjuohs00|15o|p', {}],
    ['f|!|mjuohs00|15o|p', { result: 'failed' as const }],
  ])('row 190: writes a mark in place of the tick of a run by hand: %s', (r5, end) => {
    const record = rowsOfRelease({ ...lease, attemptId: newAttemptId('n') }, { ...completion, ...end });

    expect(record).toEqual({ r5 });
    expect(runsOf(record)).toMatchObject([{ isManual: true, lockedAtMs: GRANTED_AT, durationMs: 1_500 }]);
  });

  test('row 28: writes the run before as crashed when it crashed, without a duration', () => {
    expect(rowsOfRelease({ ...lease, previous: crashed }, completion)).toEqual({
      r4: 'c|mjuoghpc|mjuogpf4||o',
      r5: 's||mjuohs00|15o|p',
    });
  });

  test.each(['succeeded', 'failed', 'forced'] as const)('leaves the row of a run that %s alone', (status) => {
    const previous = { ...crashed, status };

    expect(Object.keys(rowsOfRelease({ ...lease, previous }, completion))).toEqual(['r5']);
  });

  test('keeps its own row when the crashed run had the same slot', () => {
    const previous = { ...crashed, fencingToken: 15 };

    expect(rowsOfRelease({ ...lease, previous }, completion)).toEqual({ r5: 's||mjuohs00|15o|p' });
  });

  test('F88 a row has at most 36 bytes: times of the year 2059, a run of 24 days, a token of that year', () => {
    const last = 2_821_109_907_455;
    const previous = { ...crashed, tickMs: last, lockedAtMs: last, fencingToken: last - 1 };
    const rows = rowsOfRelease(
      { ...lease, tickMs: last, lockedAtMs: last, fencingToken: last, previous },
      { ...completion, durationMs: 24 * 86_400_000 },
    );

    expect(Object.values(rows).map(utf8Bytes)).toEqual([29, 35]);
    expect(Math.max(...Object.values(rows).map(utf8Bytes))).toBeLessThanOrEqual(36);
  });
});

describe('runsOf', () => {
  test('row 48: reads back what was written, newest first', () => {
    const record = rowsOfRelease({ ...lease, tickMs: GRANTED_AT - 1_000, previous: crashed }, completion);

    expect(runsOf(record)).toEqual([
      {
        status: 'succeeded',
        tickMs: 1_767_225_599_000,
        lockedAtMs: 1_767_225_600_000,
        durationMs: 1_500,
        fencingToken: 25,
      },
      { status: 'crashed', tickMs: 1_767_225_540_000, lockedAtMs: 1_767_225_550_000, fencingToken: 24 },
    ]);
  });

  test('row 48: keeps the last ten runs, whatever came before', () => {
    let record: LockRecord = {};
    for (let fencingToken = 1; fencingToken <= 37; fencingToken++) {
      record = { ...record, ...rowsOfRelease({ ...lease, fencingToken }, completion) };
    }

    expect(runsOf(record).map((run) => run.fencingToken)).toEqual([37, 36, 35, 34, 33, 32, 31, 30, 29, 28]);
  });

  test.each<[string, unknown]>([
    ['nothing', ''],
    ['another text', 'succeeded'],
    ['an unknown status', 'u||mjuohs00|15o|p'],
    ['too few parts', 's||mjuohs00|15o'],
    ['too many parts', 's||mjuohs00|15o|p|p|p'],
    ['no start', 's|||15o|p'],
    ['no token', 's||mjuohs00|15o|'],
    ['a negative number', 's||-1|15o|p'],
    ['capitals', 'S||MJUOHS00|15O|P'],
    ['too many parts before', 'w|s||mjuohs00|15o|o'],
    ['a row in a list', ['s||mjuohs00|15o|o']],
    ['a number', 5],
    ['two marks of a run by hand', 's|!!|mjuohs00|15o|p'],
    ['a mark and a tick', 's|!mjuohr88|mjuohs00|15o|p'],
    ['a mark in another place', 's||!|15o|p'],
    ['null', null],
    ['an object', { status: 's' }],
  ])('leaves out a row that is %s', (_, row) => {
    const record = { r4: row, ...rowsOfRelease(lease, completion) } as LockRecord;

    expect(runsOf(record).map((run) => run.fencingToken)).toEqual([25]);
  });

  test('leaves out what is in no slot: the ring has r0 to r9', () => {
    expect(runsOf({ r10: 's||mjuohs00|15o|p' })).toEqual([]);
  });

  test('an empty record has no runs', () => {
    expect(runsOf({})).toEqual([]);
  });
});

test('a row is proof of the release of one token, not of another with the same slot', () => {
  const record = rowsOfRelease(lease, completion);

  expect(isReleasedBy({ fencingToken: 25 }, record)).toBe(true);
  expect(isReleasedBy({ fencingToken: 15 }, record)).toBe(false);
  expect(isReleasedBy({ fencingToken: 35 }, record)).toBe(false);
  expect(isReleasedBy({ fencingToken: 24 }, record)).toBe(false);
  expect(isReleasedBy({ fencingToken: 25 }, { r5: 'garbage' })).toBe(false);
});

test('rowOfForce records the run that was ended, up to the end that the force release has written', () => {
  const force = { name: 'digest', adminId: 'f1', fencingToken: 25, lockedAtMs: GRANTED_AT, nowMs: GRANTED_AT };

  expect(rowOfForce({ ...force, tickMs: GRANTED_AT - 1_000 }, GRANTED_AT + 1_500)).toEqual({
    r5: `x|${(GRANTED_AT - 1_000).toString(36)}|mjuohs00|15o|p`,
  });
  const row = rowOfForce(force, GRANTED_AT + 1_500);
  expect(runsOf(row)).toEqual([{ status: 'forced', lockedAtMs: GRANTED_AT, durationMs: 1_500, fencingToken: 25 }]);
  expect(isReleasedBy({ fencingToken: 25 }, row)).toBe(false);
});

test('a row that a successor wrote of a crash is no proof of a release', () => {
  const record = rowsOfRelease({ ...lease, previous: crashed }, completion);

  expect(isReleasedBy({ fencingToken: 25 }, record)).toBe(true);
  expect(isReleasedBy({ fencingToken: 24 }, record)).toBe(false);
});

test('a slot is the last digit of the token', () => {
  expect([0, 9, 10, 1_767_225_600_001].map(slotOf)).toEqual(['r0', 'r9', 'r0', 'r1']);
});
