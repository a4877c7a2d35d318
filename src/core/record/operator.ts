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

/** Judges a force release. `open`: it may write; `forced`: an earlier try of it was applied. */
export function judgeForce({ adminId, fencingToken }: ForceRelease, item: Item = {}): 'open' | 'forced' | 'changed' {
  if (item['attemptId'] === adminId) return 'forced';
  return item['state'] === 'held' && item['fencingToken'] === fencingToken ? 'open' : 'changed';
}

/** The result of a resume at `nowMs`. A resume removes the pause of every known lock, also one that has ended. */
export function judgeResume(item: Item | undefined, nowMs: number): ResumeResult {
  if (item === undefined || isDeleted(item)) return 'unknown';
  const { pausedUntil = 0 } = item as LockRecord;
  return pausedUntil > nowMs ? 'resumed' : 'not-paused';
}

/** A record without its pause. */
export function withoutPause({ pausedUntil: _, pausedBy: __, ...record }: LockRecord): LockRecord {
  return record;
}

/**
 * The part of a record that a delete keeps, so that fencing tokens keep rising. `lockUntil` fences off acquires sent
 * before the delete, and those of the last run, whose clock may have been ahead. Nothing corrupt is kept, so that the
 * rest can be read.
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

/** Whether a lock was deleted, and no operator has paused it since. */
export function isDeleted({ state, pausedUntil }: Item): boolean {
  return state === 'deleted' && pausedUntil === undefined;
}

/**
 * Judges a delete by the record; `open`: it may write. A delete corrects a corrupt record, except for the two
 * attributes that it is judged by.
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
 * Those of the ticks that a record does not show as done. A record shows the newest tick done, and the own ticks of the
 * last ten runs, but not ticks that a run caught up with.
 */
export function notKnownAsDone(record: LockRecord, ticksMs: readonly number[]): number[] {
  const done = new Set([record.doneTick]);
  for (const { status, tickMs } of runsOf(record)) if (status === 'succeeded') done.add(tickMs);
  return ticksMs.filter((tick) => !done.has(tick));
}

/** Adds ticks to the lists. Those older than `doneTick` are open at once, the others once a newer tick is done. */
export function listingWith(name: string, record: LockRecord, ticksMs: readonly number[]): TickListing {
  return listing(name, record, [...openTicksIn(record), ...ticksMs]);
}

/** Takes these ticks off the lists. */
export function listingWithout(name: string, record: LockRecord, ticksMs: readonly number[]): TickListing {
  const kept = openTicksIn(record).filter((tick) => !ticksMs.includes(tick));
  return listing(name, record, kept);
}

/**
 * The new lists, split at the newest tick that is done. No run may hold the lock: it would overwrite the lists when it
 * ends.
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

/** Judges a listing by the record. `open`: it may write; `listed`: an earlier try of it was applied. */
export function judgeListing(listing: TickListing, item: Item = {}): 'open' | 'listed' | 'changed' {
  const { seen } = listing;
  const has = ({ openTicks, failedTicks }: TickListing['seen']) =>
    item['openTicks'] === openTicks && item['failedTicks'] === failedTicks;
  const isSame = hasEnded(item) && item['fencingToken'] === seen.fencingToken && item['doneTick'] === seen.doneTick;
  if (isSame && has(listing)) return 'listed';
  return isSame && has(seen) ? 'open' : 'changed';
}
