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
