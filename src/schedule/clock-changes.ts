import { type CronFields, FIRST_DAY_MS, type Instants, LAST_DAY_MS, localTimes } from './instants.js';
import type { TimeZone } from './time-zone.js';

/*
 * The ticks that only some schedulers send, because the clock of a time zone is put forward or back. When the clock is
 * put forward over a time of the schedule, its tick moves to the instant of the change. When the clock is put back, a
 * time that it shows again has a second tick. A change by more than three hours, such as that of a country that leaves
 * out a day, has neither: cron takes it for a clock that was set.
 */

const DAY_MS = 86_400_000;
const LARGEST_CHANGE_MS = 10_800_000;

/** Which of these ticks a schedule has. */
export interface ChangeRules {
  /** Whether a skipped time moves to the instant of the change. */
  readonly moves: boolean;
  /** Whether a time that the clock shows again has a second tick. */
  readonly repeats: boolean;
}

/** Ticks, and which of them are optional: some schedulers send them, others do not. */
export interface OptionalInstants extends Instants {
  isOptional(atMs: number): boolean;
}

/** Adds the optional ticks to the ticks of a cron. */
export function withClockChanges(
  sure: Instants,
  cron: CronFields,
  zone: TimeZone,
  rules: ChangeRules,
): OptionalInstants {
  const ticksOf = (changeMs: number) => ticksOfChange(changeMs, cron, zone, rules);
  let read: { readonly day: number; readonly ticksMs: readonly number[] } | undefined;
  /** Returns the optional ticks of a day of UTC, ascending. Walks along ticks ask for the same day again and again. */
  const ticksOn = (day: number): readonly number[] => {
    if (read?.day !== day) {
      const [fromMs, toMs] = [day * DAY_MS, (day + 1) * DAY_MS];
      const ticksMs = zone.changes(fromMs - LARGEST_CHANGE_MS, toMs).flatMap(ticksOf);
      read = { day, ticksMs: ticksMs.filter((ms) => ms >= fromMs && ms < toMs) };
    }
    return read.ticksMs;
  };
  const dayOf = (ms: number) => Math.floor(ms / DAY_MS);
  function* between(fromMs: number, toMs: number): Generator<number> {
    for (let day = dayOf(fromMs); day <= dayOf(toMs); day++) {
      yield* ticksOn(day).filter((ms) => ms >= fromMs && ms < toMs);
    }
  }
  function* backBetween(fromMs: number, toMs: number): Generator<number> {
    for (let day = dayOf(toMs); day >= dayOf(fromMs); day--) {
      yield* ticksOn(day)
        .filter((ms) => ms > fromMs && ms <= toMs)
        .reverse();
    }
  }
  return {
    *from(atMs) {
      let nextMs = Math.max(atMs, FIRST_DAY_MS);
      for (const ms of sure.from(atMs)) {
        yield* between(nextMs, ms);
        yield ms;
        nextMs = ms + 1;
      }
    },
    *backFrom(atMs) {
      let lastMs = Math.min(atMs, LAST_DAY_MS + DAY_MS);
      for (const ms of sure.backFrom(atMs)) {
        yield* backBetween(ms, lastMs);
        yield ms;
        lastMs = ms - 1;
      }
    },
    isOptional: (atMs) => ticksOn(dayOf(atMs)).includes(atMs),
  };
}

/** Returns the optional ticks of one change of the clock, ascending. */
function ticksOfChange(changeMs: number, cron: CronFields, zone: TimeZone, { moves, repeats }: ChangeRules): number[] {
  const [before, after] = [zone.offsetMs(changeMs - 1), zone.offsetMs(changeMs)];
  if (Math.abs(after - before) > LARGEST_CHANGE_MS) return [];
  if (after < before) {
    if (!repeats) return [];
    return [...localTimes(cron, changeMs + after, changeMs + before)].map((wallMs) => wallMs - after);
  }
  const isSkipped = moves && !localTimes(cron, changeMs + before, changeMs + after).next().done;
  const isShown = !localTimes(cron, changeMs + after, changeMs + after + 1).next().done;
  return isSkipped && !isShown ? [changeMs] : [];
}
