import type { Lease } from '../../../src/core/ports/lock-store.js';
import type { LockRecord } from '../../../src/core/record/lock-record.js';

type Attributes = Readonly<Record<string, unknown>>;

/**
 * The record after a write by a verb that found another record than the stored one. Attributes that the verb left as it
 * found them get their values from `before`.
 *
 * @param seen the record that the verb found instead of `before`
 */
export function asUnseen(before: Attributes, seen: Attributes, written: Attributes): Attributes {
  const isLeft = (attribute: string) => written[attribute] === seen[attribute];
  const kept = Object.entries(before).filter(([attribute]) => isLeft(attribute));
  const changed = Object.entries(written).filter(([attribute]) => !isLeft(attribute));
  return Object.fromEntries([...kept, ...changed]);
}

export function isSame(one: Attributes, other: Attributes): boolean {
  return [...Object.keys(one), ...Object.keys(other)].every((attribute) => one[attribute] === other[attribute]);
}

/** A copy of a record, a lease or a list without these members. */
export function without<T extends object>(whole: T, ...names: readonly string[]): T {
  return Object.fromEntries(Object.entries(whole).filter(([name]) => !names.includes(name))) as T;
}

/** A record with only those rows of its history that match. */
export function withRows(record: LockRecord, isKept: (row: string) => boolean): LockRecord {
  const kept = Object.entries(record).filter(([attribute, value]) => !/^r\d$/.test(attribute) || isKept(String(value)));
  return Object.fromEntries(kept) as LockRecord;
}

/** Whether the history has a row for this lease that starts with this letter. */
export function hasRow(record: LockRecord, letter: string, { fencingToken }: Lease): boolean {
  const rows = Object.values(record).map(String);
  return rows.some((row) => row.startsWith(`${letter}|`) && row.includes(fencingToken.toString(36)));
}

/** Ticks in the format of a record's list. */
export function list(ticks: readonly number[]): string {
  const sorted = [...new Set(ticks)].sort((a, b) => a - b);
  return `,${sorted.map((tick) => `${tick.toString(36)},`).join('')}`;
}

/** The ticks in a record's list. */
export function ticksIn(listed: string | undefined): number[] {
  const texts = (listed ?? '').split(',').filter((text) => text !== '');
  return texts.map((text) => Number.parseInt(text, 36));
}

/** The record as if its lock had been given back. */
export function free<T extends LockRecord>(record: T): T {
  return { ...record, state: 'forced' };
}

/** The record as if this lease held the lock. */
export function asHeldBy<T extends LockRecord>(record: T, { attemptId, fencingToken }: Lease): T {
  return { ...record, attemptId, fencingToken, state: 'held' };
}

/** About the latest instant that a record can have as the end of a lease. */
export const NEVER_MS = 9e13;
