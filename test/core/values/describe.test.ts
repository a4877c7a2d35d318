import { expect, test } from 'vitest';
import { describeType, describe as shown } from '../../../src/core/values/checks.js';

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

test('says so of what cannot be read', () => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();

  expect(shown(proxy)).toBe('a value that cannot be read');
  expect(shown(Object.create(Date.prototype))).toBe('a value that cannot be read');
});

test.each<[unknown, string]>([
  ['redis://user:secret@host', 'a string'],
  [12_345, 'a number'],
  [12_345n, 'a bigint'],
  [Symbol('secret'), 'a symbol'],
  [undefined, 'undefined'],
  [null, 'null'],
  [true, 'true'],
  [['secret'], 'an array'],
])('F90 of what may be a secret the type alone is shown: %o as %s', (value, text) => {
  expect(describeType(value)).toBe(text);
});
