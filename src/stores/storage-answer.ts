import { LockStoreError } from '../core/public/errors.js';
import { isInstant } from '../core/record/lock-record.js';
import { shapeOf, UnexpectedAnswer } from '../core/request/unexpected-answer.js';
import { describe } from '../core/values/checks.js';
import type { Storage, StoredRecord } from './storage-port.js';

/*
 * The answers of a storage, read closely: a value that is not one of them never counts as an answer. A storage is other
 * people's code, and so is the client below it.
 */

/** What a storage found under a key. */
interface FoundRecord<Version> {
  readonly record: StoredRecord | undefined;
  readonly version: Version | undefined;
  readonly nowMs: number;
}

/** Reads the answer of `read`. @throws LockStoreError (INVALID_REQUEST) */
export function readFound<Version>(answer: Awaited<ReturnType<Storage<Version>['read']>>): FoundRecord<Version> {
  if (typeof answer !== 'object' || answer === null) throw unexpected('read', answer, '{ record, version, nowMs }');
  const { record, version, nowMs } = answer;
  checkTime(nowMs);
  if (record === undefined || record === null) return { record: undefined, version, nowMs };
  if (!isPlainObject(record)) throw unexpected('read', record, 'a JSON object as its record');
  return { record, version, nowMs };
}

/** Reads the answer of `write`. @throws UnexpectedAnswer */
export function readWritten(answer: unknown): boolean {
  if (typeof answer === 'boolean') return answer;
  throw new UnexpectedAnswer(
    `the storage's write resolved to ${shapeOf(answer)}; let it resolve to true if it wrote, and to false if it did not`,
  );
}

/** A record in a list of a storage. */
export interface ListedRecord {
  readonly key: string;
  readonly record: StoredRecord;
  readonly nowMs?: number;
}

/** Reads the answer of `list`. @throws LockStoreError (INVALID_REQUEST) */
export function readListed(answer: readonly ListedRecord[]): readonly ListedRecord[] {
  if (!Array.isArray(answer)) throw unexpected('list', answer, 'an array of { key, record }');
  const stray = answer.find((one) => typeof one?.key !== 'string' || !isPlainObject(one.record));
  if (stray !== undefined || answer.includes(undefined)) throw unexpected('list', stray, 'items of { key, record }');
  for (const { nowMs } of answer as readonly ListedRecord[]) if (nowMs !== undefined) checkTime(nowMs);
  return answer;
}

/** @throws LockStoreError (INVALID_REQUEST) */
function checkTime(nowMs: number): void {
  if (!isInstant(nowMs)) throw refused(`the storage's nowMs is ${describe(nowMs)}; pass whole epoch milliseconds`);
}

/**
 * Reads the text of a record. A row with somebody else's data is a corrupt record, not an absent one: its lock is
 * granted to nobody.
 */
export function parsedRecord(text: unknown): StoredRecord {
  try {
    const record: unknown = JSON.parse(String(text));
    if (isPlainObject(record)) return record as StoredRecord;
  } catch {
    // The text is not JSON.
  }
  return { state: 'unreadable' };
}

/** Whether a value is an object as JSON has it, of any realm. */
function isPlainObject(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function unexpected(verb: string, answer: unknown, wanted: string): LockStoreError {
  return refused(`the storage's ${verb} resolved to ${shapeOf(answer)}; let it resolve to ${wanted}`);
}

/** Makes the error of a storage that no second try cures. */
export function refused(message: string): LockStoreError {
  return new LockStoreError(message, {
    code: 'INVALID_REQUEST',
    lockName: '*',
    operation: 'get',
    retryable: false,
  });
}
