import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { truncateUtf8, utf8Bytes } from '../../../src/core/values/names.js';

const anyText = fc.string({ unit: 'binary', maxLength: 160 });

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
    ['digest', 0, ''],
    ['aé', 2, 'a'],
    ['a👍', 4, 'a'],
    ['a👍', 5, 'a👍'],
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
