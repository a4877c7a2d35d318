import type { Claim, Lease, RefusalReason, Refused } from '../ports/lock-store.js';
import { defined } from '../values/defined.js';
import { holderOf, type Item, type LockRecord, readGrant, readRecord } from './lock-record.js';
import { isListed, type TickClaim } from './open-ticks.js';
import { hasRun } from './run-ring.js';

/** What a refused acquire means, read off the record that refused it. */
export type Judgement =
  | Refused
  /** The record is this very attempt's: an earlier try was applied and its answer lost. */
  | { readonly status: 'own'; readonly record: LockRecord }
  | Expired
  /** No single writer that follows the protocol can have left this record; another try may fare better. */
  | { readonly status: 'unexpected' };

/** The holder has given the lock back, or its lease is over by the best clock there is. */
export interface Expired {
  readonly status: 'expired';
  readonly record: LockRecord;
}

/**
 * Judges in the order of docs/protocol.md, "Acquire".
 *
 * @param item the record as it was read, unchecked; undefined where no record exists
 * @param now the claim's own wall clock, which its pause clause was compared with
 * @param isExpired whether a `lockUntil` is over by the best clock there is
 * @throws CorruptLockError; of this attempt's own record only where it lacks what a grant counts on
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
  if (isGivenBack(record) || isExpired(lockUntil)) return { status: 'expired', record };
  return refusedBy(record, state === 'released' ? 'lock-at-least-for' : 'locked');
}

/** Whether this very attempt holds the lock. */
export function isHeldBy({ attemptId }: Pick<Claim, 'attemptId'>, item: Item): boolean {
  return item['attemptId'] === attemptId && item['state'] === 'held';
}

/** Whether this very grant holds the lock: its attempt can have been granted a second time. */
export function isGrantOf(lease: Lease, item: Item): boolean {
  return isHeldBy(lease, item) && item['fencingToken'] === lease.fencingToken;
}

/** Whether a mark of this lease was applied: while the lease has its lock, nobody else closes a tick. */
export function isMarkedBy(lease: Lease, tickMs: number, item: Item): boolean {
  return isGrantOf(lease, item) && doneReason({ tickMs, markTickAtStart: false }, item) !== undefined;
}

/** Whether a release of this lease was applied: perhaps by an earlier try, and perhaps a successor has come since. */
export function isReleasedBy({ attemptId, fencingToken }: Lease, item: Item): boolean {
  return (item['attemptId'] === attemptId && item['state'] === 'released') || hasRun(item, fencingToken);
}

/** A refusal, with the holder that the record names. */
export function refusedBy(record: LockRecord, reason: RefusalReason): Refused {
  return { status: 'refused', reason, ...defined({ holder: holderOf(record) }) };
}

/**
 * Why the tick of a claim is refused; undefined while it is open. A tick that is refused once stays refused until an
 * operator deletes the lock or lists the tick, so every late try of the same claim is refused as well until then, and
 * needs no cancel.
 */
export function doneReason(claim: TickClaim, item: Item): 'already-executed' | 'stale-tick' | undefined {
  const { tickMs } = claim;
  const { doneTick } = item;
  if (tickMs === undefined || typeof doneTick !== 'number' || doneTick < tickMs) return undefined;
  if (doneTick === tickMs) return 'already-executed';
  return isListed(claim, item) ? undefined : 'stale-tick';
}

/**
 * Whether nobody has the lock, whatever the clocks say: it was released without a hold, freed by force, or
 * deleted. Its `lockUntil` then only fences off acquires that were sent before.
 */
export function isGivenBack({ state, lockUntil, releasedAt }: LockRecord): boolean {
  return state === 'forced' || state === 'deleted' || (state === 'released' && lockUntil === releasedAt);
}
