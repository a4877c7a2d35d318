import type { CheckIn, MemberList } from '../ports/member-store.js';
import { isMemberListName } from '../values/names.js';
import { type Item, isRecordAttribute } from './lock-record.js';

/*
 * The record of a group of members: one attribute for each member, with the instant of its last check-in
 * (docs/protocol.md, "Members of an election").
 */

const PREFIX = 'm:';

/** Returns the name of the attribute that keeps a member's last check-in. */
export const memberAttribute = (member: string): string => PREFIX + member;

/** Whether a record is a list of members, perhaps empty, and not a lock. */
export function isMemberList(name: string, item: Item): boolean {
  return isMemberListName(name) && !Object.keys(item).some(isRecordAttribute);
}

/** Reads a record of members. Skips attributes that are not check-ins. */
export function readMemberList(nowMs: number, item: Item): MemberList {
  const members = Object.entries(item).flatMap(([attribute, value]) =>
    attribute.startsWith(PREFIX) && /^\d{13}$/.test(String(value))
      ? [{ name: attribute.slice(PREFIX.length), checkedInMs: Number(value) }]
      : [],
  );
  return { nowMs, members };
}

/** Makes the record of a group after a check-in at `nowMs`; undefined if the check-in changes nothing. */
export function checkedIn({ member, forget }: CheckIn, nowMs: number, item: Item = {}): Item | undefined {
  const gone = new Set(forget.map(memberAttribute));
  if (member === undefined && !Object.keys(item).some((attribute) => gone.has(attribute))) return undefined;
  const entered = member === undefined ? item : { ...item, [memberAttribute(member)]: nowMs };
  return Object.fromEntries(Object.entries(entered).filter(([attribute]) => !gone.has(attribute)));
}
