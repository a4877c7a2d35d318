import { expect, test } from 'vitest';
import { checkChoice, checkKnown, checkMethods, namesOf } from '../../../src/core/values/checks.js';

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
  ['options that are null', null as never, undefined, 'options is null: give an object of options'],
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
  [undefined, 'store is undefined: give a store'],
  [{ acquire() {} }, "store has no function 'release': give a store"],
])('a store that is %o lacks functions', (store, message) => {
  expect(() => checkMethods('store', store, ['acquire', 'release'], 'give a store')).toThrow(new TypeError(message));
});
