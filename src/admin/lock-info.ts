import type { StoredLock } from '../core/ports/lock-admin-store.js';
import type { CorruptLockError } from '../core/public/errors.js';
import { isToken, type LockRecord, readRecord } from '../core/record/lock-record.js';
import { openTicksIn } from '../core/record/open-ticks.js';
import { isGivenBack } from '../core/record/refusal.js';
import { type RingRun, runsOf } from '../core/record/run-ring.js';
import { defined } from '../core/values/defined.js';
import { isByHand } from '../core/values/names.js';
import { dateOf } from '../core/values/tick.js';

/**
 * A lock as operators see it. On DynamoDB, `lockedAt`, `lockUntil` and `lastReleasedAt` are from the clocks of the
 * hosts that wrote them; on other stores, from the store's clock.
 */
export interface LockInfo {
  /** The lock, without the prefix of the store. */
  readonly name: string;
  /**
   * `paused`: an operator's pause is in force, see `paused`; `held`: a run has it; `expired`: its holder died or
   * overran, and the next run takes over; `waiting`: released, and kept for `lockAtLeastFor`, though not from
   * ticks that pass this time, such as open ones; `free`: released; `forced`: ended by an operator; `unused`: no run
   * yet; `corrupt`: see `problem`. Judged by `readAt`, or else by this host's clock.
   */
  readonly state: 'paused' | 'held' | 'expired' | 'waiting' | 'free' | 'forced' | 'unused' | 'corrupt';
  /** While paused: what `state` would be without the pause. */
  readonly underlyingState?: Exclude<LockInfo['state'], 'paused' | 'corrupt'>;
  /** Token of the latest grant; absent if there was none. */
  readonly fencingToken?: number;
  /** Who has the lock or had it last: function and request, or process and host. */
  readonly lockedBy?: string;
  /** When the latest lease began. */
  readonly lockedAt?: Date;
  /** When the latest lease ends or ended; after its release, when `lockAtLeastFor` ends. */
  readonly lockUntil?: Date;
  /** The lease of the latest grant, before any extension. */
  readonly leaseMs?: number;
  /** Tick of the latest grant. */
  readonly tick?: Date;
  /** True if the latest grant is a run by hand, which has no tick; absent once an operator has ended it. */
  readonly isManual?: true;
  /** Highest tick done. */
  readonly doneTick?: Date;
  /**
   * Open ticks, oldest first: they failed, crashed, were ended by force, were missed, or were listed by `backfill`, and
   * are still not done. A call for one of them runs. Absent if all are done.
   */
  readonly openTicks?: readonly Date[];
  /** The schedule of the job, as its last call with a tick had it: `0 9 * * * in Europe/Berlin`, or `15m`. */
  readonly schedule?: string;
  /** When the record was read, by the store's own clock; absent if the store does not report its time. */
  readonly readAt?: Date;
  /** While paused: until when, and by whom. */
  readonly paused?: {
    /** When the pause ends by itself. */
    readonly until: Date;
    /** Who paused. */
    readonly by: string;
  };
  /** Result of the last run that released the lock. A later run may have crashed, or was ended by force: see `runs`. */
  readonly lastResult?: 'succeeded' | 'failed';
  /** When that run released the lock. */
  readonly lastReleasedAt?: Date;
  /** Name of the error of that run, if it failed. */
  readonly lastError?: string;
  /** How many runs since the last success failed, crashed or were ended by force, up to ten. */
  readonly failuresInARow: number;
  /** The last ten runs, newest first. */
  readonly runs: readonly RunInfo[];
  /** The problem of a corrupt record, and the remedy. */
  readonly problem?: string;
}

/** One run of a lock's history. */
export interface RunInfo {
  /** How it ended. `crashed`: its lease ran out, and nobody released it; `forced`: an operator ended it. */
  readonly status: 'succeeded' | 'failed' | 'crashed' | 'forced';
  /** The scheduled time of the run. */
  readonly tick?: Date;
  /** True for a run by hand, which has no tick. */
  readonly isManual?: true;
  /** When its lease began. */
  readonly lockedAt: Date;
  /**
   * How long the run lasted, in milliseconds. Up to the force release, if it was ended by force; absent if it crashed.
   */
  readonly durationMs?: number;
  /** Its fencing token. */
  readonly fencingToken: number;
  /** How many older ticks it caught up with; absent if none. */
  readonly caughtUp?: number;
}

/** @throws CorruptLockError naming the attribute */
export function lockInfo({ name, item, readMs }: StoredLock, hostMs: number): LockInfo {
  const record = readRecord(name, item);
  const nowMs = readMs ?? hostMs;
  const { fencingToken, lockedBy, pausedUntil = 0, pausedBy = 'unknown', result, error } = record;
  const runs = runsOf(record).map(runInfo);
  const openTicks = openTicksIn(record).map((tick) => new Date(tick));
  const state = stateOf(record, nowMs);
  const isPaused = pausedUntil > nowMs;
  const sinceSuccess = runs.findIndex(({ status }) => status === 'succeeded');
  return {
    name,
    state: isPaused ? 'paused' : state,
    ...defined({
      underlyingState: isPaused ? state : undefined,
      fencingToken,
      lockedBy,
      lockedAt: dateOf(record.lockedAt),
      lockUntil: dateOf(record.lockUntil),
      leaseMs: record.leaseMs,
      openTicks: openTicks.length > 0 ? openTicks : undefined,
      tick: dateOf(record.tick),
      isManual: record.tick === undefined ? isByHand(record.attemptId) : undefined,
      doneTick: dateOf(record.doneTick),
      schedule: record.schedule,
      readAt: dateOf(readMs),
      paused: isPaused ? { until: dateOf(pausedUntil), by: pausedBy } : undefined,
      lastResult: result,
      lastReleasedAt: dateOf(record.releasedAt),
      lastError: result === 'failed' ? error : undefined,
    }),
    failuresInARow: sinceSuccess === -1 ? runs.length : sinceSuccess,
    runs,
  };
}

/** The state of a lock without its pause. */
export function stateWithoutPause({ state, underlyingState }: LockState): LockInfo['state'] {
  return underlyingState ?? state;
}

/** Whether a run has the lock, or died while it had it. */
export function isTaken(lock: LockState): boolean {
  return ['held', 'expired'].includes(stateWithoutPause(lock));
}

type LockState = Pick<LockInfo, 'state' | 'underlyingState'>;

export function corruptLock({ name, item, readMs }: StoredLock, error: CorruptLockError): LockInfo {
  const { fencingToken } = item as LockRecord;
  return {
    name,
    state: 'corrupt',
    ...defined({ fencingToken: isToken(fencingToken) ? fencingToken : undefined, readAt: dateOf(readMs) }),
    failuresInARow: 0,
    runs: [],
    problem: error.message,
  };
}

function stateOf(record: LockRecord, nowMs: number): NonNullable<LockInfo['underlyingState']> {
  const { state, lockUntil = 0 } = record;
  if (state === undefined || state === 'deleted') return 'unused';
  if (state === 'forced') return 'forced';
  if (state === 'held') return lockUntil > nowMs ? 'held' : 'expired';
  return lockUntil > nowMs && !isGivenBack(record) ? 'waiting' : 'free';
}

function runInfo({ status, tickMs, isManual, lockedAtMs, durationMs, fencingToken, caughtUp }: RingRun): RunInfo {
  return {
    status,
    lockedAt: dateOf(lockedAtMs),
    fencingToken,
    ...defined({ tick: dateOf(tickMs), isManual, durationMs, caughtUp }),
  };
}
