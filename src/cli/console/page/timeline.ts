import type { LockInfo, RunInfo } from '../../../admin/lock-admin.js';
import { isTaken, missedTicksOf, openCount, stateWithoutPause } from '../../../operate/lock-summary.js';
import { runSpan, shortInstant, shortSpan } from '../../../operate/times.js';
import { pauseWords } from '../../../operate/verdict.js';

/** A span of time on the picture. */
export interface Bar {
  readonly kind: RunInfo['status'] | 'running' | 'expired' | 'lease' | 'paused';
  readonly fromMs: number;
  readonly toMs: number;
  readonly words: string;
}

/** A tick that is not done. */
export interface Mark {
  readonly kind: 'missed' | 'open';
  readonly atMs: number;
  readonly words: string;
}

/** The last runs of a lock as a picture: all in epoch milliseconds. */
export interface Timeline {
  readonly fromMs: number;
  readonly toMs: number;
  /** In the order of drawing: later bars cover earlier ones. */
  readonly bars: readonly Bar[];
  readonly marks: readonly Mark[];
}

const SHORTEST_MS = 60_000;
/** No run can have begun before this instant, in 2001. */
const FIRST_MS = 1e12;
const DAY_MS = 86_400_000;
/** How far the picture goes on for a pause, as a part of its length. */
const PAUSE_PART = 0.1;

/** The picture of a lock; undefined if nothing has happened yet. */
export function timelineOf(lock: LockInfo, nowMs: number): Timeline | undefined {
  const { openTicks = [], paused } = lock;
  const runs = lock.runs.filter((run) => isPossible(run, nowMs));
  const missed = new Set(missedTicksOf(lock).map((tick) => tick.getTime()));
  const current = currentBars(lock, nowMs);
  const bars = [...current, ...runs.map((run, i) => runBar(run, latestEndMs(lock, runs[i - 1], run, nowMs)))];
  const marks = openTicks.map((tick): Mark => {
    const kind = missed.has(tick.getTime()) ? 'missed' : 'open';
    return {
      kind,
      atMs: tick.getTime(),
      words: `tick ${shortInstant(tick)}: ${kind === 'missed' ? 'without a run' : 'open'}, not done`,
    };
  });
  const firstMs = Math.min(...bars.map(({ fromMs }) => fromMs), ...marks.map(({ atMs }) => atMs));
  if (!Number.isFinite(firstMs)) return undefined;
  const lastMs = Math.max(nowMs, ...bars.map(({ toMs }) => toMs));
  const lengthMs = Math.max(SHORTEST_MS, lastMs - firstMs);
  const fromMs = firstMs - lengthMs / 40;
  const toMs = lastMs + lengthMs * (paused ? PAUSE_PART : 1 / 40);
  const pause = paused && {
    kind: 'paused' as const,
    fromMs: nowMs,
    toMs: Math.min(toMs, paused.until.getTime()),
    words: pauseWords(paused),
  };
  return { fromMs, toMs, bars: pause ? [pause, ...bars] : bars, marks };
}

/** Whether a run's times are possible. A row that another program wrote may hold any instant, and hide other runs. */
function isPossible({ lockedAt, durationMs = 0 }: RunInfo, nowMs: number): boolean {
  const fromMs = lockedAt.getTime();
  return fromMs >= FIRST_MS && fromMs + durationMs <= nowMs + DAY_MS;
}

/** The bars of the run that has the lock: its lease, covered by the time that it has run. */
function currentBars(lock: LockInfo, nowMs: number): Bar[] {
  const { lockedAt, lockUntil, lockedBy = 'somebody', fencingToken } = lock;
  if (!lockedAt || !lockUntil || !isTaken(lock)) return [];
  const [fromMs, untilMs] = [lockedAt.getTime(), lockUntil.getTime()];
  const kind = stateWithoutPause(lock) === 'held' ? 'running' : 'expired';
  const since = `${lockedBy}, ${kind} for ${shortSpan(nowMs - fromMs)}, token ${fencingToken}`;
  return [
    { kind: 'lease', fromMs, toMs: Math.max(untilMs, fromMs), words: `lease until ${shortInstant(lockUntil)}` },
    { kind, fromMs, toMs: Math.max(fromMs, nowMs), words: since },
  ];
}

/** The latest end of a run that crashed: the end of its lease, or the start of the next run. */
function latestEndMs({ leaseMs = 0 }: LockInfo, next: RunInfo | undefined, run: RunInfo, nowMs: number): number {
  return Math.min(next?.lockedAt.getTime() ?? nowMs, run.lockedAt.getTime() + leaseMs);
}

/** @param latestEndMs the end of the bar if the run's duration is unknown */
function runBar(run: RunInfo, latestEndMs: number): Bar {
  const { status, lockedAt, durationMs, tick, isManual, fencingToken, caughtUp } = run;
  const fromMs = lockedAt.getTime();
  const toMs = durationMs === undefined ? latestEndMs : fromMs + durationMs;
  const facts = [
    `${status}${durationMs === undefined ? '' : ` after ${runSpan(durationMs)}`}`,
    `locked at ${shortInstant(lockedAt)}`,
    tick && `tick ${shortInstant(tick)}`,
    isManual && 'by hand',
    caughtUp && `caught up with ${caughtUp} ticks`,
    `token ${fencingToken}`,
  ];
  return { kind: status, fromMs, toMs: Math.max(fromMs, toMs), words: facts.filter(Boolean).join(', ') };
}

/** The picture in words, for people who do not see it. */
export function timelineWords(lock: LockInfo): string {
  const { runs, failuresInARow, openTicks = [] } = lock;
  const count = (status: RunInfo['status']) => runs.filter((run) => run.status === status).length;
  const parts = [
    `last ${runs.length} runs: ${count('succeeded')} succeeded, ${count('failed')} failed, ${count('crashed')} crashed`,
    count('forced') > 0 && `${count('forced')} ended by force`,
    failuresInARow > 0 && `${failuresInARow} failures in a row`,
    openTicks.length > 0 && `${openCount(lock)} ticks not done`,
  ];
  return parts.filter(Boolean).join('; ');
}

const STEPS_MS = [1, 5, 15, 30, 60, 180, 360, 720, 1_440, 2_880, 10_080, 43_200].map((minutes) => minutes * 60_000);

/** The labels below the picture: at most `most` round instants, in UTC. */
export function axisOf({ fromMs, toMs }: Timeline, most: number): readonly { atMs: number; words: string }[] {
  const longestMs = STEPS_MS.at(-1) as number;
  const stepMs =
    STEPS_MS.find((step) => (toMs - fromMs) / step <= most) ??
    longestMs * Math.ceil((toMs - fromMs) / most / longestMs);
  const marks: { atMs: number; words: string }[] = [];
  for (let atMs = Math.ceil(fromMs / stepMs) * stepMs; atMs < toMs; atMs += stepMs) {
    const text = new Date(atMs).toISOString();
    marks.push({ atMs, words: stepMs < 1_440 * 60_000 ? text.slice(11, 16) : text.slice(5, 10) });
  }
  return marks;
}
