import { expect, test } from 'vitest';
import { describe as shown } from '../../src/core/describe.js';

test.each<[unknown, string]>([
  ['10', "'10'"],
  ['', "''"],
  [5, '5'],
  [Number.NaN, 'NaN'],
  [null, 'null'],
  [undefined, 'undefined'],
  [true, 'true'],
  [Symbol('x'), 'Symbol(x)'],
  [new Date('2026-01-01T00:00:00Z'), '2026-01-01T00:00:00.000Z'],
  [new Date(Number.NaN), 'an invalid Date'],
  [() => 'secret', 'a function'],
  [class Secret {}, 'a function'],
])('shows %o as %s', (value, text) => {
  expect(shown(value)).toBe(text);
});

test.each<[unknown, string]>([
  [{ password: 'secret' }, 'an object'],
  [['secret'], 'an array'],
  [new Map([['secret', 1]]), 'an object'],
  [Object.create(null), 'an object'],
  [{ toString: 1 }, 'an object'],
])('F89 never shows the inside of an object', (value, text) => {
  expect(shown(value)).toBe(text);
});

test('cuts a long string', () => {
  expect(shown('x'.repeat(1_000))).toBe(`'${'x'.repeat(64)}…'`);
});
