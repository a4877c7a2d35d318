import type { LockInfo } from '../admin/lock-admin.js';
import { isTaken, stateWithoutPause } from '../admin/lock-info.js';
import type { SkipReason } from '../core/public/outcome.js';
import { listOf } from '../core/record/open-ticks.js';
import { doneReason, passesHold } from '../core/record/refusal.js';
import { defined } from '../core/values/defined.js';
import { shortInstant, shortSpan, toTheSecond } from './times.js';

/** Whether a run would be skipped, and why, as an acquire would decide by the record and this host's clock. */
export interface Verdict {
  readonly name: string;
  readonly tick?: Date;
  /** `fails`: the record is corrupt, so the call fails. */
  readonly outcome: 'runs' | 'skipped' | 'fails';
  readonly reason?: SkipReason;
  /** The outcome and the remedy in words. */
  readonly sentence: string;
}

type Judged = Pick<Verdict, 'outcome' | 'sentence'> & { readonly reason?: SkipReason | undefined };

/**
 * @param lock undefined for a name that was never used
 * @param tick the tick of the run, if it has one
 */
export function verdictOf(name: string, lock: LockInfo | undefined, nowMs: number, tick?: Date): Verdict {
  const run = tick ? `The run of "${name}" for ${shortInstant(tick)}` : `A run of "${name}" now`;
  const { outcome, reason, sentence } = judge(lock, nowMs, tick);
  const done = !tick && outcome === 'runs' ? lock?.doneTick : undefined;
  const again = done ? ` A call for ${shortInstant(done)} would be skipped: that tick is done.` : '';
  return { name, ...defined({ tick, reason }), outcome, sentence: `${run} ${sentence}${again}` };
}

/** Judges in the order of docs/protocol.md, "Acquire". */
function judge(lock: LockInfo | undefined, nowMs: number, tick: Date | undefined): Judged {
  if (!lock) return runs('nothing is known of this name: check it, if the job has run before');
  if (lock.state === 'corrupt') {
    return { outcome: 'fails', sentence: `would fail: ${lock.problem}` };
  }
  return pausedBy(lock) ?? doneTick(lock, tick) ?? taken(lock, nowMs, tick) ?? runs(freeWords(lock));
}

const runs = (why: string): Judged => ({ outcome: 'runs', sentence: `would not be skipped: ${why}.` });

const skipped = (reason: SkipReason, why: string): Judged => ({
  outcome: 'skipped',
  reason,
  sentence: `would be skipped as ${reason}: ${why}.`,
});

function pausedBy({ paused, name }: LockInfo): Judged | undefined {
  if (!paused) return undefined;
  return skipped('paused', `${pauseWords(paused)}; end that with: single-execution resume ${shellWord(name)}`);
}

function doneTick({ doneTick: done, openTicks = [] }: LockInfo, tick: Date | undefined): Judged | undefined {
  if (!done || !tick) return undefined;
  const openMs = openTicks.map((open) => open.getTime());
  const reason = doneReason(
    { tickMs: tick.getTime(), markTickAtStart: false },
    { doneTick: done.getTime(), openTicks: listOf(openMs, openMs.length) },
  );
  if (reason !== 'stale-tick') return reason && skipped(reason, 'this tick is done');
  return skipped(
    reason,
    `the newer tick ${shortInstant(done)} is done, and this one is not listed as open; to run it all the same, list it with: single-execution backfill`,
  );
}

function taken(lock: LockInfo, nowMs: number, tick: Date | undefined): Judged | undefined {
  const { lockUntil } = lock;
  const until = lockUntil
    ? `until ${toTheSecond(lockUntil)}, for ${shortSpan(lockUntil.getTime() - nowMs)} from now`
    : 'for an unknown time';
  switch (stateWithoutPause(lock)) {
    case 'held':
      return skipped('locked', `${holderWords(lock, nowMs)}; its lease lasts ${until}${renewalWords(lock, nowMs)}`);
    case 'waiting':
      return tick && passes(lock, tick)
        ? runs(`lockAtLeastFor of the last run keeps the lock ${until}, but ${passWords(lock)}`)
        : skipped('lock-at-least-for', `the last run is over, and lockAtLeastFor keeps the lock ${until}`);
    default:
      return undefined;
  }
}

