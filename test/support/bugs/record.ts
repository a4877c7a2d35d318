import type { Lease } from '../../../src/core/ports/lock-store.js';
import type { LockRecord } from '../../../src/core/record/lock-record.js';

type Attributes = Readonly<Record<string, unknown>>;

/**
 * What a record is after a write that found another one: what it has left as it found it stays as it was.
 *
 * @param seen what was found in place of `before`
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

/** A record, a lease or a list without some of what it has. */
export function without<T extends object>(whole: T, ...names: readonly string[]): T {
  return Object.fromEntries(Object.entries(whole).filter(([name]) => !names.includes(name))) as T;
}

/** A record that has rows of its history that match, and no others. */
export function withRows(record: LockRecord, isKept: (row: string) => boolean): LockRecord {
  const kept = Object.entries(record).filter(([attribute, value]) => !/^r\d$/.test(attribute) || isKept(String(value)));
  return Object.fromEntries(kept) as LockRecord;
}

/** Whether the history has a row of this lease that starts with this letter. */
export function hasRow(record: LockRecord, letter: string, { fencingToken }: Lease): boolean {
  const rows = Object.values(record).map(String);
  return rows.some((row) => row.startsWith(`${letter}|`) && row.includes(fencingToken.toString(36)));
}

/** Ticks as a record lists them. */
export function list(ticks: readonly number[]): string {
  const sorted = [...new Set(ticks)].sort((a, b) => a - b);
  return `,${sorted.map((tick) => `${tick.toString(36)},`).join('')}`;
}

/** The ticks of a record's list. */
export function ticksIn(listed: string | undefined): number[] {
  const texts = (listed ?? '').split(',').filter((text) => text !== '');
  return texts.map((text) => Number.parseInt(text, 36));
}

/** A lock that has been given back. */
export function free<T extends LockRecord>(record: T): T {
  return { ...record, state: 'forced' };
}

/** A lock that this lease holds. */
export function asHeldBy<T extends LockRecord>(record: T, { attemptId, fencingToken }: Lease): T {
  return { ...record, attemptId, fencingToken, state: 'held' };
}

/** The last instant that a record can have as an end, or so. */
export const NEVER_MS = 9e13;
