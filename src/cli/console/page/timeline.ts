import type { LockInfo, RunInfo } from '../../../admin/lock-admin.js';
import { isTaken, missedTicksOf, openCount, stateWithoutPause } from '../../../operate/lock-summary.js';
import { runSpan, shortInstant, shortSpan } from '../../../operate/times.js';
import { type Job, overrunNow } from '../../../operate/troubles.js';
import { pauseWords } from '../../../operate/verdict.js';
import type { Span } from './scale.js';

/** A span of time on the picture. */
export interface Bar {
  readonly kind: RunInfo['status'] | 'running' | 'expired' | 'lease' | 'paused';
  readonly fromMs: number;
  readonly toMs: number;
  readonly words: string;
}

/** The part of a run for which it went on too long. */
export interface Over {
  /** `past-tick`: the next tick of its schedule had come; `past-lease`: its first lease was over, and it had renewed it. */
  readonly kind: 'past-tick' | 'past-lease';
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
export interface Timeline extends Span {
  /** In the order of drawing: later bars cover earlier ones. */
  readonly bars: readonly Bar[];
  readonly overs: readonly Over[];
  readonly marks: readonly Mark[];
  /** How many runs are not shown, because they were over before the picture begins. */
  readonly older: number;
}

const SHORTEST_MS = 60_000;
/** No run can have begun before this instant, in 2001. */
const FIRST_MS = 1e12;
const DAY_MS = 86_400_000;
/** How far the picture goes on for a pause, as a part of its length. */
const PAUSE_PART = 0.1;

/**
 * The picture of a lock; undefined if nothing has happened yet.
 *
 * @param span what the picture shows; by default all that the record knows
 */
export function timelineOf(lock: Job, nowMs: number, span?: Span): Timeline | undefined {
  const runs = lock.runs.filter((run) => isPossible(run, nowMs));
  const ended = runs.map((run, i) => runBar(run, latestEndMs(lock, runs[i - 1], run, nowMs)));
  const bars = [...currentBars(lock, nowMs), ...ended];
  const marks = marksOf(lock);
  const shown = span ?? wholeSpan(lock, nowMs, [...bars, ...marks.map(({ atMs }) => ({ fromMs: atMs, toMs: atMs }))]);
  if (!shown || (bars.length === 0 && marks.length === 0 && !lock.paused)) return undefined;
  const isShown = ({ fromMs, toMs }: Span) => toMs >= shown.fromMs && fromMs <= shown.toMs;
  const pause = lock.paused && {
    kind: 'paused' as const,
    fromMs: nowMs,
    toMs: Math.min(shown.toMs, lock.paused.until.getTime()),
    words: pauseWords(lock.paused),
  };
  return {
    ...shown,
    bars: [...(pause ? [pause] : []), ...bars].filter(isShown),
    overs: oversOf(lock, runs, nowMs).filter(isShown),
    marks: marks.filter(({ atMs }) => isShown({ fromMs: atMs, toMs: atMs })),
    older: ended.filter(({ toMs }) => toMs < shown.fromMs).length,
  };
}

function marksOf(lock: LockInfo): Mark[] {
  const missed = new Set(missedTicksOf(lock).map((tick) => tick.getTime()));
  return (lock.openTicks ?? []).map((tick) => {
    const kind = missed.has(tick.getTime()) ? 'missed' : 'open';
    return {
      kind,
      atMs: tick.getTime(),
      words: `tick ${shortInstant(tick)}: ${kind === 'missed' ? 'without a run' : 'open'}, not done`,
    };
  });
}

/** The time of all that the record knows, with some space around it. */
function wholeSpan({ paused }: LockInfo, nowMs: number, parts: readonly Span[]): Span | undefined {
  if (parts.length === 0) return undefined;
  const firstMs = Math.min(...parts.map(({ fromMs }) => fromMs));
  const lastMs = Math.max(nowMs, ...parts.map(({ toMs }) => toMs));
  const lengthMs = Math.max(SHORTEST_MS, lastMs - firstMs);
  return { fromMs: firstMs - lengthMs / 40, toMs: lastMs + lengthMs * (paused ? PAUSE_PART : 1 / 40) };
}

/** The parts of runs past their next tick, and past their first lease. */
function oversOf(lock: Job, runs: readonly RunInfo[], nowMs: number): Over[] {
  const { overruns = [], fencingToken, lockedAt, leaseMs } = lock;
  const tick = overrunNow(lock);
  const current = isTaken(lock) && lockedAt && { lockedAt, durationMs: nowMs - lockedAt.getTime(), fencingToken };
  const pastTick = (from: Date, toMs: number): Over => ({
    kind: 'past-tick',
    fromMs: from.getTime(),
    toMs,
    words: `went on past its next tick, ${shortInstant(from)}`,
  });
  return [...(current ? [current] : []), ...runs].flatMap((run) => {
    const [fromMs, durationMs = Number.NaN] = [run.lockedAt.getTime(), run.durationMs];
    const toMs = fromMs + durationMs;
    const next = run === current ? tick : overruns.find((one) => one.fencingToken === run.fencingToken)?.tick;
    const isDead = run === current && stateWithoutPause(lock) === 'expired';
    const isRenewed = leaseMs !== undefined && durationMs > leaseMs && !isDead;
    return [
      ...(next ? [pastTick(next, toMs)] : []),
      ...(isRenewed
        ? [{ kind: 'past-lease' as const, fromMs: fromMs + leaseMs, toMs, words: leaseWords(leaseMs) }]
        : []),
    ];
  });
}

const leaseWords = (leaseMs: number) =>
  `longer than the present lease of ${shortSpan(leaseMs)}: it renewed its lease, or had a longer one`;

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
export function timelineWords(lock: Job): string {
  const { runs, failuresInARow, openTicks = [], overruns = [] } = lock;
  const count = (status: RunInfo['status']) => runs.filter((run) => run.status === status).length;
  const parts = [
    `last ${runs.length} runs: ${count('succeeded')} succeeded, ${count('failed')} failed, ${count('crashed')} crashed`,
    count('forced') > 0 && `${count('forced')} ended by force`,
    failuresInARow > 0 && `${failuresInARow} failures in a row`,
    overruns.length > 0 && `${overruns.length} past their next tick`,
    openTicks.length > 0 && `${openCount(lock)} ticks not done`,
  ];
  return parts.filter(Boolean).join('; ');
}
