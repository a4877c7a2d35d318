import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import {
  checkLockName,
  isMemberListName,
  memberListName,
  nameProblem,
  newAttemptId,
  truncateUtf8,
  utf8Bytes,
} from '../../../src/core/values/names.js';

const anyText = fc.string({ unit: 'binary', maxLength: 160 });
const control = fc.integer({ min: 0, max: 0x9f }).filter((code) => code < 0x20 || code >= 0x7f);
const loneSurrogate = fc.integer({ min: 0xd800, max: 0xdfff });

describe('checkLockName', () => {
  test.each([
    'a',
    'send-digest',
    'tenant#42:eu',
    'a b',
    '__proto__',
    'é'.normalize('NFC'),
    '日報',
    '👩‍👩‍👧',
    '🇪🇺',
    'x'.repeat(128),
  ])('F18 accepts %o unchanged', (name) => {
    expect(checkLockName(name)).toBe(name);
  });

  test.each<[unknown, Error]>([
    [undefined, new TypeError('name is undefined: pass a string')],
    [null, new TypeError('name is null: pass a string')],
    [5, new TypeError('name is 5: pass a string')],
    [{}, new TypeError('name is an object: pass a string')],
    [Promise.resolve('a'), new TypeError('name is an object: pass a string')],
    ['', new RangeError("name is '': empty; pass a name of 1 to 128 bytes")],
    [
      'x'.repeat(129),
      new RangeError(
        `name is '${'x'.repeat(64)}…': 129 bytes in UTF-8; shorten it to at most 128, the prefix included`,
      ),
    ],
    ['a\tb', new RangeError("name is 'a\tb': it holds a control character; remove it")],
    ['e\u0301', new RangeError("name is 'e\u0301': not in Unicode form NFC; pass name.normalize('NFC')")],
    ['a\ud83d', new RangeError("name is 'a\ud83d': not well-formed Unicode; remove the lone surrogate")],
  ])('F18 refuses %o, saying why and what to do', (name, error) => {
    expect(() => checkLockName(name)).toThrow(error);
  });

  test('F18 two names that look the same are never both taken: of NFC and NFD twins only NFC passes', () => {
    const accented = fc.string({ unit: fc.constantFrom('é', 'ü', 'ñ', 'Å', '가', 'a'), minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(accented, (text) => {
        const [composed, decomposed] = [text.normalize('NFC'), text.normalize('NFD')];
        fc.pre(composed !== decomposed);
        expect(nameProblem(composed)).toBeUndefined();
        expect(nameProblem(decomposed)).toMatch('not in Unicode form NFC');
      }),
    );
  });

  test('F18 refuses a control character wherever it stands', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 20 }), control, fc.string({ maxLength: 20 }), (before, code, after) => {
        expect(nameProblem(before + String.fromCharCode(code) + after)).toMatch('control character');
      }),
    );
  });

  test('F18 refuses a lone surrogate wherever it stands', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 20 }), loneSurrogate, fc.string({ maxLength: 20 }), (before, code, after) => {
        expect(nameProblem(before + String.fromCharCode(code) + after)).toMatch('lone surrogate');
      }),
    );
  });

  test('F18 counts bytes, not characters', () => {
    expect(nameProblem('é'.normalize('NFC').repeat(64))).toBeUndefined();
    expect(nameProblem('é'.normalize('NFC').repeat(65))).toMatch('130 bytes');
    expect(nameProblem('👍'.repeat(32))).toBeUndefined();
    expect(nameProblem('👍'.repeat(33))).toMatch('132 bytes');
  });
});

test('the list of members of a group has a name of its own', () => {
  expect(memberListName('shard')).toBe('shard#members');
  expect(isMemberListName('shard#members')).toBe(true);
  expect(isMemberListName('shard')).toBe(false);
});

test('utf8Bytes counts what is sent', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      expect(utf8Bytes(text)).toBe(Buffer.byteLength(text, 'utf8'));
    }),
    { examples: [...'\x7f\x80\u07ff\u0800\uffff\u{10000}'].map((character): [string] => [character]) },
  );
});

describe('truncateUtf8', () => {
  test.each<[string, number, string]>([
    ['digest', 6, 'digest'],
    ['digest', 3, 'dig'],
    ['a👍', 4, 'a'],
    ['a\ud83d', 4, 'a\ufffd'],
    ['a\ud83d', 3, 'a'],
  ])('cuts %o to %i bytes between characters', (text, bytes, cut) => {
    expect(truncateUtf8(text, bytes)).toBe(cut);
  });

  test('keeps the longest beginning that fits', () => {
    const characters = fc.array(fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }), { maxLength: 40 });
    fc.assert(
      fc.property(characters, fc.integer({ min: 0, max: 100 }), (parts, maxBytes) => {
        let longest = '';
        for (const part of parts) {
          if (utf8Bytes(longest + part) > maxBytes) break;
          longest += part;
        }
        expect(truncateUtf8(parts.join(''), maxBytes)).toBe(longest);
      }),
      { examples: [[['a', '\ufffd', 'b'], 4]] },
    );
  });

  test('keeps a byte order mark, which is a character like all others', () => {
    expect(truncateUtf8('\ufeffdigest', 6)).toBe('\ufeffdig');
  });
});

test('row 6: F84 a letter and 128 random bits, 23 characters that no client takes for a number', () => {
  expect(newAttemptId()).toMatch(/^a[\w-]{22}$/);
  expect(newAttemptId('f')).toMatch(/^f[\w-]{22}$/);
});

test.each([
  ['all zeros', 0x00, 'aAAAAAAAAAAAAAAAAAAAAAA'],
  ['all ones', 0xff, 'a_____________________w'],
])('writes %s as base64url without padding', (_, byte, id) => {
  vi.spyOn(crypto, 'getRandomValues').mockImplementationOnce((bytes) => {
    new Uint8Array((bytes as Uint8Array).buffer).fill(byte);
    return bytes;
  });

  expect(newAttemptId()).toBe(id);
});

test('F9 no two attempts of one environment share an id', () => {
  const ids = Array.from({ length: 10_000 }, () => newAttemptId());

  expect(new Set(ids).size).toBe(10_000);
});
