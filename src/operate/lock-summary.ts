import type { LockInfo, RunInfo } from '../admin/lock-admin.js';
import { isTaken, stateWithoutPause } from '../admin/lock-info.js';
import { failedWords } from '../core/public/errors.js';
import { MOST_RUNS } from '../core/record/run-ring.js';
import { defined } from '../core/values/defined.js';
import { prefixProblem } from '../core/values/names.js';
import { causeWords, isLeftOut } from '../core/values/thrown.js';
import type { DueTicks } from './due-ticks.js';
import { shortInstant, shortSpan, tickWords, toTheSecond } from './times.js';
import { lastRenewal, pauseWords } from './verdict.js';

export { causeWords, failedWords, isLeftOut, isTaken, prefixProblem, stateWithoutPause };

/** A lock's summary for one line. Durations in milliseconds. */
export interface LockSummary {
  readonly name: string;
  readonly state: LockInfo['state'];
  /** While paused: what `state` would be without the pause. */
  readonly underlyingState?: NonNullable<LockInfo['underlyingState']>;
  /** Who has the lock now, or had it when it died. */
  readonly holder?: string;
  /** The tick of the holder's run. */
  readonly tick?: Date;
  /** Whether the holder's run is one by hand. */
  readonly isManual?: true;
  /** How long ago the lock was taken. */
  readonly ageMs?: number;
  /** Time until others may take the lock; 0 if they may now. */
  readonly leftMs?: number;
  /** Result of the last run that has ended. */
  readonly lastResult?: RunInfo['status'];
  /** The tick of the last run that has ended. */
  readonly lastTick?: Date;
  /** Whether the last run that has ended was one by hand. */
  readonly isLastManual?: true;
  /** Ticks that are not done, oldest first. */
  readonly openTicks: readonly Date[];
  /**
   * Open ticks that were due during the last ten runs and had no run of their own. Their calls never came, or
   * were skipped, for example while the lock was paused: the record keeps neither.
   */
  readonly missedTicks: readonly Date[];
  readonly failuresInARow: number;
  readonly due: DueTicks;
}

export function lockSummary(lock: LockInfo & DueTicks, nowMs: number): LockSummary {
  const { name, state, underlyingState, lockedBy, lockedAt, lockUntil, openTicks = [], failuresInARow } = lock;
  const [last] = lock.runs;
  const taken = isTaken(lock);
  const leftMs = lockUntil && Math.max(0, lockUntil.getTime() - nowMs);
  return {
    name,
    state,
    ...defined({
      underlyingState,
      holder: taken ? lockedBy : undefined,
      tick: taken ? lock.tick : undefined,
      isManual: taken ? lock.isManual : undefined,
      ageMs: taken && lockedAt ? Math.max(0, nowMs - lockedAt.getTime()) : undefined,
      leftMs: taken || stateWithoutPause(lock) === 'waiting' ? leftMs : undefined,
      lastResult: last?.status,
      lastTick: last?.tick,
      isLastManual: last?.isManual,
    }),
    openTicks,
    missedTicks: missedTicksOf(lock),
    failuresInARow,
    due: lock,
  };
}

/**
 * The open ticks that had no run, by the history and the run that has the lock now. Leaves out ticks older than a
 * full history: a run may have been for them.
 */
export function missedTicksOf({ openTicks = [], runs, tick }: LockInfo): readonly Date[] {
  const begun = new Set([tick, ...runs.map((run) => run.tick)].map((at) => at?.getTime()));
  const since = runs.length < MOST_RUNS ? Number.NEGATIVE_INFINITY : Number(runs.at(-1)?.lockedAt);
  return openTicks.filter((at) => at.getTime() > since && !begun.has(at.getTime()));
}

/** How many open ticks a record keeps, once a tick was done; and how many at most. Older ones are given up. */
const KEPT_TICKS = 8;
const MOST_TICKS = 100;

/** Whether ticks that are not done may be missing in this list, because it is full. */
export const mayLackTicks = ({ openTicks = [] }: Pick<LockInfo, 'openTicks'>): boolean =>
  openTicks.length === KEPT_TICKS || openTicks.length >= MOST_TICKS;

/** The number of open ticks, or of the missed ones; with a plus if there may have been more than a record keeps. */
export const openCount = (lock: Pick<LockInfo, 'openTicks'>): string => counted(lock, lock.openTicks);
export const missedCount = (lock: Pick<LockSummary, 'openTicks' | 'missedTicks'>): string =>
  counted(lock, lock.missedTicks);

const counted = (lock: Pick<LockInfo, 'openTicks'>, ticks: readonly Date[] = []) =>
  `${ticks.length}${mayLackTicks(lock) ? '+' : ''}`;

