import type { Policy } from '../options/policy.js';
import type { AcquireResult, Claim, ClockBounds, Granted, Holder, LockStore, Refused } from '../ports/lock-store.js';
import { RunEndedError, toStoreError } from '../public/errors.js';
import type { EventBody } from '../public/events.js';
import { type Frame, findFrame, runNestedInFrame } from '../public/execution.js';
import {
  type Executed,
  factsOfSkip,
  type Outcome,
  publicHolder,
  type Skipped,
  type SkipReason,
} from '../public/outcome.js';
import { type Clock, jittered, pause } from '../values/clock.js';
import { defined } from '../values/defined.js';
import { scheduleMark, scheduleMarkIn, truncateUtf8 } from '../values/names.js';
import { dateOf, isTickOf, storedText } from '../values/tick.js';
import { acquireCall, stopMono, timeIsUp } from './deadlines.js';
import { runGuarded } from './guarded-run.js';
import { beginTrace, type Invocation, invocationOf, type Order, ofCall, type Task } from './invocation.js';
import { isSwitchedOff, runUnguarded } from './unguarded-run.js';

const MAX_LOCKED_BY_BYTES = 128;
/**
 * The shortest and the longest pause between two tries of a call that waits. They are the same for all calls, so that
 * no call falls behind.
 */
const SHORTEST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 500;

/**
 * Runs a task under a lock, or returns why the task did not run. Promises: the task runs only on a confirmed grant,
 * inside a run that already holds the lock, or unguarded if the policy or the off switch says so. A failed store is
 * never reported as a held lock. Does not promise to stop a task that ignores its signal.
 */
export async function run<T>(task: Task<T>, order: Order, policy: Policy): Promise<Outcome<T>> {
  const { clock, store } = policy;
  const isOff = isSwitchedOff(store);

  // 1. A call inside a run that already holds this lock needs no lock of its own.
  const outer = isOff ? undefined : outerRun(order, store);
  if (outer) return runNested(task, outer, clock);

  // 2. The call begins.
  const trace = beginTrace(policy);
  const first = invocationOf(order, policy, trace);
  const { unreadableTick, scheduleArn } = order;
  if (unreadableTick !== undefined) {
    first.report({ type: 'tick-unreadable', value: unreadableTick, ...defined({ scheduleArn }) });
  }
  if (!isOff) first.report({ type: 'attempted' });
  throwIfEnding(first);
  if (isOff) return runUnguarded(task, first);
  if (isOffSchedule(first)) return skip(first, { reason: 'off-schedule' });

  // 3. The store answers: the lock is granted, or the call is skipped, or it may run without a lock.
  const { invocation, answer } = await waitForLock(first, trace);
  if (answer.status === 'skipped') return answer;
  if (answer.status === 'unguarded') return runUnguarded(task, invocation);

  // 4. The task runs under its lease, which is then released.
  const outcome = await runGuarded(task, answer, invocation);
  return { ...outcome, ...defined({ clockSkewMs: skewOf(answer.clock, policy) }) };
}

/** The answer to an attempt. It comes from the store, or from the policy if the store failed. */
type Answer = Granted | Skipped | { readonly status: 'unguarded' };

/** Asks for the lock. Asks again with a new attempt while the lock is held and the call may wait. */
async function waitForLock(
  first: Invocation,
  trace: string,
): Promise<{ readonly invocation: Invocation; readonly answer: Answer }> {
  const { order, policy } = first;
  const { clock } = policy;
  const lastMono = stopMono(order, policy) ?? Number.POSITIVE_INFINITY;
  const waitEndMono = Math.min(clock.monotonic() + policy.waitMs, lastMono);
  let invocation = first;
  let refusal: Refused | undefined;
  for (;;) {
    const pauseMs = jittered(SHORTEST_WAIT_MS, LONGEST_WAIT_MS);
    const mayWait = () => clock.monotonic() + pauseMs < waitEndMono;
    const answer = await ask(invocation, { refusal, endMono: refusal ? waitEndMono : lastMono, mayWait });
    if (answer.status !== 'refused') return { invocation, answer };
    refusal = answer;
    await pause(pauseMs, clock, order.shutdown);
    invocation = invocationOf(order, policy, trace);
    throwIfEnding(invocation);
  }
}

/** State of a call that waits. */
interface Wait {
  /**
   * The refusal of the previous attempt. If the store is unavailable now, the lock counts as held, except with
   * `onStoreError: 'throw'`.
   */
  readonly refusal: Refused | undefined;
  /** The monotonic instant at which the call gives up. */
  readonly endMono: number;
  readonly mayWait: () => boolean;
}

/**
 * Whether a call is for a tick that is not one of its schedule, and is to be skipped.
 *
 * @throws what a caller's own schedule throws
 */
function isOffSchedule(invocation: Invocation): boolean {
  const { tickMs } = invocation.order;
  const { schedule, offSchedule } = invocation.policy;
  try {
    return offSchedule === 'skip' && tickMs !== undefined && !isTickOf(schedule, tickMs);
  } catch (error) {
    throw endedBefore(invocation, error);
  }
}

