import type { DeleteResult, Deletion, ForceRelease, ResumeResult, TickListing } from '../ports/lock-admin-store.js';
import { defined } from '../values/defined.js';
import { MOST_LISTED } from '../values/tick.js';
import { checkAttribute, type Item, isInstant, isText, type LockRecord, RECORD_VERSION } from './lock-record.js';
import { listOf, openTicksIn } from './open-ticks.js';
import { runsOf } from './run-ring.js';

/*
 * How the verbs of operators read and change a record, the same in every store (docs/protocol.md, "Force release,
 * pause, resume", "Delete", "Backfill and forget").
 */

/**
 * Judges a force release by the record. `open`: the force release may write; `forced`: an earlier try of it was
 * applied; `changed`: the lock is no longer held under the token that the operator saw.
 */
export function judgeForce({ adminId, fencingToken }: ForceRelease, item: Item = {}): 'open' | 'forced' | 'changed' {
  if (item['attemptId'] === adminId) return 'forced';
  return item['state'] === 'held' && item['fencingToken'] === fencingToken ? 'open' : 'changed';
}

/**
 * Finds the result of a resume at `nowMs`. A resume removes the pause of every known lock, even if that pause has
 * ended.
 */
export function judgeResume(item: Item | undefined, nowMs: number): ResumeResult {
  if (item === undefined || isDeleted(item)) return 'unknown';
  const { pausedUntil = 0 } = item as LockRecord;
  return pausedUntil > nowMs ? 'resumed' : 'not-paused';
}

/** Returns a copy of a record, without its pause. */
export function withoutPause({ pausedUntil: _, pausedBy: __, ...record }: LockRecord): LockRecord {
  return record;
}

/**
 * Returns the part of a record that a delete keeps, so that fencing tokens keep rising. Its `lockUntil` makes stores
 * refuse acquires that were sent before the delete, and late acquires of the last run, whose clock may have been ahead.
 * Corrupt values are left out, so that the record can be read again.
 */
export function deletedRecord({ adminId, nowMs }: Deletion, record: LockRecord): LockRecord {
  const { state, lockUntil, releasedAt, fencingToken, barredAttempt } = record;
  const fence = state === 'released' ? releasedAt : lockUntil;
  return {
    attemptId: adminId,
    state: 'deleted',
    lockUntil: isInstant(fence) ? Math.max(nowMs, Number(fence)) : nowMs,
    v: RECORD_VERSION,
    ...defined({ fencingToken, barredAttempt: isText(barredAttempt) ? barredAttempt : undefined }),
  };
}

/** Whether a lock was deleted, and its record has no pause. */
export function isDeleted({ state, pausedUntil }: Item): boolean {
  return state === 'deleted' && pausedUntil === undefined;
}

/**
 * Judges a delete by the record. `open`: the delete may write. A corrupt record can be deleted too, unless an attribute
 * that decides is corrupt: `fencingToken`, or `lockUntil` of a lock that is held.
 *
 * @param isOver whether a `lockUntil` has passed, by the best clock available
 * @throws CorruptLockError for a corrupt fencing token, and for a corrupt `lockUntil` of a lock that is held
 */
export function judgeDeletion(
  { name, adminId, fencingToken }: Deletion,
  item: Item | undefined,
  isOver: (lockUntil: number) => boolean,
): DeleteResult | 'open' {
  if (item === undefined) return 'unknown';
  // An earlier try of this delete was applied.
  if (item['attemptId'] === adminId) return 'deleted';
  if (isDeleted(item)) return 'unknown';
  checkAttribute(name, item, 'fencingToken');
  const { fencingToken: token = 0, state, lockUntil } = item as LockRecord;
  if (token !== fencingToken) return 'changed';
  if (state !== 'held') return 'open';
  checkAttribute(name, item, 'lockUntil');
  return lockUntil !== undefined && isOver(lockUntil) ? 'open' : 'held';
}

/**
 * Returns those of `ticksMs` that a record does not show as done. A record shows the newest tick done, and the own
 * ticks of the last ten runs, but not ticks that a run caught up with.
 */
export function notKnownAsDone(record: LockRecord, ticksMs: readonly number[]): number[] {
  const done = new Set([record.doneTick]);
  for (const { status, tickMs } of runsOf(record)) if (status === 'succeeded') done.add(tickMs);
  return ticksMs.filter((tick) => !done.has(tick));
}

/** Adds ticks to the lists: to `openTicks` if a tick is older than `doneTick`, to `failedTicks` if it is newer. */
export function listingWith(name: string, record: LockRecord, ticksMs: readonly number[]): TickListing {
  return listing(name, record, [...openTicksIn(record), ...ticksMs]);
}

/** Removes ticks from the lists. */
export function listingWithout(name: string, record: LockRecord, ticksMs: readonly number[]): TickListing {
  const kept = openTicksIn(record).filter((tick) => !ticksMs.includes(tick));
  return listing(name, record, kept);
}

/**
 * Makes the new lists, split at the newest tick that is done. A store writes the lists only while no run holds the
 * lock, because a run overwrites them when it ends.
 */
function listing(name: string, record: LockRecord, ticksMs: readonly number[]): TickListing {
  const { fencingToken, doneTick, openTicks, failedTicks } = record;
  const doneMs = doneTick ?? 0;
  const older = ticksMs.filter((tick) => tick < doneMs);
  const newer = ticksMs.filter((tick) => tick > doneMs);
  return {
    name,
    openTicks: listOf(older, MOST_LISTED),
    failedTicks: listOf(newer, MOST_LISTED),
    seen: defined({ fencingToken, doneTick, openTicks, failedTicks }),
  };
}

/** Whether a lock has run, and nobody holds it. */
export function hasEnded({ state }: Item): boolean {
  return state === 'released' || state === 'forced';
}

/**
 * Judges a listing by the record. `open`: the listing may be written; `listed`: an earlier try of it was applied;
 * `changed`: the lock has changed since the operator saw it, or a run holds it.
 */
export function judgeListing(listing: TickListing, item: Item = {}): 'open' | 'listed' | 'changed' {
  const { seen } = listing;
  const has = ({ openTicks, failedTicks }: TickListing['seen']) =>
    item['openTicks'] === openTicks && item['failedTicks'] === failedTicks;
  const isSame = hasEnded(item) && item['fencingToken'] === seen.fencingToken && item['doneTick'] === seen.doneTick;
  if (isSame && has(listing)) return 'listed';
  return isSame && has(seen) ? 'open' : 'changed';
}
