import { resolveSchedule } from '../core/options/policy.js';
import { checkKnown, describe } from '../core/values/checks.js';
import { systemClock } from '../core/values/clock.js';
import { msOfDate } from '../core/values/date.js';
import { type Duration, parseDuration } from '../core/values/duration.js';
import { askSchedule, dateOf, type Interval, isTimed, type Schedule, ticksBetween } from '../core/values/tick.js';
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
  /** When a job that never ran became due to run: ticks up to this instant do not count. @default none */
  readonly since?: Date;
  /** @default the `readAt` of the lock, or else this host's clock */
  readonly now?: Date;
}

/**
 * Finds out whether a job has stopped. It is overdue when a tick of its schedule is older than `grace`, no tick at or
 * after it is done, no live lease has a tick at or after it, and its lock is not paused. If its calls carry no tick, the
 * last run that succeeded counts, and with a duration as schedule that run's instant plus the duration. A run by hand
 * does not count. A job that never ran is overdue, too.
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
 * @returns the oldest tick that is overdue. For a duration: the last success plus the duration, or `now` minus `grace`
 *   for a job that never ran. Undefined when nothing is overdue
 * @throws TypeError if neither the options nor the record have a schedule; TypeError, RangeError for invalid options
 */
export function overdueTick(lock: LockInfo | undefined, options: OverdueOptions = {}): Date | undefined {
  checkKnown(options, ['schedule', 'grace', 'since', 'now'], 'overdueTick');
  const nowMs = instant(options.now, 'now') ?? readAt(lock).getTime();
  const lastMs = nowMs - parseDuration(options.grace ?? USUAL_GRACE, 'grace');
  const sinceMs = instant(options.since, 'since');
  const schedule = scheduleFor(lock, options.schedule);
  if (lock && isPaused(lock, nowMs)) return undefined;
  const fromMs = lock?.state === 'corrupt' ? undefined : ((lock && lastSeen(lock, schedule, nowMs)) ?? sinceMs);
  if (!isTimed(schedule)) {
    const dueMs = fromMs === undefined ? lastMs : fromMs + schedule.everyMs;
    return dateOf(dueMs <= lastMs ? dueMs : undefined);
  }
  return dateOf(
    fromMs === undefined ? lastTick(schedule, lastMs) : ticksBetween(schedule, fromMs + 1, lastMs + 1, 1)[0],
  );
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
