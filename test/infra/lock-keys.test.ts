import { Aws } from 'aws-cdk-lib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type LockKeys, lockKeys, overlap } from '../../infra/constructs/lock-keys.js';
import { describe as describeValue } from '../../src/core/values/checks.js';

const exact = (text: string): LockKeys => ({ kind: 'exact', text });
const prefix = (text: string): LockKeys => ({ kind: 'prefix', text });

describe('lockKeys', () => {
  test.each<[string, string, LockKeys]>([
    ['send-digest', '', exact('send-digest')],
    ['send-digest', 'lock#', exact('lock#send-digest')],
    ['tenant/*', '', prefix('tenant/')],
    ['tenant/*', 'lock#', prefix('lock#tenant/')],
    ['a*b', '', exact('a*b')],
    ['a**', '', prefix('a*')],
    ['é'.normalize('NFC'), '', exact('\u00e9')],
    ['x'.repeat(128), '', exact('x'.repeat(128))],
    [`${'x'.repeat(128)}*`, '', prefix('x'.repeat(128))],
    ['x'.repeat(100), 'p'.repeat(28), exact('p'.repeat(28) + 'x'.repeat(100))],
  ])('reads %j with the key prefix %j', (name, keyPrefix, keys) => {
    expect(lockKeys(name, keyPrefix)).toEqual(keys);
  });

  const REMEDY = "pass a name such as 'send-digest', or a prefix such as 'tenant/*'";
  const CONTROL = 'it holds a control character; remove it';
  const TOO_LONG = (bytes: number) => `${bytes} bytes in UTF-8; shorten it to at most 128, the prefix included`;
  const NFC = "not in Unicode form NFC; pass name.normalize('NFC')";
  test.each(['', '*'])('refuses %j, which is no name or every one', (name) => {
    for (const keyPrefix of ['', 'lock#']) {
      expect(() => lockKeys(name, keyPrefix)).toThrow(new TypeError(`lock name is '${name}': ${REMEDY}`));
    }
  });

  // What is wrong with a name is tested in test/core/values/names.test.ts.
  test.each([
    ['a line end', 'a\nb', '', CONTROL],
    ['a control character in a prefix', 'a\u0000*', '', CONTROL],
    ['a control character in the key prefix', 'digest', 'p\n', CONTROL],
    ['a mark that its key prefix would take up', '\u0301', 'e', NFC],
    ['a prefix in form NFD', 'e\u0301/*', '', NFC],
    ['more with its key prefix', 'x'.repeat(101), 'p'.repeat(28), TOO_LONG(129)],
    ['more in a prefix', `${'x'.repeat(129)}*`, '', TOO_LONG(129)],
  ])('refuses %s with the remedy', (_, name, keyPrefix, remedy) => {
    expect(() => lockKeys(name, keyPrefix)).toThrow(
      new RangeError(`lock name is ${describeValue(keyPrefix + name)}: ${remedy}`),
    );
  });

  test.each<[string, string]>([
    [`tenant/${Aws.ACCOUNT_ID}`, ''],
    ['digest', `${Aws.STACK_NAME}/`],
  ])('refuses a token, which is no text yet', (name, keyPrefix) => {
    expect(() => lockKeys(name, keyPrefix)).toThrow('is a token, known only when it is deployed: pass the text itself');
  });
});

describe('overlap', () => {
  test('finds whether some key belongs to both', () => {
    const texts = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 1, maxLength: 4 });
    const keys = fc.record({ kind: fc.constantFrom('exact' as const, 'prefix' as const), text: texts });
    /** All texts of one to four letters `a` and `b`. If two sets share a key, they share one of these. */
    const every = Array.from({ length: 32 }, (_, i) => (i < 2 ? '' : i.toString(2).slice(1)))
      .filter((text) => text !== '')
      .map((digits) => digits.replaceAll('0', 'a').replaceAll('1', 'b'));
    const has = ({ kind, text }: LockKeys, key: string) => (kind === 'exact' ? key === text : key.startsWith(text));
    fc.assert(
      fc.property(keys, keys, (a, b) => {
        expect(overlap(a, b)).toBe(every.some((key) => has(a, key) && has(b, key)));
        expect(overlap(b, a)).toBe(overlap(a, b));
      }),
      { numRuns: 1_000 },
    );
  });
});
