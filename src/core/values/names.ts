import { describe } from './checks.js';

/** The longest lock name, the prefix of the store included, in UTF-8 bytes. */
const MAX_NAME_BYTES = 128;

const MEMBER_LIST_SUFFIX = '#members';

/** A short name of printable ASCII, which needs no further check. Nearly all names match. */
const PLAIN = new RegExp(`^[ -~]{1,${MAX_NAME_BYTES}}$`);

/**
 * Returns the name unchanged if it can be the name of a lock.
 *
 * @throws TypeError if the name is not a string
 * @throws RangeError if the name is empty, longer than 128 UTF-8 bytes, not in Unicode form NFC, or contains a control
 *   character
 */
export function checkLockName(name: unknown): string {
  if (typeof name !== 'string') throw new TypeError(`name is ${describe(name)}: pass a string`);
  const problem = nameProblem(name);
  if (problem !== undefined) throw new RangeError(`name is ${describe(name)}: ${problem}`);
  return name;
}

/** Returns the problem of a name, with the remedy; undefined for a good name. Names are refused, never rewritten. */
export function nameProblem(name: string): string | undefined {
  if (PLAIN.test(name)) return undefined;
  if (name === '') return 'empty; pass a name of 1 to 128 bytes';
  if (utf8Bytes(name) > MAX_NAME_BYTES) {
    return `${utf8Bytes(name)} bytes in UTF-8; shorten it to at most ${MAX_NAME_BYTES}, the prefix included`;
  }
  if (/\p{Surrogate}/u.test(name)) return 'not well-formed Unicode; remove the lone surrogate';
  if (/\p{Cc}/u.test(name)) return 'it holds a control character; remove it';
  if (name !== name.normalize('NFC')) return "not in Unicode form NFC; pass name.normalize('NFC')";
  return undefined;
}

/** The longest key prefix, in UTF-8 bytes: it leaves room for names. */
const MAX_PREFIX_BYTES = 100;

/**
 * Returns the key prefix unchanged if lock names can follow it.
 *
 * @throws TypeError, RangeError
 */
export function checkKeyPrefix(prefix: unknown): string {
  if (typeof prefix !== 'string') throw new TypeError(`keyPrefix is ${describe(prefix)}: pass a string`);
  const problem = prefixProblem(prefix);
  if (problem !== undefined) throw new RangeError(`keyPrefix is ${describe(prefix)}: ${problem}`);
  return prefix;
}

/** Returns the problem of a key prefix, with the remedy; undefined for a good one. */
export function prefixProblem(prefix: string): string | undefined {
  if (prefix === '') return undefined;
  const bytes = utf8Bytes(prefix);
  return bytes > MAX_PREFIX_BYTES
    ? `${bytes} bytes in UTF-8; leave room for names with at most ${MAX_PREFIX_BYTES}`
    : nameProblem(prefix);
}

/** Returns the name of the record that keeps a group's members, beside the group's lock. */
export function memberListName(group: string): string {
  return group + MEMBER_LIST_SUFFIX;
}

/** Whether a list of members can have this name. */
export function isMemberListName(name: string): boolean {
  return name.endsWith(MEMBER_LIST_SUFFIX);
}

/**
 * Makes a new random id: a letter and 128 bits as base64url, 23 characters. Some clients (JSON, Redis) guess the type
 * of a value; the letter keeps them from reading an id as a number.
 */
export function newAttemptId(letter = 'a'): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const base64 = btoa(String.fromCharCode(...bytes)).slice(0, 22);
  return letter + base64.replaceAll('+', '-').replaceAll('/', '_');
}

/** Makes a new random id in the form that other services ask for. */
export function newUuid(): string {
  return crypto.randomUUID();
}

/** The first letter of the attempt id of a run by hand, so that the record of a held lock shows what the run is. */
export const BY_HAND = 'n';

/** Whether an attempt id belongs to a run by hand. */
export function isByHand(attemptId: string | undefined): true | undefined {
  return attemptId?.[0] === BY_HAND || undefined;
}

/**
 * Returns the part of an attempt id that stands for the schedule of its call: `~` and a hash of the schedule's ARN, or
 * an empty string if the trigger names no schedule. Attempts of different schedules can be told apart by it.
 */
export function scheduleMark(scheduleArn = ''): string {
  let hash = 0;
  for (const character of scheduleArn) hash = (Math.imul(hash, 31) + character.charCodeAt(0)) | 0;
  return scheduleArn && `~${(hash >>> 0).toString(36)}`;
}

/** Finds the part that `scheduleMark` has made in an attempt id; undefined if it has none. */
export function scheduleMarkIn(attemptId: string | undefined): string | undefined {
  return attemptId?.match(/~\w+/)?.[0];
}

/** Returns the length of a text in UTF-8 bytes. */
export function utf8Bytes(text: string): number {
  return new TextEncoder().encode(text).length;
}

/**
 * Returns the longest prefix of a text that fits into `maxBytes` UTF-8 bytes. Never splits a character; replaces
 * lone surrogates.
 */
export function truncateUtf8(text: string, maxBytes: number): string {
  // A TextEncoder would take longer than the rest of a skipped call, and nearly all texts are plain and short.
  if (PLAIN.test(text) && text.length <= maxBytes) return text;
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(maxBytes));
  return text.slice(0, read).replace(/\p{Surrogate}/gu, '\uFFFD');
}
