import { expect, test, vi } from 'vitest';
import { newAttemptId } from '../../../src/core/values/names.js';

test('row 6: F84 a letter and 128 random bits, 23 characters that no client takes for a number', () => {
  expect(newAttemptId()).toMatch(/^a[\w-]{22}$/);
  expect(newAttemptId('f')).toMatch(/^f[\w-]{22}$/);
});

test.each([
  ['all zeros', 0x00, 'aAAAAAAAAAAAAAAAAAAAAAA'],
  ['all ones', 0xff, 'a_____________________w'],
])('writes %s as base64url without padding', (_, byte, id) => {
  vi.spyOn(crypto, 'getRandomValues').mockImplementationOnce((bytes) => {
    new Uint8Array((bytes as Uint8Array).buffer).fill(byte);
    return bytes;
  });

  expect(newAttemptId()).toBe(id);
});

test('F9 no two attempts of one environment share an id', () => {
  const ids = Array.from({ length: 10_000 }, () => newAttemptId());

  expect(new Set(ids).size).toBe(10_000);
});
