import type { Policy } from '../options/policy.js';
import type { AcquireResult, Claim, ClockBounds, Holder, Refused } from '../ports/lock-store.js';
import { type DeadlineError, toStoreError } from '../public/errors.js';
import type { EventBody } from '../public/events.js';
import { factsOfSkip, type Outcome, publicHolder, type Skipped, type SkipReason } from '../public/outcome.js';
import { jittered, pause } from '../values/clock.js';
import { defined } from '../values/defined.js';
import { dateOf } from '../values/tick.js';
import { truncateUtf8 } from '../values/utf8.js';
import { runGuarded } from './guarded-run.js';
import type { Order, Task } from './invocation.js';
import { beginTrace, type Invocation, invocationOf } from './invocation.js';
import { outerRun, runNested } from './nested-run.js';
import { stopMono, timeIsUp, turnTooLate } from './run-ends.js';
import { acquireCall } from './store-calls.js';
import { inTurn } from './turns.js';
import { isSwitchedOff, runUnguarded } from './unguarded-run.js';

const MAX_LOCKED_BY_BYTES = 128;
/** Pause between two tries of one who waits. The same range for all, so that nobody who waits falls behind. */
const SHORTEST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 500;

/** Where a call that may wait stands. */
interface Wait {
  /** The refusal of the try before: a store that is silent since does not make the lock free. */
  readonly held: Refused | undefined;
  /** The monotonic instant at which it gives up. */
  readonly endMono: number;
  readonly mayWait: () => boolean;
}

/**
 * Runs a task under a lock, or says why not. Promises: the task runs only on a confirmed grant, inside a run that
 * holds the lock already, or unguarded where the policy or the off switch says so. A failed store is never reported as
 * a held lock. Does not promise to stop a task that ignores its signal.
 */
export async function run<T>(task: Task<T>, order: Order, policy: Policy): Promise<Outcome<T>> {
  const { clock, store } = policy;
  const isOff = isSwitchedOff(store);
  const outer = outerRun(order, store);
  if (outer && !isOff) return runNested(task, outer, clock);

  const { shutdown, unreadableTick, scheduleArn } = order;
  const lastMono = stopMono(order, policy) ?? Number.POSITIVE_INFINITY;
  const waitEndMono = Math.min(clock.monotonic() + policy.waitMs, lastMono);
  const trace = beginTrace(policy);
  let held: Refused | undefined;
  for (;;) {
    const invocation = invocationOf(order, policy, trace);
    if (!held && unreadableTick !== undefined) {
      invocation.tell({ type: 'tick-unreadable', value: unreadableTick, ...defined({ scheduleArn }) });
    }
    if (!held && !isOff) invocation.tell({ type: 'attempted' });
    if (shutdown?.aborted) throw endedBefore(invocation, timeIsUp(order.name, 'SHUTDOWN'));
    if (isOff) return runUnguarded(task, invocation);

    const pauseMs = jittered(SHORTEST_WAIT_MS, LONGEST_WAIT_MS);
    const mayWait = () => clock.monotonic() + pauseMs < waitEndMono;
    const endMono = held ? waitEndMono : lastMono;
    const outcome = await attempt(task, invocation, { held, endMono, mayWait });
    if (outcome.status !== 'refused') return outcome;
    held = outcome;
    await pause(pauseMs, clock, shutdown);
  }
}

/** One acquire and what follows from it; the refusal itself when it may be tried again. */
async function attempt<T>(
  task: Task<T>,
  invocation: Invocation,
  { held, endMono, mayWait }: Wait,
): Promise<Outcome<T> | Refused> {
  const { order, policy, tell } = invocation;
  let result: AcquireResult | undefined;
  try {
    const waiting = { clock: policy.clock, untilMono: endMono, signal: order.shutdown };
    result = await inTurn(policy.store, waiting, () =>
      policy.store.acquire(claimFor(invocation), acquireCall(order, policy)),
    );
  } catch (cause) {
    const error = toStoreError(cause, 'acquire', order.name);
    const next = nextAfter(error, policy, held && mayWait());
    tell({ type: 'acquire-failed', error, next });
    if (next === 'throw') throw error;
    if (next === 'run') return runUnguarded(task, invocation);
    if (!held) return skip(invocation, 'store-unavailable');
    return next === 'wait' ? held : skip(invocation, held.reason, held.holder);
  }

  if (!result) {
    if (held) return skip(invocation, held.reason, held.holder);
    const isEnding = order.shutdown?.aborted;
    throw endedBefore(invocation, isEnding ? timeIsUp(order.name, 'SHUTDOWN') : turnTooLate(order.name));
  }
  const clockSkewMs = checkClock(result.clock, invocation);
  if (result.status === 'refused') {
    if (factsOfSkip(result.reason).isHeld && mayWait()) return result;
    return skip(invocation, result.reason, result.holder);
  }
  if (result.clockUnverified) tell({ type: 'clock-unverified' });
  return { ...(await runGuarded(task, result, invocation)), ...defined({ clockSkewMs }) };
}

type NextStep = Extract<EventBody, { type: 'acquire-failed' }>['next'];

/** @param mayWait whether a call that has been refused before has time for another try; undefined before a refusal */
function nextAfter(
  { code }: { readonly code: string },
  { onStoreError }: Policy,
  mayWait: boolean | undefined,
): NextStep {
  if (code !== 'UNAVAILABLE') return 'throw';
  if (mayWait === undefined || onStoreError === 'throw') return onStoreError;
  return mayWait ? 'wait' : 'skip';
}

/** The call ends before it has asked for the lock. */
function endedBefore({ tell }: Invocation, error: DeadlineError): DeadlineError {
  tell({ type: 'acquire-failed', error, next: 'throw' });
  return error;
}

function claimFor({ order, policy, attemptId }: Invocation): Claim {
  return {
    name: order.name,
    attemptId,
    leaseMs: order.leaseMs,
    lockedBy: truncateUtf8(order.lockedBy, MAX_LOCKED_BY_BYTES),
    markTickAtStart: policy.tickMark === 'start',
    ...defined({ tickMs: order.tickMs }),
  };
}

function skip({ order, tell }: Invocation, reason: SkipReason, holder?: Holder): Skipped {
  const why = () => ({ reason, ...defined({ holder: holder && publicHolder(holder) }) });
  // A store of somebody else may not tell the attempt.
  tell({ type: 'skipped', ...why(), ...defined({ holderTrace: holder?.attemptId?.split('.')[1] }) });
  const tick = dateOf(order.tickMs)?.toISOString();
  return { status: 'skipped', name: order.name, ...defined({ tick }), ...why() };
}

/** Tells of a clock that is surely further off than allowed; its likeliest offset in that case. */
function checkClock(bounds: ClockBounds | undefined, { policy, tell }: Invocation): number | undefined {
  const maxMs = policy.maxClockSkewMs;
  if (!bounds || (bounds.minMs <= maxMs && bounds.maxMs >= -maxMs)) return undefined;
  tell({ type: 'clock-skew', ...bounds });
  return Math.round((bounds.minMs + bounds.maxMs) / 2);
}
