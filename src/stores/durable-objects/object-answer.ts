import type { AcquireResult, RefusalReason } from '../../core/ports/lock-store.js';
import type { MemberList } from '../../core/ports/member-store.js';
import { type Item, isInstant, isText, isToken } from '../../core/record/lock-record.js';
import { shapeOf, UnexpectedAnswer } from '../../core/request/unexpected-answer.js';
import type { Sent } from '../../core/values/clock.js';
import type { Asked, Result, Verb } from '../decisions.js';

/*
 * The answers of an object, read closely: an answer is believed only if the object can have given it to this request.
 * The binding may be of another class, and the object may run another version of the Worker than its caller. A new
 * version may add a field to a request or an answer if whoever does not know the field acts rightly without it. For any
 * other change it raises `PROTOCOL`. In every version, `unknown` means that the object wrote nothing.
 */

export const PROTOCOL = 1;

/**
 * The answer of a lock's object. `decided`: the verb has its result, and its write was applied; `failed`: the decision
 * ends in an error; `late`: the call of the request was over; `ended`: the attempt of an acquire was over; `unlisted`:
 * the name must be added to the index first. Nothing was written unless it is `decided`.
 */
export interface LockAnswer {
  readonly word: 'decided' | 'failed' | 'late' | 'ended' | 'unlisted';
  /** The object's time when it read the record, in epoch milliseconds. */
  readonly nowMs: number;
  /** The record on which the verb was decided. */
  readonly item?: Item | undefined;
  readonly result?: unknown;
}

/** Names, in their order. */
interface NamesAnswer {
  readonly word: 'names';
  readonly names: readonly string[];
  /** Whether no name comes after these. */
  readonly isEnd: boolean;
}

/** The answer of the index. */
export type IndexAnswer =
  | { readonly word: 'added' }
  | NamesAnswer
  /** This version of the object does not know the request. */
  | { readonly word: 'unknown' };

/** The object is of a version that does not know the request. It wrote nothing, and will have another version later. */
export class OtherVersion extends UnexpectedAnswer {}

/** Reads the answer of a lock's object. @throws UnexpectedAnswer */
export function readLockAnswer(text: string): LockAnswer {
  const answer = readAnswer(text);
  const { word, nowMs, item } = answer as Partial<LockAnswer>;
  const isKnown = ['decided', 'failed', 'late', 'ended', 'unlisted'].includes(word as string);
  if (!isKnown || !isInstant(nowMs) || (item !== undefined && !isObject(item))) throw unexpected(answer);
  return answer as unknown as LockAnswer;
}

/** Reads the answer of the index to a request for names. @throws UnexpectedAnswer */
export function readNames(text: string): NamesAnswer {
  const answer = readAnswer(text);
  const { names, isEnd } = answer;
  if (answer['word'] !== 'names' || !Array.isArray(names) || !names.every(isText)) throw unexpected(answer);
  return { word: 'names', names, isEnd: isEnd !== false || names.length === 0 };
}

/** Reads the answer of the index to a new name. @throws UnexpectedAnswer */
export function readAdded(text: string): void {
  const answer = readAnswer(text);
  if (answer['word'] !== 'added') throw unexpected(answer);
}

function readAnswer(text: string): Item {
  let answer: unknown = text;
  try {
    answer = JSON.parse(text);
  } catch {
    // A LockObject does not answer so.
  }
  if (!isObject(answer)) throw unexpected(answer);
  const { protocol, word } = answer;
  if (word === 'unknown' && Number.isInteger(protocol)) {
    throw new OtherVersion(
      'the object is of another version of this library, and wrote nothing: deploy the Worker that exports LockObject with the version of this one, and call again',
    );
  }
  if (protocol !== PROTOCOL) throw unexpected(answer);
  return answer;
}

const REASONS: readonly RefusalReason[] = ['locked', 'lock-at-least-for', 'already-executed', 'stale-tick', 'paused'];

type Reader<V extends Verb> = (result: Result<V>, asked: Asked<V>, sent: Sent) => boolean;

/** Whether a value can be the result of a verb. */
const FITS: { readonly [V in Verb]: Reader<V> } = {
  acquire: (result, claim, sent) =>
    isObject(result) && (isRefused(result) || (result.status === 'acquired' && isLease(result.lease, claim, sent))),
  cancel: (result, { claim, firstSent }, sent) =>
    result === undefined || (isObject(result) && isLease(result.lease, claim, firstSent ?? sent)),
  extend: (result, _, sent) =>
    isObject(result) &&
    (result.status === 'lost' ||
      (result.status === 'extended' && isInstant(result.lockUntilMs) && isSent(result, sent))),
  mark: (result, { lease }, sent) =>
    isObject(result) &&
    (result.status === 'lost' ||
      (result.status === 'marked' && isLease(result.lease, lease, lease) && isSent(result, sent))),
  release: (result) => ['released', 'lost'].includes(result),
  checkIn: (result) => isObject(result) && isMemberList(result),
  get: (result) => isInstant(result),
  forceRelease: (result) => ['forced', 'changed'].includes(result),
  pause: (result) => isObject(result) && isObject(result.item) && isInstant(result.readMs),
  resume: (result) => ['resumed', 'not-paused', 'unknown'].includes(result),
  delete: (result) => ['deleted', 'held', 'changed', 'unknown'].includes(result),
  listTicks: (result) => ['listed', 'changed'].includes(result),
};

/** Reads the result of a verb. @throws UnexpectedAnswer */
export function readResult<V extends Verb>(verb: V, answer: LockAnswer, asked: Asked<V>, sent: Sent): Result<V> {
  const result = answer.result as Result<V>;
  if ((FITS[verb] as Reader<V>)(result, asked, sent)) return result;
  throw unexpected(answer);
}

function isRefused(result: AcquireResult): boolean {
  if (result.status !== 'refused' || !REASONS.includes(result.reason)) return false;
  const { holder } = result;
  return (
    holder === undefined ||
    (isObject(holder) && isText(holder.lockedBy) && isInstant(holder.lockedAtMs) && isInstant(holder.lockUntilMs))
  );
}

/** Whether a value can be the lease of an attempt that was first sent at that time. */
function isLease(lease: unknown, { name, attemptId }: { name: string; attemptId: string }, sent: Sent): boolean {
  if (!isObject(lease) || lease['name'] !== name || lease['attemptId'] !== attemptId || !isSent(lease, sent))
    return false;
  return isToken(lease['fencingToken']) && isInstant(lease['lockedAtMs']) && isInstant(lease['lockUntilMs']);
}

function isSent(value: object, { firstSentWall, firstSentMono }: Sent): boolean {
  const given = value as Partial<Sent>;
  return given.firstSentWall === firstSentWall && given.firstSentMono === firstSentMono;
}

function isMemberList({ nowMs, members }: MemberList): boolean {
  if (!isInstant(nowMs) || !Array.isArray(members)) return false;
  return members.every((member) => isObject(member) && isText(member.name) && isInstant(member.checkedInMs));
}

function isObject<T>(value: T): value is T & Item {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Makes the error of an answer that no `LockObject` gives. */
export function unexpected(answer: unknown): UnexpectedAnswer {
  return new UnexpectedAnswer(
    `the object answered with ${shapeOf(answer)}, which LockObject does not: bind the class LockObject of this version, and deploy the Worker that exports it`,
  );
}
