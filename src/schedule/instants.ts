import type { TimeZone } from './time-zone.js';

/** Throws an error that names the schedule, the problem and the remedy. */
export type Refuse = (problem: string) => never;

const SECOND_MS = 1_000;
const DAY_MS = 86_400_000;

/** The ticks of a schedule in epoch milliseconds. */
export interface Instants {
  /** Ticks at or after an instant, oldest first. */
  from(atMs: number): Iterable<number>;
  /** Ticks at or before an instant, newest first. */
  backFrom(atMs: number): Iterable<number>;
}

/**
 * The fields of a cron expression, with lists, ranges, steps and names spelled out.
 * Days of the week are counted as EventBridge does: 1 is Sunday, 7 is Saturday.
 */
export interface CronFields {
  readonly seconds: readonly number[];
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  /** A list of `*`, days, `L` (the last day), `15W` (the weekday nearest the 15th) and `LW` (the last weekday). */
  readonly dayOfMonth: readonly string[];
  readonly months: readonly number[];
  /** A list of `*`, days, `6L` (the last Friday) and `3#2` (the second Tuesday). */
  readonly dayOfWeek: readonly string[];
  readonly years: readonly number[] | 'every';
  /** Whether a day needs to be in only one of the two day fields. If not, it must be in both. */
  readonly eitherDay: boolean;
}

/** The first and the last day of EventBridge's years, as midnights in UTC. */
export const FIRST_DAY_MS: number = Date.UTC(1970, 0, 1);
export const LAST_DAY_MS: number = Date.UTC(2199, 11, 31);

/** Finds the ticks of a cron, in the years that EventBridge knows: 1970 to 2199. */
export function cronInstants(cron: CronFields, zone: TimeZone): Instants {
  /** Returns the local day at an instant, kept within a day of the years 1970 to 2199. */
  const dayOf = (atMs: number) => {
    const nearMs = Math.min(Math.max(atMs, FIRST_DAY_MS - DAY_MS), LAST_DAY_MS + 2 * DAY_MS);
    return Math.floor((nearMs + zone.offsetMs(nearMs)) / DAY_MS) * DAY_MS;
  };
  return {
    *from(atMs) {
      for (const midnight of firingDays(cron, Math.max(dayOf(atMs), FIRST_DAY_MS), LAST_DAY_MS, 1)) {
        for (const { fromMs, toMs, offsetMs } of zone.spans(midnight)) {
          const firstMs = Math.max(fromMs, atMs + offsetMs) - midnight;
          for (const time of timesOfDay(cron, firstMs, toMs - 1 - midnight, 1)) yield midnight + time - offsetMs;
        }
      }
    },
    *backFrom(atMs) {
      // Start with the next local day: if the clock was put back over midnight, some times of that day lie before the
      // instant.
      for (const midnight of firingDays(cron, Math.min(dayOf(atMs) + DAY_MS, LAST_DAY_MS), FIRST_DAY_MS, -1)) {
        for (const { fromMs, toMs, offsetMs } of zone.spans(midnight).reverse()) {
          const lastMs = Math.min(toMs - 1, atMs + offsetMs) - midnight;
          for (const time of timesOfDay(cron, lastMs, fromMs - midnight, -1)) yield midnight + time - offsetMs;
        }
      }
    },
  };
}

/**
 * Finds the times of day at which a cron fires, in milliseconds, from `fromMs` to `toMs`, both included. `step` is 1
 * for later times, -1 for earlier ones.
 */
function* timesOfDay(cron: CronFields, fromMs: number, toMs: number, step: 1 | -1): Generator<number> {
  const ordered = (values: readonly number[]) => (step > 0 ? values : values.toReversed());
  const [minutes, seconds] = [ordered(cron.minutes), ordered(cron.seconds)];
  const last = (unitMs: number) => (step > 0 ? unitMs - SECOND_MS : 0);
  /** Whether the whole hour or minute that begins at `beginsMs` comes before the first time. */
  const isBefore = (beginsMs: number, unitMs: number) => step * (beginsMs + last(unitMs) - fromMs) < 0;
  for (const hour of ordered(cron.hours)) {
    if (isBefore(hour * 3_600_000, 3_600_000)) continue;
    for (const minute of minutes) {
      const minuteMs = hour * 3_600_000 + minute * 60_000;
      if (isBefore(minuteMs, 60_000)) continue;
      for (const second of seconds) {
        const ms = minuteMs + second * SECOND_MS;
        if (isBefore(ms, SECOND_MS)) continue;
        if (step * (toMs - ms) < 0) return;
        yield ms;
      }
    }
  }
}

