import { describe, expect, test } from 'vitest';
import type { LockRecord } from '../../../src/core/record/lock-record.js';
import { isReleasedBy, rowsOfRelease, runsOf, slotOf } from '../../../src/core/record/run-ring.js';
import { utf8Bytes } from '../../../src/core/values/names.js';
import { GRANTED_AT, lease } from '../lease.js';

const completion = { result: 'succeeded', lockAtLeastForMs: 0, markTickDone: true, durationMs: 1_500 } as const;
const crashed = {
  status: 'crashed',
  tickMs: GRANTED_AT - 60_000,
  lockedBy: 'somebody',
  lockedAtMs: GRANTED_AT - 50_000,
  fencingToken: 24,
} as const;

// The contract of stores plays what the record says of runs. Here is its text.
describe('rowsOfRelease', () => {
  test('writes a row in the slot of its token, and one for the run before if that has crashed', () => {
    expect(rowsOfRelease({ ...lease, tickMs: GRANTED_AT - 1_000, previous: crashed }, completion)).toEqual({
      r4: 'c|mjuoghpc|mjuogpf4||o',
      r5: 's|mjuohr88|mjuohs00|15o|p',
    });
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
});

test('a row is proof of the release of one token, not of another with the same slot', () => {
  const record = rowsOfRelease(lease, completion);

  expect(isReleasedBy({ fencingToken: 25 }, record)).toBe(true);
  expect(isReleasedBy({ fencingToken: 15 }, record)).toBe(false);
  expect(isReleasedBy({ fencingToken: 35 }, record)).toBe(false);
  expect(isReleasedBy({ fencingToken: 24 }, record)).toBe(false);
  expect(isReleasedBy({ fencingToken: 25 }, { r5: 'garbage' })).toBe(false);
});

test('a row that a successor wrote of a crash is no proof of a release', () => {
  const record = rowsOfRelease({ ...lease, previous: crashed }, completion);

  expect(isReleasedBy({ fencingToken: 25 }, record)).toBe(true);
  expect(isReleasedBy({ fencingToken: 24 }, record)).toBe(false);
});

test('a slot is the last digit of the token', () => {
  expect([0, 9, 10, 1_767_225_600_001].map(slotOf)).toEqual(['r0', 'r9', 'r0', 'r1']);
});
