import { resolveSchedule } from '../core/options/policy.js';
import { MOST_RUNS } from '../core/record/run-ring.js';
import { checkKnown, describe } from '../core/values/checks.js';
import { systemClock } from '../core/values/clock.js';
import { msOfDate } from '../core/values/date.js';
import { type Duration, parseDuration } from '../core/values/duration.js';
import {
  askSchedule,
  dateOf,
  type Interval,
  isTimed,
  MOST_LISTED,
  type Schedule,
  ticksBetween,
} from '../core/values/tick.js';
import { readSchedule } from '../schedule/read-schedule.js';
import { isTaken, type LockInfo, stateWithoutPause } from './lock-info.js';

/** How old a tick must be by default before it can be overdue: 15 minutes. */
export const USUAL_GRACE: Duration = '15m';

/** How early a run without a tick can start for its tick: a host's clock, or its timer, may be early. */
const EARLY_MS = 5_000;

/** When a job counts as overdue. */
export interface OverdueOptions {
  /** When its ticks are due, or the time between two of its runs. @default the schedule in its record */
  readonly schedule?: Schedule | Duration;
  /** How old a tick must be before it can be overdue: the longest time that a run takes, and some more. @default '15m' */
  readonly grace?: Duration;
  /** When a job that has not succeeded yet became due to run: ticks up to this instant do not count. @default none */
  readonly since?: Date;
  /** @default the `readAt` of the lock, or else this host's clock */
  readonly now?: Date;
}

/**
 * Finds out whether a job has stopped. It is overdue when a tick of its schedule is older than `grace`, no tick at or
 * after it is done, no live lease has a tick at or after it, and its lock is not paused. If its calls carry no tick, the
 * last run that succeeded counts, and with a duration as schedule that run's instant plus the duration. A run by hand
 * does not count. A job that has not succeeded yet is overdue from the tick of its first run, and a job that never ran is
 * overdue at once.
 *
 * @example
 * ```ts
 * import { lockAdmin, overdueTick } from 'single-execution/admin';
 * import { dynamoDBAdminStore } from 'single-execution/dynamodb';
 * import { cron } from 'single-execution/schedule';
 *
 * const admin = lockAdmin(dynamoDBAdminStore({ tableName: 'locks' }));
 * const late = overdueTick(await admin.get('send-digest'), { schedule: cron('0 9 * * *') });
 * if (late) console.error(`send-digest has not run since ${late.toISOString()}`);
 * ```
 *
 * @param lock the job's lock; undefined for a job that never ran
 * @returns the oldest tick that is overdue. For a duration: the last success plus the duration, or the first run of all
 *   if none has succeeded. For a job that never ran: the newest tick that is older than `grace`, or for a duration `now`
 *   minus `grace`. Undefined when nothing is overdue
 * @throws TypeError if neither the options nor the record have a schedule; TypeError, RangeError for invalid options
 */
export function overdueTick(lock: LockInfo | undefined, options: OverdueOptions = {}): Date | undefined {
  checkKnown(options, ['schedule', 'grace', 'since', 'now'], 'overdueTick');
  const nowMs = instant(options.now, 'now') ?? readAt(lock).getTime();
  const lastMs = nowMs - parseDuration(options.grace ?? USUAL_GRACE, 'grace');
  const sinceMs = instant(options.since, 'since');
  const schedule = scheduleFor(lock, options.schedule);
  if (lock && isPaused(lock, nowMs)) return undefined;
  const seenMs = lock?.state === 'corrupt' ? undefined : ((lock && lastSeen(lock, schedule, nowMs)) ?? sinceMs);
  if (seenMs !== undefined) {
    const fromMs = seenMs + (isTimed(schedule) ? 1 : schedule.everyMs);
    return dateOf(dueFrom(schedule, fromMs, lastMs));
  }
  const first = lock && firstSeen(lock, schedule);
  if (first && (first.isKnown || first.ms <= lastMs)) return dateOf(dueFrom(schedule, first.ms, lastMs));
  return dateOf(isTimed(schedule) ? lastTick(schedule, lastMs) : lastMs);
}

/** Returns the first tick that is due from an instant on, up to another one. */
function dueFrom(schedule: Schedule | Interval, fromMs: number, lastMs: number): number | undefined {
  if (isTimed(schedule)) return ticksBetween(schedule, fromMs, lastMs + 1, 1)[0];
  return fromMs <= lastMs ? fromMs : undefined;
}

/** Returns when a lock was read: its `readAt`, or else the time of this host's clock. */
export function readAt(lock: LockInfo | undefined): Date {
  return lock?.readAt ?? dateOf(systemClock.now());
}

/** How many schedules of records are kept. A list of thousands of locks has few different ones. */
const MOST_KEPT = 1_000;
const kept = new Map<string, Schedule | Duration>();

/** Reads a text that a record has as its schedule, once. @throws TypeError, RangeError for any other text */
function scheduleOfText(text: string): Schedule | Duration {
  const known = kept.get(text);
  if (known !== undefined) return known;
  const schedule = readSchedule(text);
  if (kept.size >= MOST_KEPT) kept.clear();
  kept.set(text, schedule);
  return schedule;
}

