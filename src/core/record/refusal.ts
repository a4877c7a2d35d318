import type { Claim, Lease, RefusalReason, Refused } from '../ports/lock-store.js';
import { defined } from '../values/defined.js';
import { holderOf, type Item, type LockRecord, readGrant, readRecord } from './lock-record.js';
import { isListed, listedTick, type TickClaim } from './open-ticks.js';

/** The meaning of a refused acquire, read from the record that refused it. */
export type Judgement =
  | Refused
  /** The record is this attempt's own: an earlier try was applied, and its answer was lost. */
  | { readonly status: 'own'; readonly record: LockRecord }
  | Expired
  /** No writer that follows the protocol can have left this record; another try may succeed. */
  | { readonly status: 'unexpected' };

/**
 * The lock can be taken over: it is free for the claim (see {@link isFreeFor}), or its `lockUntil` has passed by the
 * best clock available.
 */
export interface Expired {
  readonly status: 'expired';
  readonly record: LockRecord;
}

/**
 * Finds out what a record means for a claim, in the order of docs/protocol.md, "Acquire".
 *
 * @param item the record, unchecked; undefined if there is no record
 * @param now the instant that the end of a pause is compared with
 * @param isExpired whether a `lockUntil` has passed, by the best clock available
 * @throws CorruptLockError for a corrupt record; for this attempt's own record, only if an attribute that a grant needs
 *   is missing or wrong
 */
export function judgeRefusal(
  claim: Claim,
  item: Item | undefined,
  now: number,
  isExpired: (lockUntil: number) => boolean,
): Judgement {
  if (item === undefined) return { status: 'unexpected' };
  if (isHeldBy(claim, item)) return { status: 'own', record: readGrant(claim.name, item) };
  const record = readRecord(claim.name, item);

  const { attemptId, state, lockUntil, pausedUntil } = record;
  if (pausedUntil !== undefined && pausedUntil > now) return refusedBy(record, 'paused');
  const done = doneReason(claim, record);
  if (done) return refusedBy(record, done);
  if (attemptId === claim.attemptId || lockUntil === undefined) return { status: 'unexpected' };
  if (isFreeFor(claim, record) || isExpired(lockUntil)) return { status: 'expired', record };
  return refusedBy(record, state === 'released' ? 'lock-at-least-for' : 'locked');
}

/** Whether this attempt holds the lock. */
export function isHeldBy({ attemptId }: Pick<Claim, 'attemptId'>, item: Item): boolean {
  return item['attemptId'] === attemptId && item['state'] === 'held';
}

/**
 * Whether this grant holds the lock. The attempt id alone does not show that, because an attempt can be granted twice.
 */
export function isGrantOf(lease: Lease, item: Item): boolean {
  return isHeldBy(lease, item) && item['fencingToken'] === lease.fencingToken;
}

/**
 * Whether a mark of this lease was applied: the lease still has its lock, and the tick is done. While a lease has its
 * lock, no other run marks ticks.
 */
export function isMarkedBy(lease: Lease, tickMs: number, item: Item): boolean {
  return isGrantOf(lease, item) && doneReason({ tickMs, markTickAtStart: false }, item) !== undefined;
}

/** Makes a refusal, with the holder that the record names. */
export function refusedBy(record: LockRecord, reason: RefusalReason): Refused {
  return { status: 'refused', reason, ...defined({ holder: holderOf(record) }) };
}

/**
 * Returns why the tick of a claim is refused; undefined while the tick is open. A refused tick stays refused until an
 * operator deletes the lock or lists the tick. Late tries of the same claim are refused too, so they need no cancel.
 */
export function doneReason(claim: TickClaim, item: Item): 'already-executed' | 'stale-tick' | undefined {
  const { tickMs } = claim;
  const { doneTick } = item;
  if (tickMs === undefined || typeof doneTick !== 'number' || doneTick < tickMs) return undefined;
  if (doneTick === tickMs) return 'already-executed';
  return isListed(claim, item) ? undefined : 'stale-tick';
}

/**
 * Whether nobody has the lock, whatever any clock says: it was released and is not kept for `lockAtLeastFor`, was freed
 * by force, or was deleted. Its `lockUntil` then only makes stores refuse acquires that were sent before.
 */
export function isGivenBack({ state, lockUntil, releasedAt }: LockRecord): boolean {
  return state === 'forced' || state === 'deleted' || (state === 'released' && lockUntil === releasedAt);
}

/** Whether a claim for an open tick, or without a tick, may have the lock, whatever any clock says. */
export function isFreeFor(claim: TickClaim, record: LockRecord): boolean {
  return isGivenBack(record) || passesHold(claim, record);
}

/**
 * Whether the `lockAtLeastFor` of the last run does not keep out an open tick: that run succeeded, and it had no tick,
 * or the tick of the claim is owed. An owed tick was due when that run began, or is listed as not done.
 */
export function passesHold({ tickMs }: TickClaim, record: LockRecord): boolean {
  const { state, result, tick, lockedAt = 0, doneTick = 0, failedTicks } = record;
  if (tickMs === undefined || state !== 'released' || result !== 'succeeded') return false;
  // An open tick that is older than `doneTick` is listed.
  const isDue = tickMs <= lockedAt || tickMs < doneTick;
  return tick === undefined || isDue || String(failedTicks).includes(listedTick(tickMs));
}
