import type { CatchUp } from '../../options/catch-up.js';
import type { Settings } from '../../options/policy.js';
import type { Lease, TickChanges } from '../../ports/lock-store.js';
import { type Interval, isTimed, type Schedule } from '../../values/schedule.js';
import { MOST_LISTED, missedTicks, type NewestTicks, NO_TICKS, ticksBetween } from '../../values/tick.js';

/** What a run does about the ticks before its own. Instants in milliseconds, ascending. */
export interface CatchUpPlan extends TickChanges {
  /** Ticks that should have come since the last one that is known. */
  readonly missed: NewestTicks;
  /** The handler runs for these before it runs for the run's own tick. */
  readonly ticksMs: readonly number[];
  /** These never came, and are open once the own tick is done. */
  readonly leftMs: readonly number[];
  readonly givenUpTicksMs: readonly number[];
  /** How many ticks are given up besides, which never came and are too old to be named. */
  readonly othersGivenUp: number;
  /** More ticks wait than a record can list. They stay a gap, which the own tick must not close. */
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

/** By what the grant tells of the past; without a schedule of exact ticks there is nothing to do. */
export function planCatchUp(lease: Lease, settings: Settings): CatchUpPlan {
  const { schedule } = settings;
  const { tickMs } = lease;
  if (schedule === undefined || tickMs === undefined) return NOTHING;
  const missed = missedSinceLast(lease, tickMs, schedule);
  return isTimed(schedule) ? { ...planFor(lease, tickMs, schedule, settings.catchUp), missed } : { ...NOTHING, missed };
}

function missedSinceLast({ doneTickMs, previous }: Lease, tickMs: number, schedule: Schedule | Interval): NewestTicks {
  // The retry of a failed tick must still find the gap before that tick: it counts from the last tick that is done.
  const previousMs = previous?.tickMs === tickMs ? undefined : previous?.tickMs;
  const lastMs = Math.max(doneTickMs ?? Number.NEGATIVE_INFINITY, previousMs ?? Number.NEGATIVE_INFINITY);
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
  /** The newest tick done; the oldest one that failed if none is done. Later ticks that are not listed never came. */
  readonly sinceMs: number | undefined;
  /** Older ticks are not caught up with. */
  readonly fromMs: number;
}

/** Oldest first. What is over `max` waits for the next run. */
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

/** The newest alone. Others that never came are given up; those that are listed stay so. */
function planLatest(past: Past): CatchUpPlan {
  const listed = listedBefore(past);
  const { ticksMs, others } = missedBefore(past, past.tickMs);
  const missed = unlisted(ticksMs, listed);
  const latest = ascending([...listed, ...missed])
    .filter((tick) => tick >= past.fromMs)
    .slice(-1);
  return { ...NOTHING, ticksMs: latest, givenUpTicksMs: unlisted(missed, latest), othersGivenUp: others };
}

/** Ticks before the run's own that the record lists as not done. */
function listedBefore({ lease, tickMs }: Past): number[] {
  const { doneTickMs = Number.NEGATIVE_INFINITY, openTicksMs = [], failedTicksMs = [] } = lease;
  return [...openTicksMs, ...failedTicksMs.filter((tick) => tick > doneTickMs)].filter((tick) => tick < tickMs);
}

/** The newest ticks of the schedule that nobody has done. Older ones are counted, but for those that are listed. */
function missedBefore(past: Past, untilMs: number): NewestTicks {
  const { sinceMs, schedule } = past;
  if (sinceMs === undefined) return NO_TICKS;
  const { ticksMs, others } = missedTicks(sinceMs, untilMs, schedule);
  const isOther = (tick: number) => tick > sinceMs && tick < Number(ticksMs[0]);
  return { ticksMs, others: Math.max(0, others - listedBefore(past).filter(isOther).length) };
}

/** The oldest of them that are to be caught up with. */
function firstMissed({ sinceMs, tickMs, schedule, fromMs }: Past, max: number): number[] {
  return sinceMs === undefined ? [] : ticksBetween(schedule, Math.max(sinceMs + 1, fromMs), tickMs, max);
}

const unlisted = (ticks: readonly number[], listed: readonly number[]) =>
  ticks.filter((tick) => !listed.includes(tick));
const ascending = (ticks: readonly number[]) => [...new Set(ticks)].sort((a, b) => a - b);
