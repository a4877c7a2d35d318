import type { ForceRelease, Pause } from '../ports/lock-admin-store.js';
import type { Claim, Completion, DoneTick, Lease } from '../ports/lock-store.js';
import type { Sent } from '../values/clock.js';
import { defined } from '../values/defined.js';
import { truncateUtf8 } from '../values/names.js';
import {
  type Item,
  isInstant,
  type LockRecord,
  MAX_ERROR_BYTES,
  pastRecord,
  previousRun,
  RECORD_VERSION,
} from './lock-record.js';
import { failedTicksAfterCrash, ticksAfterMark, ticksAfterRun, ticksDroppedByCrash, ticksOf } from './open-ticks.js';
import { rowOfForce, rowsOfRelease } from './run-ring.js';

/*
 * The fields that the verbs write into a record, the same in every store (docs/protocol.md, "Verbs on DynamoDB"). A
 * store adds the condition of the write, and counts the fencing token in its own way.
 */

/**
 * Makes the fields of a grant at `nowMs`. The store also removes the attribute that `removedByGrant` names, if any.
 *
 * @param before the item before the grant, unchecked
 */
export function grantFields(claim: Claim, nowMs: number, untilMs: number, before: Item = {}): LockRecord {
  const { attemptId, leaseMs, lockedBy, tickMs, schedule, markTickAtStart } = claim;
  return {
    attemptId,
    state: 'held',
    lockedAt: nowMs,
    lockUntil: untilMs,
    leaseMs,
    lockedBy,
    v: RECORD_VERSION,
    ...defined({
      tick: tickMs,
      schedule: tickMs === undefined ? undefined : schedule,
      doneTick: markTickAtStart ? tickMs : undefined,
      failedTicks: failedTicksAfterCrash(before),
    }),
  };
}

/** Returns the attribute that a grant removes, because its claim does not have it. A grant without a tick keeps `schedule`. */
export function removedByGrant({ tickMs, schedule }: Claim): 'tick' | 'schedule' | undefined {
  if (tickMs === undefined) return 'tick';
  return schedule === undefined ? 'schedule' : undefined;
}

/** Makes the whole record of a grant from `nowMs` to `untilMs`, for a store that writes whole records. */
export function grantedRecord(claim: Claim, nowMs: number, untilMs: number, before: LockRecord = {}): LockRecord {
  const removed = removedByGrant(claim) ?? 'tick';
  const { [removed]: _, ...kept } = before;
  const fencingToken = (kept.fencingToken ?? nowMs) + 1;
  return { ...kept, ...grantFields(claim, nowMs, untilMs, before), fencingToken };
}

/**
 * Computes the end of a lease that is extended at `nowMs` of the store's clock. The lease never gets shorter. If the
 * store's clock has stepped back since the grant, this function uses the time that the holder has measured, so that
 * nobody takes a lock that is held.
 */
export function extendedUntil(
  lease: Lease,
  { lockUntil }: Item,
  leaseMs: number,
  { nowMs, sent }: { readonly nowMs: number; readonly sent: Sent },
): number {
  const heldMs = Math.round(sent.firstSentMono - lease.firstSentMono);
  const untilMs = leaseMs + Math.max(nowMs, lease.lockedAtMs + heldMs);
  return isInstant(lockUntil) ? Math.max(Number(lockUntil), untilMs) : untilMs;
}

/** Makes the fields of a mark that keeps the lock until `untilMs`. */
export function markFields(lease: Lease, done: DoneTick, untilMs: number): LockRecord {
  return { lockUntil: untilMs, ...ticksAfterMark(lease, done) };
}

/** Makes the lease after a mark that wrote these fields. */
export function markedLease(lease: Lease, { lockUntil = lease.lockUntilMs, ...fields }: LockRecord): Lease {
  return { ...lease, lockUntilMs: lockUntil, ...ticksOf(fields) };
}

