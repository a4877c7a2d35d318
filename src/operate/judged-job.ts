import { healthOf } from '../admin/job-health.js';
import type { LockInfo, RunInfo } from '../admin/lock-admin.js';
import { readAt, scheduleFor } from '../admin/overdue.js';
import { defined } from '../core/values/defined.js';
import { type Interval, isTimed, type Schedule, ticksBetween } from '../core/values/tick.js';
import { withDueTicks } from './due-ticks.js';
import { stateWithoutPause } from './lock-summary.js';
import { type Job, longestMs, type Overrun, overrunNow, TROUBLES, type Trouble } from './troubles.js';

/** How many times longer than the longest run before it a run is before it has the lock too long. */
const FAR_LONGER = 3;

/** Judges a lock by its record, at the instant at which it was read. */
export function judgedJob(lock: LockInfo): Job {
  const due = withDueTicks(lock);
  const nowMs = readAt(lock).getTime();
  const overruns = overrunsOf(lock, nowMs);
  const job: Job = {
    ...due,
    ...defined({ overruns: overruns.length > 0 ? overruns : undefined, pausedTick: pausedTickOf(lock) }),
  };
  const troubles = TROUBLES.filter((trouble) => HAS[trouble](job, nowMs));
  return troubles.length > 0 ? { ...job, troubles } : job;
}

const HAS: Readonly<Record<Trouble, (job: Job, nowMs: number) => boolean>> = {
  corrupt: ({ state }) => state === 'corrupt',
  overdue: ({ overdueTick, scheduleProblem }) => (overdueTick ?? scheduleProblem) !== undefined,
  expired: (job) => stateWithoutPause(job) === 'expired',
  'too-long': (job, nowMs) =>
    stateWithoutPause(job) === 'held' && (overrunNow(job) !== undefined || isFarLonger(job, nowMs)),
  failing: ({ runs, failuresInARow }) => runs.slice(0, failuresInARow).some(({ status }) => status !== 'forced'),
  'long-pause': ({ pausedTick }) => pausedTick !== undefined,
  open: ({ openTicks = [] }) => openTicks.length > 0,
};

/** Whether a run has the lock far longer than any before it. One that is within its first lease is not suspicious. */
function isFarLonger({ lockedAt, leaseMs = 0, ...lock }: LockInfo, nowMs: number): boolean {
  const longest = longestMs(lock);
  return (
    lockedAt !== undefined &&
    longest !== undefined &&
    nowMs - lockedAt.getTime() > Math.max(leaseMs, longest * FAR_LONGER)
  );
}

function pausedTickOf(lock: LockInfo): Date | undefined {
  const { state, underlyingState, schedule } = lock;
  if (state !== 'paused' || schedule === undefined) return undefined;
  return healthOf(lock.name, { ...lock, state: underlyingState ?? 'free' }).overdueTick;
}

function overrunsOf(lock: LockInfo, nowMs: number): Overrun[] {
  const { lockedAt, tick, fencingToken, runs } = lock;
  const schedule = scheduleIn(lock);
  if (!schedule) return [];
  const isHeld = stateWithoutPause(lock) === 'held' && lockedAt !== undefined && fencingToken !== undefined;
  const current = isHeld
    ? [{ lockedAt, fencingToken, durationMs: nowMs - lockedAt.getTime(), ...defined({ tick }) }]
    : [];
  return [...current, ...runs].flatMap((run) => {
    const next = tickDuring(schedule, run);
    return next === undefined ? [] : [{ fencingToken: run.fencingToken, tick: new Date(next) }];
  });
}

/** The schedule in a record, if it can be read. */
function scheduleIn(lock: LockInfo): Schedule | Interval | undefined {
  if (lock.schedule === undefined) return undefined;
  try {
    return scheduleFor(lock, undefined);
  } catch {
    // `scheduleProblem` reports it.
    return undefined;
  }
}

/** The first tick that came during a run, after its own; undefined if none did, or if nobody knows how long it went on. */
function tickDuring(
  schedule: Schedule | Interval,
  { lockedAt, tick = lockedAt, durationMs }: Pick<RunInfo, 'lockedAt' | 'tick' | 'durationMs'>,
): number | undefined {
  const fromMs = lockedAt.getTime();
  const toMs = fromMs + (durationMs ?? Number.NaN);
  if (![fromMs, toMs, tick.getTime()].every(isPossible)) return undefined;
  const next = isTimed(schedule)
    ? firstTick(schedule, { fromMs, toMs, tickMs: tick.getTime() })
    : fromMs + schedule.everyMs;
  return next !== undefined && next < toMs ? next : undefined;
}

function firstTick(
  schedule: Schedule,
  run: Readonly<Record<'fromMs' | 'toMs' | 'tickMs', number>>,
): number | undefined {
  // The call for a tick may come a little early.
  const next = tickAfter(schedule, run.tickMs);
  // A run can also be for an older tick, and then others came before it began.
  return next > run.fromMs ? next : ticksBetween(schedule, run.fromMs + 1, run.toMs, 1)[0];
}

/** How many ticks of a schedule are kept. Thousands of locks have few schedules, and runs for the same ticks. */
const MOST_KEPT = 1_000;
const kept = new WeakMap<Schedule, Map<number, number>>();

/** The tick after another one; `Infinity` if none follows within a year. */
function tickAfter(schedule: Schedule, tickMs: number): number {
  const known = kept.get(schedule) ?? new Map<number, number>();
  kept.set(schedule, known);
  const before = known.get(tickMs);
  if (before !== undefined) return before;
  const next = ticksBetween(schedule, tickMs + 1, tickMs + YEAR_MS, 1)[0] ?? Number.POSITIVE_INFINITY;
  if (known.size >= MOST_KEPT) known.clear();
  known.set(tickMs, next);
  return next;
}

const YEAR_MS = 366 * 86_400_000;

/** A row that another program wrote may hold any instant. */
const isPossible = (ms: number): boolean => ms > 1e12 && ms < 1e13;
