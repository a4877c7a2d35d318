import type { LockInfo, RunInfo } from '../admin/lock-admin.js';
import { missedTicksOf, stateWithoutPause } from './lock-summary.js';
import { shortInstant, shortSpan, toTheSecond } from './span.js';
import { pauseWords } from './verdict.js';

/** What is known of one lock, a label and its words each, in the order in which an operator asks. */
export function lockFacts(lock: LockInfo, nowMs: number): readonly (readonly [label: string, words: string])[] {
  const [last] = lock.runs;
  const facts: readonly [string, string | undefined][] = [
    ['name', lock.name],
    ['state', stateWords(lock)],
    ['pause', lock.paused && pauseWords(lock.paused)],
    ['problem', lock.problem],
    ...holderFacts(lock, nowMs),
    ['fencing token', lock.fencingToken?.toString()],
    ['last result', last && resultWords(last, nowMs)],
    ['last error', last?.status === 'failed' ? lock.lastError : undefined],
    ['newest tick done', lock.doneTick && shortInstant(lock.doneTick)],
    ['open ticks', ticksWords(lock.openTicks ?? [])],
    ['of them missed', ticksWords(missedTicksOf(lock))],
    ['failures in a row', lock.failuresInARow > 0 ? String(lock.failuresInARow) : undefined],
  ];
  return facts.filter((fact): fact is [string, string] => fact[1] !== undefined);
}

/** The state, with a pause first. */
export function stateWords({ state, underlyingState }: Pick<LockInfo, 'state' | 'underlyingState'>): string {
  return underlyingState ? `${state} (${underlyingState})` : state;
}

function holderFacts(lock: LockInfo, nowMs: number): [string, string | undefined][] {
  const { lockedBy, lockedAt, lockUntil, tick } = lock;
  const state = stateWithoutPause(lock);
  const isTaken = state === 'held' || state === 'expired';
  const isKept = isTaken || state === 'waiting';
  return [
    [isTaken ? 'holder' : 'last holder', lockedBy],
    [isTaken ? 'tick' : 'last tick', tick && shortInstant(tick)],
    ['locked at', lockedAt && `${toTheSecond(lockedAt)}, ${shortSpan(nowMs - lockedAt.getTime())} ago`],
    ['locked until', isKept && lockUntil ? untilWords(lockUntil, nowMs) : undefined],
  ];
}

function untilWords(until: Date, nowMs: number): string {
  const leftMs = until.getTime() - nowMs;
  return `${toTheSecond(until)}, ${leftMs > 0 ? `${shortSpan(leftMs)} from now` : `${shortSpan(-leftMs)} ago`}`;
}

/** How a run ended and when, and which one it was. */
function resultWords({ status, tick, lockedAt, durationMs, fencingToken }: RunInfo, nowMs: number): string {
  const run = tick ? `tick ${shortInstant(tick)}` : `token ${fencingToken}`;
  const end = new Date(lockedAt.getTime() + (durationMs ?? Number.NaN));
  // A row that somebody else has written may hold any duration.
  if (Number.isNaN(end.getTime())) return `${status} (${run})`;
  return `${status} at ${toTheSecond(end)}, ${shortSpan(nowMs - end.getTime())} ago (${run})`;
}

function ticksWords(ticks: readonly Date[]): string | undefined {
  return ticks.length === 0 ? undefined : ticks.map(shortInstant).join(', ');
}
