import { LockStoreError } from 'single-execution';
import { expect, test } from 'vitest';
import { lockKey } from '../../../src/core/record/lock-record.js';

test('a key is the prefix and the name', () => {
  expect(lockKey('', 'digest', 'acquire')).toBe('digest');
  expect(lockKey('prod#', 'digest', 'acquire')).toBe('prod#digest');
  expect(lockKey('p'.repeat(28), 'x'.repeat(100), 'acquire')).toHaveLength(128);
});

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
