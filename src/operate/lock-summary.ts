import type { LockInfo } from '../admin/lock-admin.js';
import { defined } from '../core/values/defined.js';

/** One lock on one line. Spans in milliseconds, instants as the holders wrote them. */
export interface LockSummary {
  readonly name: string;
  readonly state: LockInfo['state'];
  /** While paused: what `state` would be without the pause. */
  readonly underlyingState?: NonNullable<LockInfo['underlyingState']>;
  /** Who has the lock now, or had it when it died. */
  readonly holder?: string;
  /** How long ago it was taken. */
  readonly ageMs?: number;
  /** Until others may take it; 0 where that time is over. */
  readonly leftMs?: number;
  readonly lastResult?: 'succeeded' | 'failed' | 'crashed';
  /** That of the run that has the lock, or had it last. */
  readonly lastTick?: Date;
  /** Ticks that are not done, oldest first. */
  readonly openTicks: readonly Date[];
  /** Those of them that none of the last ten runs was for: they never came, or an operator has listed them. */
  readonly missedTicks: readonly Date[];
  readonly failuresInARow: number;
}

const TAKEN: readonly LockInfo['state'][] = ['held', 'expired'];

/** The state of a lock apart from a pause. */
export function stateWithoutPause(lock: LockInfo): LockInfo['state'] {
  return lock.underlyingState ?? lock.state;
}

export function lockSummary(lock: LockInfo, nowMs: number): LockSummary {
  const { name, state, underlyingState, lockedBy, lockedAt, lockUntil, openTicks = [], failuresInARow } = lock;
  const bare = stateWithoutPause(lock);
  const isTaken = TAKEN.includes(bare);
  const leftMs = lockUntil && Math.max(0, lockUntil.getTime() - nowMs);
  return {
    name,
    state,
    ...defined({
      underlyingState,
      holder: isTaken ? lockedBy : undefined,
      ageMs: isTaken && lockedAt ? Math.max(0, nowMs - lockedAt.getTime()) : undefined,
      leftMs: isTaken || bare === 'waiting' ? leftMs : undefined,
      lastResult: lastResultOf(lock),
      lastTick: lock.tick ?? lock.doneTick,
    }),
    openTicks,
    missedTicks: missedTicksOf(lock),
    failuresInARow,
  };
}

/** The open ticks that no run of the history was for, nor the run that has the lock now. */
export function missedTicksOf({ openTicks = [], runs, tick }: LockInfo): readonly Date[] {
  const begun = new Set([tick, ...runs.map((run) => run.tick)].map((at) => at?.getTime()));
  return openTicks.filter((at) => !begun.has(at.getTime()));
}

/** How the last run ended that is over; a crash is known once the next run has begun. */
function lastResultOf({ lastResult, runs }: LockInfo): LockSummary['lastResult'] {
  return runs[0]?.status ?? lastResult;
}

/** Whether nothing was heard of a lock for so long: a candidate for a delete. One that a run has is not idle. */
export function isIdle(lock: LockInfo, nowMs: number, idleMs: number): boolean {
  if (stateWithoutPause(lock) === 'held') return false;
  const heardMs = [lock.lockedAt, lock.lastReleasedAt, lock.lockUntil].map((at) => at?.getTime() ?? 0);
  return nowMs - Math.max(...heardMs) >= idleMs;
}
