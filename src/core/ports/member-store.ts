import type { StoreCall } from './lock-store.js';

/**
 * The port of stores that keep the list of an election's members: one record for each group, and one write for each
 * check-in, which returns the list. The list shows who checked in lately. It decides nothing.
 */
export interface MemberStore {
  /**
   * Records the check-in of a member, unless the caller only reads the list, and takes the members in `forget` off the
   * list. One write.
   *
   * @throws LockStoreError when the call failed
   */
  checkIn(checkIn: CheckIn, call: StoreCall): Promise<MemberList>;
}

/** One check-in with the list of a group. */
export interface CheckIn {
  /** The group: the name of the election. */
  readonly group: string;
  /** The member that checks in; absent if the caller only reads the list. */
  readonly member?: string;
  /** Members to take off the list. */
  readonly forget: readonly string[];
}

/** The list of a group after a check-in. */
export interface MemberList {
  /**
   * The instant of this check-in, in epoch milliseconds: by the server's clock if the store reads it, else by this
   * host's.
   */
  readonly nowMs: number;
  /** Every member that is on the list, in no order. */
  readonly members: readonly {
    /** The member: its `candidate`. */
    readonly name: string;
    /** The last check-in of the member, in epoch milliseconds. */
    readonly checkedInMs: number;
  }[];
}
