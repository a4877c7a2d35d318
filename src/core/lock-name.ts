import { describe } from './describe.js';

/** Budget of a lock name together with the store's prefix, in UTF-8 bytes. */
const MAX_NAME_BYTES = 128;

/** Names that need no closer look, as nearly all are: printable ASCII, short enough. */
const PLAIN = new RegExp(`^[ -~]{1,${MAX_NAME_BYTES}}$`);

/**
 * The lock name as it came, when it is one.
 *
 * @throws TypeError when it is no string
 * @throws RangeError when it is empty, over 128 UTF-8 bytes, not in Unicode form NFC, or holds a control character
 */
export function checkLockName(name: unknown): string {
  if (typeof name !== 'string') throw new TypeError(`name is ${describe(name)}: give the lock a name, a string`);
  const problem = nameProblem(name);
  if (problem !== undefined) throw new RangeError(`name is ${describe(name)}: ${problem}`);
  return name;
}

/** What is wrong with a name, and the remedy; undefined when nothing is. Names are refused, never rewritten. */
export function nameProblem(name: string): string | undefined {
  if (PLAIN.test(name)) return undefined;
  if (name === '') return 'empty; give the lock a name of 1 to 128 bytes';
  if (utf8Bytes(name) > MAX_NAME_BYTES) {
    return `${utf8Bytes(name)} bytes in UTF-8; shorten it to at most ${MAX_NAME_BYTES}, the prefix included`;
  }
  if (/\p{Surrogate}/u.test(name)) return 'not well-formed Unicode; remove the lone surrogate';
  if (/\p{Cc}/u.test(name)) return 'it holds a control character; remove it';
  if (name !== name.normalize('NFC')) return "not in Unicode form NFC; pass name.normalize('NFC')";
  return undefined;
}

/** Length in UTF-8 bytes. */
export function utf8Bytes(text: string): number {
  let bytes = 0;
  for (const character of text) bytes += bytesOf(character);
  return bytes;
}

/** The longest beginning of a text that fits into so many UTF-8 bytes, well-formed and cut between characters. */
export function truncateUtf8(text: string, maxBytes: number): string {
  const wellFormed = text.replace(/\p{Surrogate}/gu, '\uFFFD');
  let bytes = 0;
  let end = 0;
  for (const character of wellFormed) {
    bytes += bytesOf(character);
    if (bytes > maxBytes) break;
    end += character.length;
  }
  return wellFormed.slice(0, end);
}

/** Counted by hand: an encoder would cost more than all the rest of a skip. */
function bytesOf(character: string): number {
  const point = character.codePointAt(0) ?? 0;
  if (point < 0x80) return 1;
  if (point < 0x800) return 2;
  return point < 0x1_0000 ? 3 : 4;
}
