import { CorruptLockError, LockStoreError } from 'single-execution';
import { describe, expect, test } from 'vitest';
import {
  holderOf,
  isRecordAttribute,
  type LockRecord,
  lockKey,
  previousRun,
  readRecord,
} from '../../../src/core/record/lock-record.js';

const LOCKED_AT = 1_767_225_600_000;

const record = {
  attemptId: 'a1',
  fencingToken: 1_767_225_600_001,
  state: 'released',
  lockedAt: LOCKED_AT,
  lockUntil: LOCKED_AT + 5_000,
  leaseMs: 60_000,
  lockedBy: 'digest 7 eu-west-1 req-1',
  tick: LOCKED_AT,
  doneTick: LOCKED_AT,
  barredAttempt: 'a0',
  pausedUntil: 8_640_000_000_000_000,
  pausedBy: 'ops',
  result: 'failed',
  releasedAt: LOCKED_AT + 5_000,
  error: 'TypeError',
  v: 1,
} as const;

describe('readRecord', () => {
  test('takes a whole record, an empty one, and attributes that this version does not know', () => {
    expect(readRecord('digest', record)).toEqual(record);
    expect(readRecord('digest', {})).toEqual({});
    expect(readRecord('digest', { ...record, later: { any: 'thing' } })).toEqual({
      ...record,
      later: { any: 'thing' },
    });
  });

  test.each<[string, number]>([
    ['fencingToken', 0],
    ['lockedAt', 1_000_000_000_000],
    ['lockUntil', 99_999_999_999_999],
  ])('takes %s at the end of its range, %i', (attribute, value) => {
    expect(readRecord('digest', { [attribute]: value })).toEqual({ [attribute]: value });
  });

  test.each<[string, unknown, string]>([
    ['attemptId', '', 'a string that does not belong there'],
    ['attemptId', 5, 'the number 5'],
    ['fencingToken', '1767225600001', 'a string that does not belong there'],
    ['fencingToken', -1, 'the number -1'],
    ['fencingToken', 1.5, 'the number 1.5'],
    ['fencingToken', 2 ** 53, 'the number 9007199254740992'],
    ['state', 'free', 'a string that does not belong there'],
    ['state', 1, 'the number 1'],
    ['lockedAt', true, 'a boolean that does not belong there'],
    ['lockUntil', 'x', 'a string that does not belong there'],
    ['lockUntil', 100_000_000_000_000, 'the number 100000000000000'],
    ['lockUntil', Number.NaN, 'the number NaN'],
    ['leaseMs', -60_000, 'the number -60000'],
    ['lockedBy', 7, 'the number 7'],
    ['tick', 0, 'the number 0'],
    ['doneTick', LOCKED_AT + 0.5, 'the number 1767225600000.5'],
    ['barredAttempt', 1, 'the number 1'],
    ['pausedUntil', Number.POSITIVE_INFINITY, 'the number Infinity'],
    ['pausedBy', 0, 'the number 0'],
    ['result', 'ok', 'a string that does not belong there'],
    ['releasedAt', 1, 'the number 1'],
    ['error', 5, 'the number 5'],
    ['v', '1', 'a string that does not belong there'],
  ])('F14 names %s as corrupt when it is %o', (attribute, value, found) => {
    const error = new CorruptLockError('digest', attribute, found);

    expect(() => readRecord('digest', { ...record, [attribute]: value })).toThrow(error);
  });

  test.each([
    ['seconds', 1_767_225_600],
    ['microseconds', 1_767_225_600_000_000],
  ])('F15 a lockUntil in %s is corrupt, not over and not far away', (_, lockUntil) => {
    expect(() => readRecord('digest', { ...record, lockUntil })).toThrow(
      new CorruptLockError('digest', 'lockUntil', `the number ${lockUntil}`),
    );
  });

  test('F89 never shows a string that it found', () => {
    expect(() => readRecord('digest', { lockUntil: 'secret' })).toThrow(/^((?!secret).)*$/s);
  });
});

test.each([
  ['lockUntil', true],
  ['r0', true],
  ['r9', true],
  ['r10', false],
  ['rx', false],
  ['lockName', false],
  ['toString', false],
])('an attribute %s belongs to the record: %o', (name, belongs) => {
  expect(isRecordAttribute(name)).toBe(belongs);
});

const without = (attribute: keyof LockRecord): LockRecord => {
  const { [attribute]: _, ...rest } = record as LockRecord;
  return rest;
};

describe('previousRun', () => {
  test('there was none where only a pause or a cancel has written', () => {
    expect(previousRun({ pausedUntil: 8_640_000_000_000_000, pausedBy: 'ops' })).toBeUndefined();
    expect(previousRun({ barredAttempt: 'a1' })).toBeUndefined();
  });

  test.each(['attemptId', 'fencingToken', 'lockedAt'] as const)('is unknown without %s', (attribute) => {
    expect(previousRun(without(attribute))).toBeUndefined();
  });
});

test.each(['attemptId', 'lockedAt', 'lockUntil', 'fencingToken'] as const)(
  'holderOf is unknown without %s',
  (attribute) => {
    expect(holderOf(without(attribute))).toBeUndefined();
  },
);

test.each<[string, string, string]>([
  ['prod#', '', "lock name '': empty; "],
  ['p'.repeat(29), 'x'.repeat(100), "…': 129 bytes in UTF-8; "],
  ['', 'a\nb', "lock name 'a\nb': it holds a control character; "],
  ['e', '\u0301', 'not in Unicode form NFC'],
  ['\ud83d', 'a', 'lone surrogate'],
])('F18 a name that no store can hold is refused before anything is sent: %o + %o', (prefix, name, why) => {
  const make = () => lockKey(prefix, name, 'pause');

  expect(make).toThrow(LockStoreError);
  expect(make).toThrow('pause refused: ');
  expect(make).toThrow(why);
  expect(make).toThrow(
    expect.objectContaining({ code: 'INVALID_NAME', lockName: name, operation: 'pause', retryable: false }),
  );
});
