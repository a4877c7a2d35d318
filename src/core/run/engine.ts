import type { Policy } from '../options/policy.js';
import type { AcquireResult, Claim, ClockBounds, Holder, Refused } from '../ports/lock-store.js';
import { findFrame } from '../public/current-execution.js';
import { toStoreError } from '../public/errors.js';
import { type Tell, tellAll } from '../public/events.js';
import { HELD_REASONS, type Outcome, publicHolder, type Skipped, type SkipReason } from '../public/outcome.js';
import { newAttemptId } from '../values/attempt-id.js';
import { dateOf } from '../values/date-of.js';
import { defined } from '../values/defined.js';
import { jittered, pause } from '../values/pause.js';
import { truncateUtf8 } from '../values/utf8.js';
import { runGuarded } from './guarded-run.js';
import { runNested } from './nested-run.js';
import { isSwitchedOff } from './off-switch.js';
import type { Order } from './order.js';
import { stopMono, timeIsUp } from './run-ends.js';
import { acquireCall } from './store-calls.js';
import type { Task } from './task.js';
import { runUnguarded } from './unguarded-run.js';

const MAX_LOCKED_BY_BYTES = 128;
/** Pause between two tries of one who waits. The same range for all, so that nobody who waits falls behind. */
const SHORTEST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 500;

/**
 * Runs a task under a lock, or says why not. Promises: the task runs only on a confirmed grant, inside a run that
 * holds the lock already, or unguarded where the policy or the off switch says so. A failed store is never reported as
 * a held lock. Does not promise to stop a task that ignores its signal.
 */
export async function run<T>(task: Task<T>, order: Order, policy: Policy): Promise<Outcome<T>> {
  const { clock, store } = policy;
  const isOff = isSwitchedOff(store);
  const { name, tickMs, unreadableTick, scheduleArn, shutdown } = order;
  // A run records its own tick alone, so that another tick needs a run of its own.
  const isCovered = (tick: number | undefined) => tickMs === undefined || tickMs === tick;
  const outer = findFrame((frame) => {
    return frame.execution.name === name && frame.store === store && isCovered(frame.tickMs) && frame.isHeld();
  });
  if (outer && !isOff) return runNested(task, outer, clock);

  const waitEndMono = Math.min(clock.monotonic() + policy.waitMs, stopMono(order, policy) ?? Number.POSITIVE_INFINITY);
  let held: Refused | undefined;
  for (;;) {
    if (shutdown?.aborted) throw timeIsUp(name, 'SHUTDOWN');
    const attemptId = newAttemptId();
    const tell = tellAll(policy.observers, clock, { name, attemptId, tickMs });
    if (!held && unreadableTick !== undefined) {
      tell({ type: 'tick-unreadable', value: unreadableTick, ...defined({ scheduleArn }) });
    }
    if (isOff) return runUnguarded(task, order, policy, tell);

    const pauseMs = jittered(SHORTEST_WAIT_MS, LONGEST_WAIT_MS);
    const mayWait = () => clock.monotonic() + pauseMs < waitEndMono;
    const outcome = await attempt(task, attemptId, order, policy, tell, held, mayWait);
    if (outcome.status !== 'refused') return outcome;
    held = outcome;
    await pause(pauseMs, clock, shutdown);
  }
}

/**
 * One acquire and what follows from it; the refusal itself when it may be tried again.
 *
 * @param held the refusal of the try before: a store that is silent since does not make the lock free
 */
async function attempt<T>(
  task: Task<T>,
  attemptId: string,
  order: Order,
  policy: Policy,
  tell: Tell,
  held: Refused | undefined,
  mayWait: () => boolean,
): Promise<Outcome<T> | Refused> {
  const { store } = policy;
  tell({ type: 'attempted' });
  let result: AcquireResult;
  try {
    result = await store.acquire(claimFor(order, attemptId, policy), acquireCall(order, policy));
  } catch (cause) {
    const error = toStoreError(cause, 'acquire', order.name);
    tell({ type: 'acquire-failed', error });
    if (policy.onStoreError === 'throw' || error.code !== 'UNAVAILABLE') throw error;
    if (held) return mayWait() ? held : skip(order, held.reason, held.holder, tell);
    if (policy.onStoreError === 'run') return runUnguarded(task, order, policy, tell);
    return skip(order, 'store-unavailable', undefined, tell);
  }

  const clockSkewMs = checkClock(result.clock, policy.maxClockSkewMs, tell);
  if (result.status === 'refused') {
    if (HELD_REASONS.includes(result.reason) && mayWait()) return result;
    return skip(order, result.reason, result.holder, tell);
  }
  if (result.clockUnverified) tell({ type: 'clock-unverified' });
  return runGuarded(task, result, clockSkewMs, order, policy, tell);
}

function claimFor(order: Order, attemptId: string, policy: Policy): Claim {
  return {
    name: order.name,
    attemptId,
    leaseMs: order.leaseMs,
    lockedBy: truncateUtf8(order.lockedBy, MAX_LOCKED_BY_BYTES),
    markTickAtStart: policy.tickMark === 'start',
    ...defined({ tickMs: order.tickMs }),
  };
}

function skip(order: Order, reason: SkipReason, holder: Holder | undefined, tell: Tell): Skipped {
  const why = () => ({ reason, ...defined({ holder: holder && publicHolder(holder) }) });
  tell({ type: 'skipped', ...why() });
  const tick = dateOf(order.tickMs)?.toISOString();
  return { status: 'skipped', name: order.name, ...defined({ tick }), ...why() };
}

/** Tells of a clock that is surely further off than allowed; its likeliest offset in that case. */
function checkClock(bounds: ClockBounds | undefined, maxMs: number, tell: Tell): number | undefined {
  if (!bounds || (bounds.minMs <= maxMs && bounds.maxMs >= -maxMs)) return undefined;
  tell({ type: 'clock-skew', ...bounds });
  return Math.round((bounds.minMs + bounds.maxMs) / 2);
}