/** Makes one attempt. Returns the refusal itself if the call may try again. */
async function ask(invocation: Invocation, { refusal, endMono, mayWait }: Wait): Promise<Answer | Refused> {
  const { order, policy, report } = invocation;
  let result: AcquireResult;
  try {
    result = await policy.store.acquire(claimFor(invocation), acquireCall(order, policy, endMono));
  } catch (cause) {
    if (cause instanceof RunEndedError) {
      // The turn of the call did not come in time.
      if (refusal) return skip(invocation, refusal);
      throwIfEnding(invocation);
      throw endedBefore(invocation, cause);
    }
    const error = toStoreError(cause, 'acquire', order.name);
    const next = nextAfter(error, policy, refusal && mayWait());
    report({ type: 'acquire-failed', error, next });
    if (next === 'throw') throw ofCall(order, error);
    if (next === 'run') return { status: 'unguarded' };
    if (!refusal) return skip(invocation, { reason: 'store-unavailable' });
    return next === 'wait' ? refusal : skip(invocation, refusal);
  }

  if (skewOf(result.clock, policy) !== undefined) report({ type: 'clock-skew', ...(result.clock as ClockBounds) });
  if (result.status === 'refused') {
    return factsOfSkip(result.reason).isHeld && mayWait() ? result : skip(invocation, result);
  }
  if (result.clockUnverified) report({ type: 'clock-unverified' });
  return result;
}

type NextStep = Extract<EventBody, { type: 'acquire-failed' }>['next'];

/**
 * Decides what a call does after an acquire failed.
 *
 * @param mayWait whether the call has time for another try; undefined if the lock has not refused it before
 */
function nextAfter(
  { code }: { readonly code: string },
  { onStoreError }: Policy,
  mayWait: boolean | undefined,
): NextStep {
  if (code !== 'UNAVAILABLE') return 'throw';
  if (mayWait === undefined || onStoreError === 'throw') return onStoreError;
  return mayWait ? 'wait' : 'skip';
}

/** @throws RunEndedError if the run is asked to end before the call has the lock */
function throwIfEnding(invocation: Invocation): void {
  const { name, shutdown } = invocation.order;
  if (shutdown?.aborted) throw endedBefore(invocation, timeIsUp(name, 'SHUTDOWN'));
}

function endedBefore<E>({ report }: Invocation, error: E): E {
  report({ type: 'acquire-failed', error, next: 'throw' });
  return error;
}

function claimFor({ order, policy, attemptId }: Invocation): Claim {
  return {
    name: order.name,
    attemptId,
    leaseMs: order.leaseMs,
    lockedBy: truncateUtf8(order.lockedBy, MAX_LOCKED_BY_BYTES),
    markTickAtStart: policy.tickMark === 'start',
    ...defined({
      tickMs: order.tickMs,
      schedule: order.tickMs === undefined ? undefined : storedText(policy.schedule),
    }),
  };
}

/** Why a call is skipped: the store refused it, or the policy skips it because the store failed. */
interface Why {
  readonly reason: SkipReason;
  readonly holder?: Holder | undefined;
}

function skip({ order, report }: Invocation, { reason, holder }: Why): Skipped {
  const why = () => ({ reason, ...defined({ holder: holder && publicHolder(holder) }) });
  // A caller's own store may leave out the holder's `attemptId`.
  const attempt = holder?.attemptId;
  const scheduleArn = isOther(scheduleMark(order.scheduleArn), scheduleMarkIn(attempt)) ? order.scheduleArn : undefined;
  report({ type: 'skipped', ...why(), ...defined({ holderTrace: attempt?.split('.')[1], scheduleArn }) });
  const tick = dateOf(order.tickMs)?.toISOString();
  return { status: 'skipped', name: order.name, ...defined({ tick }), ...why() };
}

/** Whether both calls are known to come from schedules, and from different ones. */
const isOther = (mark: string, markOfHolder: string | undefined): boolean =>
  mark !== '' && markOfHolder !== undefined && mark !== markOfHolder;

/**
 * Returns true time minus this host's clock, as the middle of its bounds; undefined unless the clock is certainly wrong
 * by more than `maxClockSkew`.
 */
function skewOf(bounds: ClockBounds | undefined, { maxClockSkewMs }: Policy): number | undefined {
  if (!bounds || (bounds.minMs <= maxClockSkewMs && bounds.maxMs >= -maxClockSkewMs)) return undefined;
  return Math.round((bounds.minMs + bounds.maxMs) / 2);
}

/**
 * Finds the run that has called this code, if that run holds the same lock of the same store. A run records only its
 * own tick, so a call for another tick needs a run of its own.
 */
function outerRun({ name, tickMs }: Order, store: LockStore): Frame | undefined {
  const isCovered = (tick: number | undefined) => tickMs === undefined || tickMs === tick;
  return findFrame(
    (frame) => frame.execution.name === name && frame.store === store && isCovered(frame.tickMs) && frame.isHeld(),
  );
}

/** Runs a task inside a run that holds the same lock: under the outer lock, without a write and without a release. */
async function runNested<T>(task: Task<T>, outer: Frame, clock: Clock): Promise<Executed<T>> {
  const { execution } = outer;
  const startedMono = clock.monotonic();
  const value = await runNestedInFrame(outer, () => task(execution));
  return {
    status: 'executed',
    name: execution.name,
    ...defined({ tick: execution.tick, previous: execution.previous }),
    fencingToken: execution.fencingToken,
    lockedAt: execution.lockedAt,
    missedTicks: execution.missedTicks,
    caughtUp: [],
    value,
    release: 'none',
    durationMs: Math.round(clock.monotonic() - startedMono),
  };
}
