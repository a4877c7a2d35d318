import type { MemberList } from '../ports/member-store.js';
import { isMemberListName } from '../values/lock-name.js';
import { type Item, isRecordAttribute } from './lock-record.js';

/*
 * The record of a group of members: one attribute a member, with the instant of its last check-in (docs/protocol.md,
 * "Members of an election").
 */

const PREFIX = 'm:';

/** The attribute that a member's last check-in is kept in. */
export const memberAttribute = (member: string): string => PREFIX + member;

/** Whether a record is a list of members, perhaps an empty one, and no lock. */
export function isMemberList(name: string, item: Item): boolean {
  return isMemberListName(name) && !Object.keys(item).some(isRecordAttribute);
}

/** Reads a record of members; attributes that are not check-ins are skipped. */
export function readMemberList(nowMs: number, item: Item): MemberList {
  const members = Object.entries(item).flatMap(([attribute, value]) =>
    attribute.startsWith(PREFIX) && /^\d{13}$/.test(String(value))
      ? [{ name: attribute.slice(PREFIX.length), checkedInMs: Number(value) }]
      : [],
  );
  return { nowMs, members };
}
