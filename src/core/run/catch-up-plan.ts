import type { CatchUp } from '../options/catch-up.js';
import type { Settings } from '../options/policy.js';
import type { Lease, TickChanges } from '../ports/lock-store.js';
import {
  ascending,
  type Interval,
  isTimed,
  MOST_LISTED,
  missedTicks,
  type NewestTicks,
  NO_TICKS,
  type Schedule,
  ticksBetween,
} from '../values/tick.js';

/** What a run does about older ticks. Instants in epoch milliseconds, ascending. */
export interface CatchUpPlan extends TickChanges {
  /** Ticks since the last known tick that were due and had no run. */
  readonly missed: NewestTicks;
  /** Ticks that the handler runs for, before the run's own tick. */
  readonly ticksMs: readonly number[];
  /** Ticks that were missed, and are open once the run's own tick is done. */
  readonly leftMs: readonly number[];
  readonly givenUpTicksMs: readonly number[];
  /** How many more ticks are given up: they were missed, and are too old to be listed. */
  readonly othersGivenUp: number;
  /**
   * Whether more ticks wait than a record can list. Marking the run's own tick as done would then lose some of them.
   */
  readonly isTooLong: boolean;
}

export const NOTHING: CatchUpPlan = {
  missed: NO_TICKS,
  ticksMs: [],
  leftMs: [],
  givenUpTicksMs: [],
  othersGivenUp: 0,
  isTooLong: false,
};

/**
 * Plans what a run does about older ticks, from the done, open and failed ticks that its lease lists. If the schedule
 * does not give exact instants, no tick is caught up with.
 */
export function planCatchUp(lease: Lease, settings: Settings): CatchUpPlan {
  const { schedule } = settings;
  const { tickMs } = lease;
  if (schedule === undefined || tickMs === undefined) return NOTHING;
  const missed = missedSinceLast(lease, tickMs, schedule);
  if (isTimed(schedule)) return { ...planFor(lease, tickMs, schedule, settings.catchUp), missed };
  // Keep the list of ticks that wait, if the schedule cannot be read for a while.
  return { ...NOTHING, missed, ...(settings.catchUp.mode === 'all' && { keepTicks: MOST_LISTED }) };
}

function missedSinceLast(lease: Lease, tickMs: number, schedule: Schedule | Interval): NewestTicks {
  const { doneTickMs = Number.NEGATIVE_INFINITY, failedTicksMs = [], previous } = lease;
  // Every earlier run is for a tick that is done or has failed. The run before this one may have had no tick, such as a
  // run by hand. The run's own tick does not count: a retry finds the same gap as the run that failed.
  const earlier = [...failedTicksMs, previous?.tickMs ?? doneTickMs].filter((earlierMs) => earlierMs !== tickMs);
  const lastMs = Math.max(doneTickMs, ...earlier);
  return lastMs === Number.NEGATIVE_INFINITY ? NO_TICKS : missedTicks(lastMs, tickMs, schedule);
}

function planFor(lease: Lease, tickMs: number, schedule: Schedule, catchUp: CatchUp): CatchUpPlan {
  const sinceMs = lease.doneTickMs ?? lease.failedTicksMs?.[0];
  const past: Past = { lease, tickMs, schedule, sinceMs, fromMs: tickMs - catchUp.withinMs };
  if (catchUp.mode === 'all') return planAll(past, catchUp.max);
  if (catchUp.mode === 'latest') return planLatest(past);
  const { ticksMs, others } = missedBefore(past, tickMs);
  return { ...NOTHING, leftMs: ticksMs, othersGivenUp: others };
}

interface Past {
  readonly lease: Lease;
  readonly tickMs: number;
  readonly schedule: Schedule;
  /**
   * The newest tick done, or the oldest failed tick if none is done. Ticks of the schedule after this tick that are not
   * listed were missed.
   */
  readonly sinceMs: number | undefined;
  /** Ticks before this instant are not caught up with. */
  readonly fromMs: number;
}

/** Plans all open ticks, oldest first. Gives up ticks that are too old. Ticks beyond `max` wait for the next run. */
function planAll(past: Past, max: number): CatchUpPlan {
  const { fromMs } = past;
  const listed = listedBefore(past);
  const missed = unlisted(firstMissed(past, max + MOST_LISTED + 1), listed);
  const due = ascending([...listed.filter((tick) => tick >= fromMs), ...missed]);
  const left = due.slice(max);
  const tooOld = missedBefore(past, fromMs);
  return {
    ...NOTHING,
    ticksMs: due.slice(0, max),
    leftMs: unlisted(left, listed),
    givenUpTicksMs: ascending([...listed.filter((tick) => tick < fromMs), ...tooOld.ticksMs]),
    othersGivenUp: tooOld.others,
    keepTicks: MOST_LISTED,
    isTooLong: left.length > MOST_LISTED,
  };
}

/** Plans only the newest open tick. Other missed ticks are given up; other listed ticks stay listed. */
function planLatest(past: Past): CatchUpPlan {
  const listed = listedBefore(past);
  const { ticksMs, others } = missedBefore(past, past.tickMs);
  const missed = unlisted(ticksMs, listed);
  const latest = ascending([...listed, ...missed])
    .filter((tick) => tick >= past.fromMs)
    .slice(-1);
  return { ...NOTHING, ticksMs: latest, givenUpTicksMs: unlisted(missed, latest), othersGivenUp: others };
}

/** Returns the ticks before the run's own tick that the record lists as not done. */
function listedBefore({ lease, tickMs }: Past): number[] {
  const { doneTickMs = Number.NEGATIVE_INFINITY, openTicksMs = [], failedTicksMs = [] } = lease;
  return [...openTicksMs, ...failedTicksMs.filter((tick) => tick > doneTickMs)].filter((tick) => tick < tickMs);
}

/**
 * Finds the newest ticks of the schedule before `untilMs` that are not done, and counts the older ticks that the record
 * does not list.
 */
function missedBefore(past: Past, untilMs: number): NewestTicks {
  const { sinceMs, schedule } = past;
  if (sinceMs === undefined) return NO_TICKS;
  const { ticksMs, others } = missedTicks(sinceMs, untilMs, schedule);
  const isOther = (tick: number) => tick > sinceMs && tick < Number(ticksMs[0]);
  return { ticksMs, others: Math.max(0, others - listedBefore(past).filter(isOther).length) };
}

/** Finds the oldest ticks of the schedule that are not done and not too old (`fromMs`), at most `max`. */
function firstMissed({ sinceMs, tickMs, schedule, fromMs }: Past, max: number): number[] {
  return sinceMs === undefined ? [] : ticksBetween(schedule, Math.max(sinceMs + 1, fromMs), tickMs, max);
}

const unlisted = (ticks: readonly number[], listed: readonly number[]) =>
  ticks.filter((tick) => !listed.includes(tick));
