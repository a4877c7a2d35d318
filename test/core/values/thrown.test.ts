import { createContext, runInContext } from 'node:vm';
import { expect, test } from 'vitest';
import { errorName } from '../../../src/core/values/thrown.js';

test.each<[unknown, string]>([
  [new RangeError('x'), 'RangeError'],
  [Object.assign(new Error('x'), { name: 5 }), 'Error'],
  [Object.assign(new Error('x'), { name: '' }), 'Error'],
  ['x', 'string'],
  [undefined, 'undefined'],
  [null, 'object'],
  [5n, 'bigint'],
  [new DOMException('x', 'AbortError'), 'AbortError'],
  // Under Jest, errors of Node's own modules are of another realm.
  [runInContext('new RangeError("x")', createContext({})), 'RangeError'],
  [runInContext('new AggregateError([], "x")', createContext({})), 'AggregateError'],
  [{ name: 'secret', message: 'x' }, 'object'],
])('errorName of %o is %s', (thrown, name) => {
  expect(errorName(thrown)).toBe(name);
});

test('errorName of an error whose name cannot be read is Error', () => {
  const nameless = Object.defineProperty(new Error('x'), 'name', {
    get() {
      throw new Error('no name');
    },
  });

  expect(errorName(nameless)).toBe('Error');
});