/**
 * How far `fenceMs` may be ahead of a release. A fence that is further ahead is dropped: a clock that was so wrong must
 * not block the lock for ever.
 */
const FURTHEST_FENCE_MS = 3_600_000;

/**
 * Makes the fields of a release at `nowMs`. `releasedAt` is the later of `nowMs` and the `fenceMs` of the lease, so that
 * stores refuse acquires that were sent before. If the lock is not kept for `lockAtLeastFor`, `lockUntil` equals
 * `releasedAt`.
 */
export function releaseFields(lease: Lease, completion: Completion, nowMs: number): LockRecord {
  const { fenceMs = 0 } = lease;
  const { result, error, lockAtLeastForMs } = completion;
  const holdUntilMs = lockAtLeastForMs === 0 ? 0 : lease.lockedAtMs + lockAtLeastForMs;
  const releasedAt = fenceMs <= nowMs + FURTHEST_FENCE_MS ? Math.max(nowMs, fenceMs) : nowMs;
  return {
    state: 'released',
    ...(holdUntilMs > nowMs
      ? { lockUntil: holdUntilMs, releasedAt: Math.min(releasedAt, holdUntilMs - 1) }
      : { lockUntil: releasedAt, releasedAt }),
    result,
    ...defined({ error: error ? truncateUtf8(error, MAX_ERROR_BYTES) : undefined }),
    ...ticksAfterRun(lease, completion),
    ...rowsOfRelease(lease, completion),
  };
}

/**
 * Makes the fields of an operator's force release; the store raises the fencing token by `FORCE_STEP`. `lockUntil`
 * makes stores refuse acquires that were sent before, and late acquires of the run that is ended, whose clock may be
 * ahead.
 */
export function forcedFields(force: ForceRelease): LockRecord {
  const { adminId, lockedAtMs, nowMs, failedTicks } = force;
  const lockUntil = Math.max(nowMs, lockedAtMs + 1);
  return {
    state: 'forced',
    attemptId: adminId,
    lockUntil,
    ...defined({ failedTicks }),
    ...rowOfForce(force, lockUntil),
  };
}

/**
 * Makes the fields of an operator's pause. A pause of a name without a record creates the record. A resume leaves that
 * record in the store, with only `v`.
 */
export function pausedFields({ untilMs, by }: Pause): LockRecord {
  return { pausedUntil: untilMs, pausedBy: by, v: RECORD_VERSION };
}

/**
 * Makes the lease of a granted record.
 *
 * @param before the item before the grant, unchecked; undefined if the store recognised a replay of its own attempt,
 *   and so does not know the previous run
 */
export function leaseOf(claim: Claim, record: LockRecord, sent: Sent, before?: Item): Lease {
  const { fencingToken = 0, lockedAt = sent.firstSentWall, lockUntil = lockedAt } = record;
  const past = before && pastRecord(claim.name, before);
  const dropped = ticksDroppedByCrash(before ?? {}, record.failedTicks);
  // A grant that has marked its own tick, and whose answer was lost, has overwritten the newest tick done before it.
  const known = record.doneTick === claim.tickMs ? { ...record, doneTick: undefined } : record;
  return {
    name: claim.name,
    attemptId: claim.attemptId,
    fencingToken,
    leaseMs: claim.leaseMs,
    lockedAtMs: lockedAt,
    lockUntilMs: lockUntil,
    ...sent,
    ...ticksOf(before ? { ...before, ...defined({ failedTicks: record.failedTicks }) } : known),
    ...(dropped.length > 0 && { droppedTicksMs: dropped }),
    ...defined({ tickMs: claim.tickMs, previous: past && previousRun(past) }),
  };
}

/** Makes the completion for a grant that is given back because nothing ran under it. */
export function givenBack(error: string, markTickFailed: boolean): Completion {
  return { result: 'failed', lockAtLeastForMs: 0, markTickDone: false, markTickFailed, durationMs: 0, error };
}