/** Whether a tick that is not done passes the `lockAtLeastFor` of the last run. */
function passes({ lastResult, lockedAt, doneTick: done, openTicks = [], ...lock }: LockInfo, tick: Date): boolean {
  const openMs = openTicks.map((open) => open.getTime());
  const record = defined({
    state: 'released' as const,
    result: lastResult,
    tick: lock.tick?.getTime(),
    lockedAt: lockedAt?.getTime(),
    doneTick: done?.getTime(),
    failedTicks: listOf(openMs, openMs.length),
  });
  return passesHold({ tickMs: tick.getTime(), markTickAtStart: false }, record);
}

const passWords = ({ tick }: LockInfo): string =>
  tick
    ? 'this tick passes: it is open, or was due when that run began'
    : 'that run had no tick, so it keeps out no call with a tick';

/**
 * When the run that has the lock last renewed its lease; undefined if it never did, or if the record does not show it: a
 * handler may also extend its lease by another time.
 */
export function lastRenewal(lock: LockInfo, nowMs: number): Date | undefined {
  const { lockedAt, lockUntil, leaseMs } = lock;
  if (!isTaken(lock) || !lockedAt || !lockUntil || leaseMs === undefined) return undefined;
  const renewedMs = lockUntil.getTime() - leaseMs;
  // A lease is renewed after a third of it. On DynamoDB a grant ends some seconds later than `leaseMs` after `lockedAt`.
  const isReported = renewedMs > lockedAt.getTime() + Math.max(1_000, leaseMs / 4) && renewedMs <= nowMs + 5_000;
  return isReported ? new Date(Math.min(renewedMs, nowMs)) : undefined;
}

/** Says that a lease is renewed again and again: a run that hangs keeps its lock, and no time of its lease ends that. */
function renewalWords(lock: LockInfo, nowMs: number): string {
  const renewed = lastRenewal(lock, nowMs);
  if (!renewed) return '';
  return `, unless it is renewed again: the last renewal was ${shortSpan(nowMs - renewed.getTime())} ago, so its process is alive`;
}

function freeWords(lock: LockInfo): string {
  switch (stateWithoutPause(lock)) {
    case 'expired':
      return `the lease of ${lock.lockedBy ?? 'the last holder'} is over, and this run takes the lock over`;
    case 'forced':
      return 'an operator has ended the last run, and the lock is free';
    case 'unused':
      return 'no run has used the lock yet';
    default:
      return 'the lock is free';
  }
}

/** Who has a lock, for how long, and its token. */
export function holderWords(lock: LockInfo, nowMs: number): string {
  const { lockedBy = 'somebody', lockedAt, fencingToken } = lock;
  const age = lockedAt ? ` for ${shortSpan(nowMs - lockedAt.getTime())}` : '';
  return `${lockedBy} has held the lock${age}${fencingToken === undefined ? '' : `, with token ${fencingToken}`}`;
}

/** Who paused a lock, and until when. */
export function pauseWords({ by, until }: NonNullable<LockInfo['paused']>): string {
  return `paused by ${by} ${isWithoutEnd(until) ? 'without an end' : `until ${toTheSecond(until)}`}`;
}

/** A pause without an end is stored as the last instant of a Date. */
function isWithoutEnd(until: Date): boolean {
  return until.getUTCFullYear() > 9_999;
}

/** A name, quoted for a shell if need be. */
export function shellWord(name: string): string {
  return /^[\w@%+=:,./-]+$/.test(name) ? name : `'${name.replaceAll("'", "'\\''")}'`;
}
