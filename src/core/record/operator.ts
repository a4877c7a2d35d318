import type { ForceRelease, ResumeResult } from '../ports/lock-admin-store.js';
import { isDeleted } from './deletion.js';
import type { Item, LockRecord } from './lock-record.js';

/* What an operator's force release and resume find in a record (docs/protocol.md, "Force release, pause, resume"). */

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