/** Reads and checks the schedule of a lock. @throws TypeError, RangeError if the schedule is missing or invalid */
export function scheduleFor(
  lock: Pick<LockInfo, 'state' | 'schedule'> | undefined,
  given: OverdueOptions['schedule'],
): Schedule | Interval {
  // A job without a readable record is overdue, whatever its schedule.
  const isKnown = lock !== undefined && lock.state !== 'corrupt';
  const schedule = resolveSchedule(given ?? (isKnown ? lock.schedule && scheduleOfText(lock.schedule) : 1));
  if (schedule) return schedule;
  throw new TypeError(`the record has no schedule: set schedule, such as cron('0 9 * * *') or '1h'`);
}

/**
 * Returns the newest instant for which the job has done its work, or is at work: the tick that is done, or the tick of a
 * live lease. Where calls carry no tick, the start of the run counts. A run by hand never counts.
 */
function lastSeen(lock: LockInfo, schedule: Schedule | Interval, nowMs: number): number | undefined {
  const { doneTick, lockedAt, tick, isManual } = lock;
  const success = lock.runs.find(({ status, isManual }) => status === 'succeeded' && !isManual);
  const isLive = isHeld(lock, nowMs);
  const hasTicks = isTimed(schedule) && doneTick !== undefined;
  const starts = hasTicks ? [] : [success?.lockedAt ?? doneTick, isLive && !tick && !isManual ? lockedAt : undefined];
  const seen = [
    hasTicks ? doneTick.getTime() : undefined,
    isLive ? tick?.getTime() : undefined,
    ...starts.map((start) => start && tickOfStart(schedule, start.getTime())),
  ].filter((ms) => ms !== undefined);
  return seen.length === 0 ? undefined : Math.max(...seen);
}

/**
 * Returns the oldest instant for which the record of a job that has never succeeded shows a run: the tick of the run, or
 * else its start. A run by hand never counts.
 *
 * @returns `isKnown`: whether that was the first run ever. Its tick stays listed until a hundred newer ones are open; a
 *   run without a tick is forgotten after ten others, or if it crashed and the next one did, too
 */
function firstSeen(lock: LockInfo, schedule: Schedule | Interval): { ms: number; isKnown: boolean } | undefined {
  const { openTicks = [], lockedAt, tick, runs } = lock;
  const died = isTaken(lock) && !lock.isManual ? [{ tick, lockedAt }] : [];
  const begunMs = [...runs.filter(({ isManual }) => !isManual), ...died].flatMap((run) => {
    if (run.tick) return run.tick.getTime();
    return run.lockedAt ? tickBefore(schedule, run.lockedAt.getTime()) : [];
  });
  const seenMs = [...openTicks.map((open) => open.getTime()), ...begunMs];
  if (seenMs.length === 0) return undefined;
  const areAllRuns = runs.length > 0 ? runs.length < MOST_RUNS : tick !== undefined;
  return { ms: Math.min(...seenMs), isKnown: openTicks.length > 0 ? openTicks.length < MOST_LISTED : areAllRuns };
}

/** Returns the tick for which a run without a tick began: the newest one, or the next one if it began a little early. */
function tickBefore(schedule: Schedule | Interval, startMs: number): number {
  const ms = tickOfStart(schedule, startMs);
  return isTimed(schedule) ? (lastTick(schedule, ms) ?? ms) : ms;
}

/** Whether a pause is in force at an instant, which may be later than the reading of the lock. */
function isPaused({ state, paused }: LockInfo, nowMs: number): boolean {
  return state === 'paused' && (paused === undefined || paused.until.getTime() > nowMs);
}

/** Whether a run has the lock at an instant, which may be later than the reading of the lock. */
function isHeld(lock: LockInfo, nowMs: number): boolean {
  const { lockUntil } = lock;
  return lockUntil ? isTaken(lock) && lockUntil.getTime() > nowMs : stateWithoutPause(lock) === 'held';
}

/** Returns the tick that a run without a tick was for: it can start a little early. */
function tickOfStart(schedule: Schedule | Interval, startMs: number): number {
  if (!isTimed(schedule)) return startMs;
  const next = askSchedule(schedule, 'next', startMs);
  return typeof next === 'number' && next - startMs <= EARLY_MS ? next : startMs;
}

/** Returns the newest tick up to an instant that is not optional. */
function lastTick(schedule: Schedule, atMs: number): number | undefined {
  for (let lastMs: unknown = atMs; ; lastMs = Number(lastMs) - 1) {
    lastMs = askSchedule(schedule, 'previous', Number(lastMs));
    if (typeof lastMs !== 'number') return undefined;
    if (askSchedule(schedule, 'isOptional', lastMs) !== true) return lastMs;
  }
}

/** @throws TypeError, RangeError for another value than a valid Date or undefined */
export function instant(value: Date | undefined, option: string): number | undefined {
  if (value === undefined) return undefined;
  const ms = msOfDate(value);
  if (ms !== undefined && !Number.isNaN(ms)) return ms;
  throw new TypeError(`${option} is ${describe(value)}: pass a valid Date`);
}