/** Finds the local times at which a cron fires, from `fromMs` to `toMs` (exclusive), written as if they were UTC. */
export function* localTimes(cron: CronFields, fromMs: number, toMs: number): Generator<number> {
  for (const midnight of firingDays(cron, Math.floor(fromMs / DAY_MS) * DAY_MS, toMs - 1, 1)) {
    for (const time of timesOfDay(cron, fromMs - midnight, Math.min(toMs - midnight, DAY_MS) - 1, 1)) {
      yield midnight + time;
    }
  }
}

/** Finds the only tick of `at(...)`; no tick if the clock skips the local time `wallMs`. */
export function oneInstant(wallMs: number, zone: TimeZone): Instants {
  const spans = zone.spans(Math.floor(wallMs / DAY_MS) * DAY_MS);
  const span = spans.find(({ fromMs, toMs }) => fromMs <= wallMs && wallMs < toMs);
  const dueMs = span ? wallMs - span.offsetMs : Number.NaN;
  return {
    from: (atMs) => (dueMs >= atMs ? [dueMs] : []),
    backFrom: (atMs) => (dueMs <= atMs ? [dueMs] : []),
  };
}

/** The last instant that a Date can represent. */
const LAST_DATE_MS = 8_640_000_000_000_000;

/** Makes ticks at equal distances; the first tick is at `startMs`. */
export function rateInstants(everyMs: number, startMs: number): Instants {
  return {
    *from(atMs) {
      const count = Math.max(0, Math.ceil((atMs - startMs) / everyMs));
      for (let ms = startMs + count * everyMs; ms <= LAST_DATE_MS; ms += everyMs) yield ms;
    },
    *backFrom(atMs) {
      const count = Math.floor((atMs - startMs) / everyMs);
      for (let ms = startMs + count * everyMs; ms >= startMs; ms -= everyMs) yield ms;
    },
  };
}

const SUNDAY = 1;
const SATURDAY = 7;

interface Day {
  readonly date: number;
  readonly lastDate: number;
  /** 1 is Sunday, 7 is Saturday. */
  readonly weekday: number;
}

/**
 * Finds the days on which a cron fires, as midnights in UTC (epoch ms), between two days, both included. `step` is 1
 * for later days, -1 for earlier ones.
 */
export function* firingDays(cron: CronFields, fromMs: number, toMs: number, step: 1 | -1): Generator<number> {
  let midnight = fromMs;
  while (step * (toMs - midnight) >= 0) {
    const date = new Date(midnight);
    const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
    const isInMonth = (cron.years === 'every' || cron.years.includes(year)) && cron.months.includes(month + 1);
    if (!isInMonth) {
      midnight = step > 0 ? Date.UTC(year, month + 1) : Date.UTC(year, month, 0);
      continue;
    }
    const lastDate = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
    if (isFiringDay(cron, { date: day, lastDate, weekday: date.getUTCDay() + 1 })) yield midnight;
    midnight = Date.UTC(year, month, day + step);
  }
}

/**
 * @returns the cron
 * @throws what `refuse` throws for a cron that never has a day to fire on
 */
export function withDays(cron: CronFields, refuse: Refuse): CronFields {
  const { done } = firingDays(cron, FIRST_DAY_MS, LAST_DAY_MS, 1).next();
  return done ? refuse('never fires: no such day is in its months and years; use days that they have') : cron;
}

function isFiringDay({ dayOfMonth, dayOfWeek, eitherDay }: CronFields, day: Day): boolean {
  const [inMonth, inWeek] = [isDayOfMonth(dayOfMonth, day), isDayOfWeek(dayOfWeek, day)];
  return eitherDay ? inMonth || inWeek : inMonth && inWeek;
}

function isDayOfMonth(items: readonly string[], day: Day): boolean {
  return items.some((item) => {
    if (item === '*') return true;
    if (item === 'L') return day.date === day.lastDate;
    if (item === 'LW') return day.date === nearestWeekday(day.lastDate, day);
    if (item.endsWith('W')) return day.date === nearestWeekday(Number(item.slice(0, -1)), day);
    return day.date === Number(item);
  });
}

function isDayOfWeek(items: readonly string[], { date, lastDate, weekday }: Day): boolean {
  return items.some((item) => {
    if (item === '*') return true;
    const [wanted, nth] = item.split('#').map(Number.parseFloat);
    if (weekday !== wanted) return false;
    if (item.endsWith('L')) return date + 7 > lastDate;
    return nth === undefined || nth === Math.ceil(date / 7);
  });
}

/** Finds the weekday nearest a date, within the month; undefined if the month has no such date. */
function nearestWeekday(date: number, { lastDate, ...day }: Day): number | undefined {
  if (date > lastDate) return undefined;
  const weekday = ((((day.weekday - 1 + date - day.date) % 7) + 7) % 7) + 1;
  if (weekday === SATURDAY) return date === 1 ? 3 : date - 1;
  if (weekday === SUNDAY) return date === lastDate ? date - 2 : date + 1;
  return date;
}
