import type { Clock } from './clock.js';
import { defined } from './defined.js';
import type { ForceRelease } from './lock-admin-store.js';
import { truncateUtf8 } from './lock-name.js';
import { type LockRecord, MAX_ERROR_BYTES, previousRun, RECORD_VERSION } from './lock-record.js';
import type { Claim, Completion, Lease } from './lock-store.js';
import { rowsOfRelease } from './run-ring.js';

/*
 * What the verbs write into a record, the same in every store (docs/protocol.md, "Verbs"). A store adds its condition
 * and its way of counting the fencing token.
 */

/** Fields of a grant at `nowMs`. `tick` is removed from the record when the claim has none. */
export function grantFields(claim: Claim, nowMs: number, untilMs: number): LockRecord {
  const { attemptId, leaseMs, lockedBy, tickMs, markTickAtStart } = claim;
  return {
    attemptId,
    state: 'held',
    lockedAt: nowMs,
    lockUntil: untilMs,
    leaseMs,
    lockedBy,
    v: RECORD_VERSION,
    ...defined({ tick: tickMs, doneTick: markTickAtStart ? tickMs : undefined }),
  };
}

/**
 * Fields of a release at `nowMs`. `lockUntil` is never before the release itself: that instant fences off acquires
 * that were sent before it and arrive after.
 */
export function releaseFields(lease: Lease, completion: Completion, nowMs: number): LockRecord {
  const { tickMs, doneTickMs = 0 } = lease;
  const { result, error, lockAtLeastForMs, markTickDone } = completion;
  return {
    state: 'released',
    lockUntil: lockAtLeastForMs === 0 ? nowMs : Math.max(nowMs, lease.lockedAtMs + lockAtLeastForMs),
    releasedAt: nowMs,
    result,
    ...defined({
      error: error ? truncateUtf8(error, MAX_ERROR_BYTES) : undefined,
      doneTick: markTickDone && tickMs !== undefined ? Math.max(tickMs, doneTickMs) : undefined,
    }),
    ...rowsOfRelease(lease, completion),
  };
}

/** Fields of an operator's force release; the fencing token rises by one beside them. */
export function forcedFields(force: ForceRelease): LockRecord {
  return { state: 'forced', attemptId: force.adminId, lockUntil: force.lockedAtMs + 1, releasedAt: force.nowMs };
}

/** Both clocks at the first send of a call: the anchor of all times inside its grant. */
export interface Sent {
  readonly firstSentWall: number;
  readonly firstSentMono: number;
}

export function sentNow(clock: Clock): Sent {
  return { firstSentWall: Math.round(clock.now()), firstSentMono: clock.monotonic() };
}

/**
 * The lease that a granted record stands for.
 *
 * @param old the record before the grant; unknown after an own replay, and then neither the previous run nor missed
 *   ticks can be told
 */
export function leaseOf(claim: Claim, record: LockRecord, sent: Sent, old?: LockRecord): Lease {
  const { fencingToken = 0, lockedAt = sent.firstSentWall, lockUntil = lockedAt } = record;
  return {
    name: claim.name,
    attemptId: claim.attemptId,
    fencingToken,
    leaseMs: claim.leaseMs,
    lockedAtMs: lockedAt,
    lockUntilMs: lockUntil,
    ...sent,
    ...defined({ tickMs: claim.tickMs, doneTickMs: old?.doneTick, previous: old && previousRun(old) }),
  };
}
