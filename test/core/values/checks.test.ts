import { expect, test } from 'vitest';
import {
  checkChoice,
  checkKnown,
  checkMethods,
  describeType,
  namesOf,
  describe as shown,
} from '../../../src/core/values/checks.js';

interface Options {
  readonly name: string;
  readonly wait?: string;
}

const known = namesOf<Options>({ name: true, wait: true });

test('names every option, in the order of the table', () => {
  expect(known).toEqual(['name', 'wait']);
});

test('the compiler refuses a table that leaves an option out, or has one too many', () => {
  // @ts-expect-error wait is missing
  namesOf<Options>({ name: true });
  // @ts-expect-error there is no option weight
  namesOf<Options>({ name: true, wait: true, weight: true });
});

test.each<[string, object, string | undefined, string]>([
  ['an unknown option', { wayt: '1s' }, undefined, "unknown option 'wayt': the options are name, wait"],
  ['an option that is undefined', { wayt: undefined }, undefined, "unknown option 'wayt': the options are name, wait"],
  ['an option of a store', { wayt: '1s' }, 'aStore', "unknown option 'wayt' of aStore: the options are name, wait"],
  ['options that are null', null as never, undefined, 'options is null: pass an object of options'],
])('refuses %s', (_, options, owner, message) => {
  expect(() => checkKnown(options, known, owner)).toThrow(new TypeError(message));
});

test('names the only option there is', () => {
  expect(() => checkKnown({ wait: 1 }, ['name'])).toThrow(new TypeError("unknown option 'wait': the option is name"));
});

test('takes known options, and none', () => {
  expect(() => checkKnown({ wait: '1s' }, known)).not.toThrow();
  expect(() => checkKnown({}, known)).not.toThrow();
});

test('a choice is one of the choices', () => {
  expect(() => checkChoice('onError', 'hold', ['release', 'hold'])).not.toThrow();
  expect(() => checkChoice('onError', 'keep', ['release', 'hold'])).toThrow(
    new TypeError("onError is 'keep': choose 'release' or 'hold'"),
  );
});

test.each<[unknown, string]>([
  [undefined, 'store is undefined: pass a store'],
  [{ acquire() {} }, "store has no function 'release': pass a store"],
])('a store that is %o lacks functions', (store, message) => {
  expect(() => checkMethods('store', store, ['acquire', 'release'], 'pass a store')).toThrow(new TypeError(message));
});

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
  expect(shown(Object.create(Date.prototype))).toBe('an object');
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

test.each<[unknown, string]>([
  [class Secret {}, 'a class'],
  [() => 'secret', 'a function'],
  [Promise.resolve('secret'), 'a promise'],
  [null, 'null'],
])('describeType tells %o as %s', (value, text) => {
  expect(describeType(value)).toBe(text);
});

test('describeType says so of what cannot be read', () => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();

  expect(describeType(proxy)).toBe('a value that cannot be read');
});
