import { expect, test } from 'vitest';
import { type LockRecord, readRecord } from '../../../src/core/record/lock-record.js';
import { listOf } from '../../../src/core/record/open-ticks.js';
import { deletedRecord, listingWith, listingWithout, notKnownAsDone } from '../../../src/core/record/operator.js';

/** The tick of minute `n`, `mjuohs00` in base 36 where it is 0. */
const t = (n: number) => 1_767_225_600_000 + n * 60_000;
const all = (...minutes: number[]) => minutes.map(t);
const row = (status: string, n: number) => `${status}|${t(n).toString(36)}|mjuohs00|1|z` as const;

const record = {
  state: 'released',
  fencingToken: 7,
  doneTick: t(5),
  openTicks: listOf(all(2)),
  failedTicks: listOf(all(4, 6)),
} as const;

test('a record knows as done its newest tick, and those of its last runs that succeeded', () => {
  const runs = { r0: row('s', 1), r1: row('f', 2), r2: row('c', 3), r3: 's||mjuohs00|1|y' } as const;

  expect(notKnownAsDone({ ...record, ...runs }, all(0, 1, 2, 3, 4, 5, 6))).toEqual(all(0, 2, 3, 4, 6));
  expect(notKnownAsDone({}, all(0, 1))).toEqual(all(0, 1));
});

test('what is listed is parted at the newest tick done; one that failed and was done since is left out', () => {
  const { state: _, ...seen } = record;

  expect(listingWith('digest', record, all(1, 2, 5, 7))).toEqual({
    name: 'digest',
    openTicks: listOf(all(1, 2)),
    failedTicks: listOf(all(6, 7)),
    seen,
  });
});

test('what is given up is taken off either list, and nothing else is', () => {
  expect(listingWithout('digest', record, all(1, 2))).toMatchObject({
    openTicks: ',',
    failedTicks: listOf(all(6)),
  });
  expect(listingWithout('digest', record, all(6))).toMatchObject({ openTicks: listOf(all(2)), failedTicks: ',' });
});

test('a record without a tick that is done has all of them as newer ones', () => {
  expect(listingWith('digest', { state: 'forced' }, all(1))).toEqual({
    name: 'digest',
    openTicks: ',',
    failedTicks: listOf(all(1)),
    seen: {},
  });
});

const NOW_MS = 1_790_000_000_000;
const deletion = { name: 'job', adminId: 'd1', fencingToken: 5, nowMs: NOW_MS };

test.each<[string, object]>([
  ['microseconds', { releasedAt: 1.79e15, lockUntil: 1.79e15 }],
  ['a text', { releasedAt: '1790000000001', lockUntil: 'tomorrow' }],
  ['another bar than a text', { barredAttempt: 7 }],
])('a delete keeps nothing that is %s, so that it leaves a record which can be read', (_, corrupt) => {
  const left = deletedRecord(deletion, { state: 'released', fencingToken: 5, ...corrupt } as LockRecord);

  expect(readRecord('job', left)).toMatchObject({ state: 'deleted', fencingToken: 5, lockUntil: NOW_MS });
});
