import { expect, test } from 'vitest';
import { defined } from '../../../src/core/values/defined.js';

test('leaves out what is undefined, and nothing else', () => {
  expect(Object.entries(defined({ a: undefined, b: null, c: 0, d: '', e: false, f: Number.NaN }))).toEqual([
    ['b', null],
    ['c', 0],
    ['d', ''],
    ['e', false],
    ['f', Number.NaN],
  ]);
});
