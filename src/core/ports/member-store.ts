import type { StoreCall } from './lock-store.js';

/**
 * The port of stores that keep the list of an election's members: one record a group, and one write a check-in, which
 * brings the list back. The list shows who checked in lately. It decides nothing.
 */
export interface MemberStore {
  checkIn(checkIn: CheckIn, call: StoreCall): Promise<MemberList>;
}

export interface CheckIn {
  readonly group: string;
  /** The member that checks in; left out by a caller that only reads the list. */
  readonly member?: string;
  /** Members to take off the list. */
  readonly forget: readonly string[];
}

export interface MemberList {
  /** The instant of this check-in, by the clock that check-ins are written by: the server's, if the store has one. */
  readonly nowMs: number;
  readonly members: readonly { readonly name: string; readonly checkedInMs: number }[];
}
