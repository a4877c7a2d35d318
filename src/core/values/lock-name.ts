import { describe } from './describe.js';
import { utf8Bytes } from './utf8.js';

/** Longest lock name with the store's prefix, in UTF-8 bytes. */
const MAX_NAME_BYTES = 128;

const MEMBER_LIST_SUFFIX = '#members';

/** Nearly all names are short and printable ASCII. Such names need no further check. */
const PLAIN = new RegExp(`^[ -~]{1,${MAX_NAME_BYTES}}$`);

/**
 * Returns the name unchanged if it can be the name of a lock.
 *
 * @throws TypeError if it is not a string
 * @throws RangeError if it is empty, longer than 128 UTF-8 bytes, not in Unicode form NFC, or contains a control
 *   character
 */
export function checkLockName(name: unknown): string {
  if (typeof name !== 'string') throw new TypeError(`name is ${describe(name)}: give the lock a name, a string`);
  const problem = nameProblem(name);
  if (problem !== undefined) throw new RangeError(`name is ${describe(name)}: ${problem}`);
  return name;
}

/** The problem of a name, and the remedy; undefined for a good name. Names are refused, never rewritten. */
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

/** The name of the record that keeps a group's members, beside the group's lock. */
export function memberListName(group: string): string {
  return group + MEMBER_LIST_SUFFIX;
}

/** Whether a list of members can have this name. */
export function isMemberListName(name: string): boolean {
  return name.endsWith(MEMBER_LIST_SUFFIX);
}
