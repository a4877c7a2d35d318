import { isTaken } from '../../../operate/lock-summary.js';
import type { Job } from '../../../operate/troubles.js';

/** A span of time on pictures, in epoch milliseconds. */
export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/** The time that all pictures of a list show. */
export interface Scale extends Span {
  /** The present, as far as a picture can show it: it moves in steps. */
  readonly nowMs: number;
}

const HOUR_MS = 3_600_000;

/** The spans that a list can show, up to now. */
export const RANGES = [
  ['1h', 'an hour', HOUR_MS],
  ['6h', '6 hours', 6 * HOUR_MS],
  ['1d', 'a day', 24 * HOUR_MS],
  ['7d', 'a week', 168 * HOUR_MS],
  ['30d', '30 days', 720 * HOUR_MS],
] as const;

/** How many steps a scale moves in while it goes on by its whole length: a step is less than a pixel. */
const STEPS = 600;
/** The time after now, for leases and pauses, as a part of the length. */
const AHEAD = 0.12;

export function scaleOf(lengthMs: number, nowMs: number): Scale {
  const stepMs = lengthMs / STEPS;
  const at = Math.floor(nowMs / stepMs) * stepMs;
  return { fromMs: at - lengthMs, toMs: at + lengthMs * AHEAD, nowMs: at };
}

/** The axis is long enough when enough jobs show at least this many runs on it. */
const RUNS = 3;
/** The fraction of the jobs that is enough. */
const MOST = 0.6;

/** The shortest range in which most of the jobs show their last three runs. */
export function suitableRange(jobs: readonly Job[], nowMs: number): (typeof RANGES)[number] {
  const neededMs = jobs
    .map((job) => {
      const starts = [
        ...(isTaken(job) && job.lockedAt ? [job.lockedAt] : []),
        ...job.runs.map(({ lockedAt }) => lockedAt),
      ];
      return nowMs - (starts[Math.min(RUNS, starts.length) - 1]?.getTime() ?? nowMs);
    })
    .filter((ms) => ms > 0)
    .sort((a, b) => a - b);
  const wantedMs = neededMs[Math.ceil(neededMs.length * MOST) - 1] ?? 0;
  return RANGES.find(([, , lengthMs]) => lengthMs >= wantedMs) ?? RANGES[RANGES.length - 1] ?? RANGES[0];
}

const STEPS_MS = [1, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1_440, 2_880, 10_080, 43_200].map(
  (minutes) => minutes * 60_000,
);
const DAY_MS = 86_400_000;

/** The labels of a span: at most `most` round instants, in UTC. Midnight is written as its date. */
export function axisOf({ fromMs, toMs }: Span, most: number): readonly { atMs: number; words: string }[] {
  const longestMs = STEPS_MS.at(-1) as number;
  const stepMs =
    STEPS_MS.find((step) => (toMs - fromMs) / step <= most) ??
    longestMs * Math.ceil((toMs - fromMs) / most / longestMs);
  const marks: { atMs: number; words: string }[] = [];
  for (let atMs = Math.ceil(fromMs / stepMs) * stepMs; atMs < toMs; atMs += stepMs) {
    const text = new Date(atMs).toISOString();
    marks.push({ atMs, words: atMs % DAY_MS === 0 ? text.slice(5, 10) : text.slice(11, 16) });
  }
  return marks;
}
