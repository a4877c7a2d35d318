import { createContext, runInContext } from 'node:vm';
import { expect, test } from 'vitest';
import { causeWords, errorName } from '../../../src/core/values/thrown.js';

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

const refused = { code: 'ECONNREFUSED', address: '127.0.0.1', port: 6379 };

test.each<[string, unknown, string]>([
  ['a refused connection', new Error('x', { cause: refused }), 'ECONNREFUSED 127.0.0.1:6379'],
  ['no such host', new Error('x', { cause: { code: 'ENOTFOUND', hostname: 'db.internal' } }), 'ENOTFOUND db.internal'],
  [
    'fetch, whose cause is deeper',
    new Error('x', { cause: new TypeError('fetch failed', { cause: refused }) }),
    'ECONNREFUSED 127.0.0.1:6379',
  ],
  [
    'a host with several addresses',
    new Error('x', { cause: Object.assign(new AggregateError([refused]), { code: 'ECONNREFUSED' }) }),
    'ECONNREFUSED 127.0.0.1:6379',
  ],
  ['a code of a database', new Error('x', { cause: { code: '57P03', message: 'secret' } }), '57P03'],
  ['no code', new Error('x', { cause: new Error('secret') }), ''],
  ['no cause', new Error('x'), ''],
  ['a value that is no word', new Error('x', { cause: { code: 'a secret text', address: 'postgres://a:b@c' } }), ''],
])('causeWords of %s', (_, thrown, words) => {
  expect(causeWords(thrown)).toBe(words);
});

test('causeWords ends for a circle of causes', () => {
  const circle = new Error('x');
  circle.cause = circle;

  expect(causeWords(circle)).toBe('');
});
