import fc from 'fast-check';

/*
 * Values that a hostile or careless caller may pass: texts, values of any type, and near misses.
 */

/** Texts that have a special meaning for a store, a script, an expression or an object. */
const LOADED_TEXTS = [
  '',
  '\0',
  ' ',
  'a\nb',
  'ü'.normalize('NFD'),
  'ü'.normalize('NFC'),
  '\ud800',
  '\u202eabc',
  'x'.repeat(128),
  'x'.repeat(10_000),
  '日'.repeat(43),
  '__proto__',
  'constructor',
  'toString',
  'a#b',
  'a:b',
  'a#members',
  'm:a',
  '*',
  '%0A',
  '{"S":"a"}',
  ':att = :att OR attribute_exists(lockUntil)',
  '#state',
  'lockUntil',
  "']] return redis.call('FLUSHALL') --",
  "redis.call('DEL', KEYS[1])",
  'NaN',
  '1e309',
];

export const anyText: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.string({ unit: 'binary', maxLength: 140 }),
  fc.constantFrom(...LOADED_TEXTS),
  fc.tuple(fc.constantFrom(...LOADED_TEXTS), fc.string({ maxLength: 5 })).map((parts) => parts.join('')),
);

/** Makers of values that resemble the expected value. Each value is made anew, because a test can spoil it. */
const NEAR_MISSES: readonly (() => unknown)[] = [
  ...[undefined, null, true, false, 0, -0, 1, -1, 0.5, 999, 1_000, 86_400_001, 2 ** 53, 1e300, -1e300].map(
    (v) => () => v,
  ),
  ...[Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.MIN_VALUE].map((v) => () => v),
  ...['5 min', '10', '1e3s', 'PT', '-1s', `${'9'.repeat(400)}s`, 'Infinity', 'true', '5m'].map((v) => () => v),
  ...['event', 'return', 'throw', 'skip', 'run', 'hold', 'start', 'none'].map((v) => () => v),
  () => 10n ** 30n,
  () => Symbol('a symbol'),
  () => new Date(),
  () => new Date(Number.NaN),
  () => Object.create(Date.prototype),
  () => new String('digest'),
  () => Promise.resolve('digest'),
  () => Object.create(null),
  () => [],
  () => ({}),
  () => ({ every: 0 }),
  () => ({ toString: () => 'digest', valueOf: () => 5, [Symbol.toPrimitive]: () => 'digest' }),
  () => ({ toString: thrower, toJSON: thrower, [Symbol.toPrimitive]: thrower }),
  () => Object.defineProperty({}, 'every', { get: thrower, enumerable: true }),
  () => cyclic(),
  () => () => 'digest',
  () => async () => undefined,
  () => thrower,
  () => new Proxy({}, { get: (_, key) => key }),
  // Reading any member throws, except the members that fast-check reads to print the value.
  () => new Proxy({}, { get: (_, key) => (typeof key === 'symbol' || key === 'toString' ? undefined : thrower()) }),
];

/** The error that a value throws when it is read. */
export class Untouchable extends Error {
  override readonly name = 'Untouchable';
}

function thrower(): never {
  throw new Untouchable('do not touch');
}

function cyclic(): object {
  const value: Record<string, unknown> = { list: [1] };
  value['self'] = value;
  return value;
}

/** Anything at all. */
export const anyValue: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...NEAR_MISSES).map((make) => make()) },
  { weight: 1, arbitrary: anyText },
  {
    weight: 1,
    arbitrary: fc.anything({
      withBigInt: true,
      withBoxedValues: true,
      withDate: true,
      withMap: true,
      withNullPrototype: true,
      withSet: true,
      withSparseArray: true,
      withTypedArray: true,
    }),
  },
);

/** Anything that can be thrown: errors with any properties. Reading some of these properties throws. */
export const anyFailure: fc.Arbitrary<unknown> = fc.oneof(
  anyValue,
  fc
    .record({ name: anyValue, message: anyValue, code: anyValue, cause: anyValue, $metadata: anyValue })
    .map((properties) => Object.freeze(Object.assign(new Error('frozen'), properties))),
  fc
    .constantFrom('name', 'message', 'code', 'cause', '$metadata')
    .map((property) => Object.defineProperty(new Error('do not touch'), property, { get: thrower })),
);
