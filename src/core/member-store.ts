import { isRecordAttribute } from './lock-record.js';
import type { StoreCall } from './lock-store.js';

/**
 * The port of stores that keep the list of those who take part in an election: one record a group, one write a
 * check-in, which brings the list back with it. Tells who was there lately; it decides nothing.
 */
export interface MemberStore {
  checkIn(checkIn: CheckIn, call: StoreCall): Promise<MemberList>;
}

export interface CheckIn {
  readonly group: string;
  /** Who is there; left out by one who only looks. */
  readonly member?: string;
  /** Who is taken off the list. */
  readonly forget: readonly string[];
}

export interface MemberList {
  /** The instant of this check-in, by the clock that check-ins are written by: the server's where it has one. */
  readonly nowMs: number;
  readonly members: readonly { readonly name: string; readonly checkedInMs: number }[];
}

/** The record of a group stands beside its lock. */
export const membersOf = (group: string): string => group + SUFFIX;

const SUFFIX = '#members';

const PREFIX = 'm:';

/** The attribute that a member's last check-in is kept in. */
export const memberAttribute = (member: string): string => PREFIX + member;

/** Whether a record is a list of members, perhaps an empty one, and no lock. */
export function isMemberList(name: string, item: Readonly<Record<string, unknown>>): boolean {
  return name.endsWith(SUFFIX) && !Object.keys(item).some(isRecordAttribute);
}

/** Reads a record of members; what is no check-in is passed over. */
export function memberList(nowMs: number, item: Readonly<Record<string, unknown>>): MemberList {
  const members = Object.entries(item).flatMap(([attribute, value]) =>
    attribute.startsWith(PREFIX) && /^\d{13}$/.test(String(value))
      ? [{ name: attribute.slice(PREFIX.length), checkedInMs: Number(value) }]
      : [],
  );
  return { nowMs, members };
}
