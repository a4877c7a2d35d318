import fc from 'fast-check';

/*
 * What somebody hostile, or careless, may give: texts, values of no type in particular, and near misses.
 */

/** Texts that a store, a script, an expression or an object gives a meaning to. */
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
  '${process.env}',
  'NaN',
  '1e309',
];

export const anyText: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.string({ unit: 'binary', maxLength: 140 }),
  fc.constantFrom(...LOADED_TEXTS),
  fc.tuple(fc.constantFrom(...LOADED_TEXTS), fc.string({ maxLength: 5 })).map((parts) => parts.join('')),
);
