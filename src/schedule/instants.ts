import type { CronFields } from './cron-fields.js';
import { FIRST_DAY_MS, LAST_DAY_MS } from './eventbridge-expression.js';
import { firingDays } from './firing-days.js';
import type { TimeZone } from './time-zone.js';

const SECOND_MS = 1_000;
const DAY_MS = 86_400_000;

/** The ticks of a schedule in epoch milliseconds. */
export interface Instants {
  /** Those at or after an instant, oldest first. */
  from(atMs: number): Iterable<number>;
  /** Those at or before an instant, newest first. */
  backFrom(atMs: number): Iterable<number>;
}

/** The ticks of a cron, in the years that EventBridge knows: 1970 to 2199. */
export function cronInstants(cron: CronFields, zone: TimeZone): Instants {
  /** The day that the clock shows, within a day of the years that count. */
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
      // Where the clock was put back over midnight, times of the following day lie before the instant.
      for (const midnight of firingDays(cron, Math.min(dayOf(atMs) + DAY_MS, LAST_DAY_MS), FIRST_DAY_MS, -1)) {
        for (const { fromMs, toMs, offsetMs } of zone.spans(midnight).reverse()) {
          const lastMs = Math.min(toMs - 1, atMs + offsetMs) - midnight;
          for (const time of timesOfDay(cron, lastMs, fromMs - midnight, -1)) yield midnight + time - offsetMs;
        }
      }
    },
  };
}

/** The times of day at which a cron fires, in milliseconds, from one to another, both included. */
function* timesOfDay(cron: CronFields, fromMs: number, toMs: number, step: 1 | -1): Generator<number> {
  const ordered = (values: readonly number[]) => (step > 0 ? values : values.toReversed());
  const [minutes, seconds] = [ordered(cron.minutes), ordered(cron.seconds)];
  const last = (unitMs: number) => (step > 0 ? unitMs - SECOND_MS : 0);
  /** Whether all of a unit that begins then comes before the first time. */
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

/** The one tick of `at(...)`; none where its time is left out. */
export function oneInstant(wallMs: number, zone: TimeZone): Instants {
  const spans = zone.spans(Math.floor(wallMs / DAY_MS) * DAY_MS);
  const span = spans.find(({ fromMs, toMs }) => fromMs <= wallMs && wallMs < toMs);
  const dueMs = span ? wallMs - span.offsetMs : Number.NaN;
  return {
    from: (atMs) => (dueMs >= atMs ? [dueMs] : []),
    backFrom: (atMs) => (dueMs <= atMs ? [dueMs] : []),
  };
}

/** The last instant that a Date can be. */
const LAST_DATE_MS = 8_640_000_000_000_000;

/** Ticks that are equally far apart, from their first on. */
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
