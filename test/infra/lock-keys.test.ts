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
    ['what?', '', exact('what?')],
    ['é'.normalize('NFC'), '', exact('\u00e9')],
    ['x'.repeat(128), '', exact('x'.repeat(128))],
    [`${'x'.repeat(128)}*`, '', prefix('x'.repeat(128))],
    ['x'.repeat(100), 'p'.repeat(28), exact('p'.repeat(28) + 'x'.repeat(100))],
  ])('reads %j with the key prefix %j', (name, keyPrefix, keys) => {
    expect(lockKeys(name, keyPrefix)).toEqual(keys);
  });

  const GIVE = "give a name such as 'send-digest', or a prefix such as 'tenant/*'";
  const CONTROL = 'it holds a control character; remove it';
  const NFC = "not in Unicode form NFC; pass name.normalize('NFC')";
  test.each<[string, string, string, Error]>([
    ['no name', '', '', new TypeError(`lock name is '': ${GIVE}`)],
    ['no name behind a key prefix', '', 'lock#', new TypeError(`lock name is '': ${GIVE}`)],
    ['every name', '*', '', new TypeError(`lock name is '*': ${GIVE}`)],
    ['every name behind a key prefix', '*', 'lock#', new TypeError(`lock name is '*': ${GIVE}`)],
  ])('refuses %s', (_, name, keyPrefix, error) => {
    expect(() => lockKeys(name, keyPrefix)).toThrow(error);
  });

  test.each<[string, string, string, string]>([
    ['a line end', 'a\nb', '', CONTROL],
    ['a control character of C1', 'a\u0085', '', CONTROL],
    ['a control character in a prefix', 'a\u0000*', '', CONTROL],
    ['form NFD', 'e\u0301', '', NFC],
    ['a lone surrogate', 'a\ud83d', '', 'not well-formed Unicode; remove the lone surrogate'],
    ['a control character in the key prefix', 'digest', 'p\n', CONTROL],
    ['a mark that its key prefix would take up', '\u0301', 'e', NFC],
    ['a prefix in form NFD', 'e\u0301/*', '', NFC],
  ])('refuses %s with the remedy', (_, name, keyPrefix, remedy) => {
    expect(() => lockKeys(name, keyPrefix)).toThrow(
      new RangeError(`lock name is ${describeValue(keyPrefix + name)}: ${remedy}`),
    );
  });

  test.each<[string, string]>([
    [`tenant/${Aws.ACCOUNT_ID}`, ''],
    ['digest', `${Aws.STACK_NAME}/`],
  ])('refuses a token, which is no text yet', (name, keyPrefix) => {
    expect(() => lockKeys(name, keyPrefix)).toThrow('is a token, known only when it is deployed: give the text itself');
  });

  test.each<[string, string, number]>([
    ['x'.repeat(129), '', 129],
    ['x'.repeat(101), 'p'.repeat(28), 129],
    [`${'x'.repeat(129)}*`, '', 129],
    ['é'.normalize('NFC').repeat(65), '', 130],
    ['👍'.repeat(32), '#', 129],
  ])('refuses what has more than 128 bytes: %s behind %j', (name, keyPrefix, bytes) => {
    expect(() => lockKeys(name, keyPrefix)).toThrow(
      new RangeError(
        `lock name is ${describeValue(keyPrefix + name)}: ${bytes} bytes in UTF-8; shorten it to at most 128, the prefix included`,
      ),
    );
  });
});

describe('overlap', () => {
  test.each<[LockKeys, LockKeys, boolean]>([
    [exact('a'), exact('a'), true],
    [exact('a'), exact('b'), false],
    [exact('a'), exact('ab'), false],
    [exact('tenant/acme'), prefix('tenant/'), true],
    [exact('tenant/'), prefix('tenant/'), true],
    [exact('tenant'), prefix('tenant/'), false],
    [exact('tenants'), prefix('tenant/'), false],
    [prefix('tenant/'), prefix('tenant/'), true],
    [prefix('tenant/'), prefix('tenant/eu/'), true],
    [prefix('tenant/eu/'), prefix('tenant/us/'), false],
    [prefix('a'), prefix('b'), false],
    [exact('a*'), prefix('a'), true],
    [exact('ab'), prefix('a*'), false],
  ])('of %j and %j: %s, whichever comes first', (a, b, expected) => {
    expect(overlap(a, b)).toBe(expected);
    expect(overlap(b, a)).toBe(expected);
  });

  test('finds whether some key belongs to both', () => {
    const texts = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 1, maxLength: 4 });
    const keys = fc.record({ kind: fc.constantFrom('exact' as const, 'prefix' as const), text: texts });
    /** All texts of one to four letters: of two sets that share a key, these show one. */
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
