import { checkKnown, describe } from '../core/values/checks.js';

const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** No time zone is further from UTC than this. */
const FURTHEST_MS = 16 * HOUR_MS;

/**
 * Local times that have the same offset from UTC. `fromMs` is inclusive and `toMs` exclusive; both are written as if
 * they were UTC. Times that the clock shows a second time are left out.
 */
export interface WallSpan {
  readonly fromMs: number;
  readonly toMs: number;
  /** Subtract this from a local time to get the instant. */
  readonly offsetMs: number;
}

/** The clock of a time zone. Its local times are written as epoch milliseconds, as if they were UTC. */
export interface TimeZone {
  /** Returns how far the zone's clock is ahead of UTC at an instant. */
  offsetMs(atMs: number): number;
  /**
   * Returns the local times of a day, in order. Times that the clock skips (in spring) are missing. If the clock shows
   * a time twice (in autumn), only the first is included.
   */
  spans(midnightMs: number): WallSpan[];
  /** Returns the instants from `fromMs` to `toMs`, a day or so later, at which the clock is put forward or back. */
  changes(fromMs: number, toMs: number): number[];
}

export const UTC: TimeZone = {
  offsetMs: () => 0,
  spans: (midnightMs) => [{ fromMs: midnightMs, toMs: midnightMs + DAY_MS, offsetMs: 0 }],
  changes: () => [],
};

/**
 * Finds the clock of a time zone, by the name of the zone.
 *
 * @throws RangeError for a name that this platform does not know
 */
function timeZone(name: string): TimeZone {
  if (name === 'UTC') return UTC;
  const format = formatOf(name);
  const offsetMs = (atMs: number) => {
    const secondMs = Math.floor(atMs / SECOND_MS) * SECOND_MS;
    const [month = 0, day, year = 0, hour, minute, second] = (format.format(secondMs).match(/\d+/g) ?? []).map(Number);
    return Date.UTC(year, month - 1, day, hour, minute, second) - secondMs;
  };
  return {
    offsetMs,
    spans: (midnightMs) => spansOf(midnightMs, offsetMs),
    changes: (fromMs, toMs) => changesOf(offsetMs, fromMs, toMs),
  };
}

function formatOf(name: string): Intl.DateTimeFormat {
  try {
    // Refuse an offset such as +02:00, because only some platforms accept it.
    if (!/^[+-]/.test(name)) {
      const [date, time] = ['numeric', '2-digit'] as const;
      return new Intl.DateTimeFormat('en-US', {
        timeZone: name,
        calendar: 'gregory',
        numberingSystem: 'latn',
        hourCycle: 'h23',
        year: date,
        month: date,
        day: date,
        hour: time,
        minute: time,
        second: time,
      });
    }
  } catch {
    // Throw the error below, because the platform's message names no remedy.
  }
  throw new RangeError(`timeZone is '${name}', which is unknown here: pass a name such as Europe/Berlin, or UTC`);
}

function spansOf(midnightMs: number, offsetAt: (atMs: number) => number): WallSpan[] {
  const [startMs, endMs] = [midnightMs - FURTHEST_MS, midnightMs + DAY_MS + FURTHEST_MS];
  const spans: WallSpan[] = [];
  let pieceMs = startMs;
  let reachedMs = midnightMs;
  for (const changeMs of [...changesOf(offsetAt, startMs, endMs), endMs]) {
    const offsetMs = offsetAt(pieceMs);
    const fromMs = Math.max(reachedMs, pieceMs + offsetMs);
    const toMs = Math.min(changeMs + offsetMs, midnightMs + DAY_MS);
    if (fromMs < toMs) {
      spans.push({ fromMs, toMs, offsetMs });
      reachedMs = toMs;
    }
    pieceMs = changeMs;
  }
  return spans;
}

/** Finds the instants between `fromMs` and `toMs`, in whole seconds, at which the offset changes. */
function changesOf(offsetAt: (atMs: number) => number, fromMs: number, toMs: number): number[] {
  if (offsetAt(fromMs) === offsetAt(toMs)) return [];
  if (toMs - fromMs <= SECOND_MS) return [toMs];
  const middleMs = fromMs + Math.floor((toMs - fromMs) / 2 / SECOND_MS) * SECOND_MS;
  return [...changesOf(offsetAt, fromMs, middleMs), ...changesOf(offsetAt, middleMs, toMs)];
}

/** The time zone of a schedule. */
export interface ZoneOptions {
  /** The time zone of the expression, such as `Europe/Berlin`. @default 'UTC' */
  readonly timeZone?: string;
}

/** A time zone and its name. */
export type NamedZone = TimeZone & { readonly name: string };

/**
 * Reads the time zone of the options. `others` are the names of the other options.
 *
 * @throws TypeError, RangeError for an invalid or unknown time zone
 */
export function zoneOf(options: ZoneOptions, owner: string, others: readonly string[] = []): NamedZone {
  checkKnown(options, ['timeZone', ...others], owner);
  const { timeZone: name = 'UTC' } = options;
  if (typeof name !== 'string') {
    throw new TypeError(`timeZone is ${describe(name)}: pass a name such as Europe/Berlin, or leave it out for UTC`);
  }
  return { ...timeZone(name), name };
}