/** Whether a lock was not used for `idleMs`: a candidate for a delete. A lock that a run has is not idle. */
export function isIdle(lock: LockInfo, nowMs: number, idleMs: number): boolean {
  if (stateWithoutPause(lock) === 'held') return false;
  const heardMs = [lock.lockedAt, lock.lastReleasedAt, lock.lockUntil].map((at) => at?.getTime() ?? 0);
  return nowMs - Math.max(...heardMs) >= idleMs;
}

/** The facts of one lock, each a label and its words, in the order in which an operator asks. */
export function lockFacts(
  lock: LockInfo & DueTicks,
  nowMs: number,
): readonly (readonly [label: string, words: string])[] {
  const [last] = lock.runs;
  const facts: readonly [string, string | undefined][] = [
    ['name', lock.name],
    ['state', stateWords(lock)],
    ['pause', lock.paused && pauseWords(lock.paused)],
    ['problem', lock.problem ?? lock.scheduleProblem],
    ['overdue', lock.overdueTick && overdueWords(lock.overdueTick, nowMs)],
    ...holderFacts(lock, nowMs),
    ['fencing token', lock.fencingToken?.toString()],
    ['last result', last && resultWords(last, nowMs)],
    ['last error', last?.status === 'failed' ? lock.lastError : undefined],
    ['schedule', lock.schedule],
    ['next tick', lock.nextTick && shortInstant(lock.nextTick)],
    ['newest tick done', lock.doneTick && shortInstant(lock.doneTick)],
    ['open ticks', openWords(lock)],
    ['of them missed', missedWords(missedTicksOf(lock))],
    ['failures in a row', lock.failuresInARow > 0 ? String(lock.failuresInARow) : undefined],
  ];
  return facts.filter((fact): fact is [string, string] => fact[1] !== undefined);
}

/** The oldest overdue tick, and for how long it has been due. */
export const overdueWords = (tick: Date, nowMs: number): string =>
  `${shortInstant(tick)}, for ${shortSpan(nowMs - tick.getTime())}`;

/** The state in words; while paused, the state without the pause follows in parentheses. */
export function stateWords({ state, underlyingState }: Pick<LockInfo, 'state' | 'underlyingState'>): string {
  return underlyingState ? `${state} (${underlyingState})` : state;
}

function holderFacts(lock: LockInfo, nowMs: number): [string, string | undefined][] {
  const { lockedBy, lockedAt, lockUntil } = lock;
  const taken = isTaken(lock);
  const isKept = taken || stateWithoutPause(lock) === 'waiting';
  const renewed = lastRenewal(lock, nowMs);
  return [
    [taken ? 'holder' : 'last holder', lockedBy],
    [taken ? 'tick' : 'last tick', tickWords(lock)],
    ['locked at', lockedAt && `${toTheSecond(lockedAt)}, ${shortSpan(nowMs - lockedAt.getTime())} ago`],
    ['locked until', isKept && lockUntil ? untilWords(lockUntil, nowMs) : undefined],
    ['last renewed', renewed && `${toTheSecond(renewed)}, ${shortSpan(nowMs - renewed.getTime())} ago`],
  ];
}

function untilWords(until: Date, nowMs: number): string {
  const leftMs = until.getTime() - nowMs;
  return `${toTheSecond(until)}, ${leftMs > 0 ? `${shortSpan(leftMs)} from now` : `${shortSpan(-leftMs)} ago`}`;
}

/** How and when a run ended, and which run it was. */
function resultWords({ status, lockedAt, durationMs, fencingToken, ...of }: RunInfo, nowMs: number): string {
  const run = of.tick ? `tick ${shortInstant(of.tick)}` : `${of.isManual ? 'by hand, ' : ''}token ${fencingToken}`;
  const end = new Date(lockedAt.getTime() + (durationMs ?? Number.NaN));
  // A row that somebody else wrote may contain any duration.
  if (Number.isNaN(end.getTime())) return `${status} (${run})`;
  return `${status} at ${toTheSecond(end)}, ${shortSpan(nowMs - end.getTime())} ago (${run})`;
}

function openWords(lock: LockInfo): string | undefined {
  const { openTicks = [] } = lock;
  const words = ticksWords(openTicks);
  return mayLackTicks(lock) ? `${words}; ${fullListWords(openTicks)}` : words;
}

/** Says that a full list may lack ticks. */
export const fullListWords = ({ length }: readonly Date[]): string =>
  `the record keeps the newest ${length}: older ones may be forgotten`;

/** The record keeps no skip, and no pause that is over. So nothing says why a tick had no run. */
function missedWords(ticks: readonly Date[]): string | undefined {
  const words = ticksWords(ticks);
  return words && `${words}; without a run: no call came, or it was skipped, as while the lock was paused or held`;
}

function ticksWords(ticks: readonly Date[]): string | undefined {
  return ticks.length === 0 ? undefined : ticks.map(shortInstant).join(', ');
}
