import { possibleLease } from '../core/options/lease.js';
import { type DefaultObservers, type Policy, resolvePolicy } from '../core/options/policy.js';
import type { LockStore } from '../core/ports/lock-store.js';
import type { MemberStore } from '../core/ports/member-store.js';
import type { Observer } from '../core/public/events.js';
import { looseCall } from '../core/run/deadlines.js';
import { describe } from '../core/values/checks.js';
import { type Clock, pause, type Signal, systemClock } from '../core/values/clock.js';
import { type Duration, parseDuration } from '../core/values/duration.js';
import { thisProcess } from '../core/values/environment.js';
import { checkLockName, nameProblem, newAttemptId, utf8Bytes } from '../core/values/names.js';

/** Options of every candidate. */
export interface CandidateOptions {
  /** The name of the group that has one leader, and of its lock. */
  readonly name: string;
  /** The store that keeps the lead. Every candidate must use the same store. */
  readonly store: LockStore;
  /**
   * Called with every event, as for every wrapper.
   *
   * @default one log line for what an operator must see; see docs/logs.md
   */
  readonly observers?: readonly Observer[];
  /** The clocks and timers of the candidate. @default the clocks and timers of the platform */
  readonly clock?: Clock;
}

/** A candidate, made from its options. */
export interface Candidate {
  readonly name: string;
  readonly candidate: string;
  readonly leaseMs: number;
  readonly policy: Policy;
}

const MAX_CANDIDATE_BYTES = 64;

/**
 * Makes a candidate from its options.
 *
 * @throws TypeError, RangeError for invalid options
 */
export function resolveCandidate(
  { name, store, observers, clock = systemClock }: CandidateOptions,
  candidate: string,
  lease: Duration,
  byDefault: DefaultObservers,
): Candidate {
  const leaseMs = parseDuration(lease, 'lease');
  if (leaseMs !== possibleLease(leaseMs)) {
    throw new RangeError(`lease is ${describe(lease)}: pass 1s to 24h`);
  }
  // A leader may keep its lock without a limit.
  const lock = { store, clock, lockAtMostFor: leaseMs, keepAlive: true, maxHold: Number.MAX_SAFE_INTEGER };
  const policy = resolvePolicy(observers === undefined ? lock : { ...lock, observers }, [], byDefault);
  return { name: checkLockName(name), candidate: checkCandidate(candidate), leaseMs, policy };
}

/** Makes the default name of a candidate: its process, in printable ASCII, and random characters. */
export function anyCandidate(): string {
  const unique = ` ${newAttemptId('c').slice(0, 9)}`;
  const shown = thisProcess().replace(/[^ -~]/g, '?');
  return shortened(shown, MAX_CANDIDATE_BYTES - unique.length) + unique;
}

/** Shortens a text in the middle: the names of the pods of one deployment differ at their end. */
function shortened(text: string, maxLength: number): string {
  const [gap, keptEnd] = ['...', 20];
  if (text.length <= maxLength) return text;
  return text.slice(0, maxLength - gap.length - keptEnd) + gap + text.slice(-keptEnd);
}

function checkCandidate(candidate: unknown): string {
  if (typeof candidate !== 'string')
    throw new TypeError(`candidate is ${describe(candidate)}: pass the name of the candidate, a string`);
  const problem =
    utf8Bytes(candidate) > MAX_CANDIDATE_BYTES
      ? `over ${MAX_CANDIDATE_BYTES} bytes; shorten it`
      : nameProblem(candidate);
  if (problem !== undefined) throw new RangeError(`candidate is ${describe(candidate)}: ${problem}`);
  return candidate;
}

/** A candidate, as known from its check-ins. */
export interface Member {
  /** The option `candidate` of its election. */
  readonly name: string;
  /** When the candidate checked in last. */
  readonly lastCheckIn: Date;
  /** Whether the last check-in of the candidate was within the lease. */
  readonly alive: boolean;
}

/** After this many leases without a check-in, the leader takes a member off the list. */
const FORGOTTEN_AFTER_LEASES = 10;
/** Most members that one check-in takes off the list. */
const MOST_FORGOTTEN = 100;

/** The check-ins of one candidate with the list of its group. The list decides nothing. */
export interface CheckIns {
  /** Checks in twice per lease until the signal aborts. Never rejects. */
  keepUp(shutdown: Signal): Promise<void>;
  /** Lists all members that have checked in lately. */
  members(): Promise<Member[]>;
  /** Takes this candidate off the list, if the store can be reached. */
  leave(): Promise<void>;
}

/**
 * Makes the check-ins of a candidate.
 *
 * @param isLeader whether this candidate leads; only the leader takes other members off the list
 */
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
