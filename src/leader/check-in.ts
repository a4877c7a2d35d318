import type { MemberStore } from '../core/ports/member-store.js';
import { looseCall } from '../core/run/store-calls.js';
import { pause } from '../core/values/clock.js';
import type { Signal } from '../core/values/signal.js';
import type { Candidate } from './candidate.js';

/** A candidate, as its check-ins show it. */
export interface Member {
  /** Its `candidate`. */
  readonly name: string;
  /** When it checked in last. */
  readonly lastCheckIn: Date;
  /** Whether that was within the lease. */
  readonly alive: boolean;
}

/** The leader takes a member off the list that has not checked in for so many leases. */
const FORGOTTEN_AFTER_LEASES = 10;
/** Most members that one check-in takes off the list. */
const MOST_FORGOTTEN = 100;

/** The check-ins of one candidate with the list of its group. The list decides nothing. */
export interface CheckIns {
  /** Checks in twice a lease until the signal aborts. Never rejects. */
  keepUp(shutdown: Signal): Promise<void>;
  /** All who have checked in lately. */
  members(): Promise<Member[]>;
  /** Takes this candidate off the list, if the store can be reached. */
  leave(): Promise<void>;
}

/** @param isLeader whether this candidate leads; the leader alone takes others off the list */
export function checkInsOf(candidate: Candidate, store: MemberStore, isLeader: () => boolean): CheckIns {
  const { name: group, candidate: member, leaseMs, policy } = candidate;
  const look = async (forget: readonly string[]) => store.checkIn({ group, forget }, looseCall(policy));
  return {
    async keepUp(shutdown) {
      let forget: readonly string[] = [];
      while (!shutdown.aborted) {
        try {
          const checkIn = { group, member, forget: isLeader() ? forget : [] };
          forget = [];
          const { nowMs, members } = await store.checkIn(checkIn, looseCall(policy));
          const forgottenMs = nowMs - FORGOTTEN_AFTER_LEASES * leaseMs;
          forget = members
            .filter(({ checkedInMs }) => checkedInMs < forgottenMs)
            .slice(0, MOST_FORGOTTEN)
            .map(({ name }) => name);
        } catch {
          // The next check-in corrects the list.
        }
        await pause(leaseMs / 2, policy.clock, shutdown);
      }
    },
    async members() {
      const { nowMs, members } = await look([]);
      return members.map(({ name, checkedInMs }) => ({
        name,
        lastCheckIn: new Date(checkedInMs),
        alive: nowMs - checkedInMs <= leaseMs,
      }));
    },
    async leave() {
      await look([member]).catch(() => undefined);
    },
  };
}
