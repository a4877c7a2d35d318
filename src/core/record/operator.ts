import type { DeleteResult, Deletion, ForceRelease, ResumeResult, TickListing } from '../ports/lock-admin-store.js';
import { defined } from '../values/defined.js';
import { MOST_LISTED } from '../values/tick.js';
import { checkAttribute, type Item, isInstant, isText, type LockRecord, RECORD_VERSION } from './lock-record.js';
import { listOf, openTicksIn } from './open-ticks.js';
import { runsOf } from './run-ring.js';

/*
 * What the verbs of operators find in a record, and make of it, the same in every store (docs/protocol.md, "Force
 * release, pause, resume", "Delete", "Backfill and forget").
 */

/** Judges a force release. `open`: it may write; `forced`: an earlier try of it was applied. */
export function judgeForce({ adminId, fencingToken }: ForceRelease, item: Item = {}): 'open' | 'forced' | 'changed' {
  if (item['attemptId'] === adminId) return 'forced';
  return item['state'] === 'held' && item['fencingToken'] === fencingToken ? 'open' : 'changed';
}

/** What a resume at `nowMs` comes to. It removes the pause of every lock that is not unknown, also one that is over. */
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
 * What a delete leaves of a record, so that fencing tokens rise on. `lockUntil` fences off acquires that were sent before the delete, and those of the last
 * run, whose clock may have been ahead. Nothing corrupt is kept, so that what is left can be read.
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

/** Whether a record is what a delete has left, and no operator has paused the lock since. */
export function isDeleted({ state, pausedUntil }: Item): boolean {
  return state === 'deleted' && pausedUntil === undefined;
}

/**
 * Judges a delete by the record that it finds; `open`: it may write. A delete corrects a corrupt record, except for the
 * two attributes that it is judged by.
 *
 * @param isOver whether a `lockUntil` is over by the best clock there is
 * @throws CorruptLockError for a corrupt fencing token, and for a corrupt `lockUntil` of a lock that is held
 */
export function judgeDeletion(
  { name, adminId, fencingToken }: Deletion,
  item: Item | undefined,
  isOver: (lockUntil: number) => boolean,
): DeleteResult | 'open' {
  if (item === undefined) return 'unknown';
  // This very delete: an earlier try was applied.
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
 * The ticks among these that a record does not know as done. It knows the newest one, and the own ones of the last ten
 * runs, but not those that a run has caught up with.
 */
export function notKnownAsDone(record: LockRecord, ticksMs: readonly number[]): number[] {
  const done = new Set([record.doneTick]);
  for (const { status, tickMs } of runsOf(record)) if (status === 'succeeded') done.add(tickMs);
  return ticksMs.filter((tick) => !done.has(tick));
}

/** Lists these ticks besides. The older ones are open from then on, and the newer ones once a newer one is done. */
export function listingWith(name: string, record: LockRecord, ticksMs: readonly number[]): TickListing {
  return listing(name, record, [...openTicksIn(record), ...ticksMs]);
}

/** Takes these ticks off the lists. */
export function listingWithout(name: string, record: LockRecord, ticksMs: readonly number[]): TickListing {
  const kept = openTicksIn(record).filter((tick) => !ticksMs.includes(tick));
  return listing(name, record, kept);
}

/**
 * All that is listed from then on, parted at the newest tick that is done. A listing is for a lock that no run holds: a
 * run that holds it writes the lists anew when it ends.
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

/** Whether a lock has run, and is held by nobody. */
export function hasEnded({ state }: Item): boolean {
  return state === 'released' || state === 'forced';
}

/** Judges a listing by the record that it finds. `open`: it may write; `listed`: an earlier try of it was applied. */
export function judgeListing(listing: TickListing, item: Item = {}): 'open' | 'listed' | 'changed' {
  const { seen } = listing;
  const has = ({ openTicks, failedTicks }: TickListing['seen']) =>
    item['openTicks'] === openTicks && item['failedTicks'] === failedTicks;
  const isSame = hasEnded(item) && item['fencingToken'] === seen.fencingToken && item['doneTick'] === seen.doneTick;
  if (isSame && has(listing)) return 'listed';
  return isSame && has(seen) ? 'open' : 'changed';
}
