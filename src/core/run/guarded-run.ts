import type { Completion, Granted, Lease } from '../ports/lock-store.js';
import { type DeadlineError, errorName, LockStoreError, toStoreError } from '../public/errors.js';
import type { Tell } from '../public/events.js';
import { type Executed, publicPrevious, type ReleaseStatus } from '../public/outcome.js';
import { leaseExtender } from './extender.js';
import { factsOf, guardedExecution, missedBefore, undoneBefore } from './guarded-execution.js';
import { startHeartbeat } from './heartbeat.js';
import { type Hold, holdOf, isOver } from './hold.js';
import type { Invocation } from './invocation.js';
import { watchLease } from './lease-watch.js';
import { holdLimitMono, runEnds, timeIsUp } from './run-ends.js';
import { releaseCall } from './store-calls.js';
import { conclude, type Settled, settle, type Task } from './task.js';

/**
 * Runs a task on a confirmed grant: watch, run, release, tell. Its value or error reaches the caller untouched,
 * whatever becomes of the release, and nothing is released before the task has settled.
 */
export async function runGuarded<T>(task: Task<T>, granted: Granted, asked: Invocation): Promise<Executed<T>> {
  const { lease } = granted;
  const { clock } = asked.policy;
  const tell = lossOnce(asked.tell);
  const invocation = { ...asked, tell };

  // 1. A grant that is over at its arrival, or comes when the process is told to end, is given back; nothing runs.
  const startedMono = clock.monotonic();
  const refusal = whyNotRun(granted, invocation, startedMono);
  if (refusal) {
    tell({ type: 'acquire-failed', error: refusal });
    await releaseLease(lease, givenBack(refusal.code, invocation), invocation);
    throw refusal;
  }

  // 2. Tell what the grant says of the past.
  tellPast(lease, invocation);

  // 3. Run the task, with an eye on the clocks, and keep the lease alive where that is asked for.
  const settled = await runHeld(task, granted, invocation);

  // 4. Release with the verdict, then give back what the task gave.
  const durationMs = Math.round(clock.monotonic() - startedMono);
  const status = await releaseLease(lease, completionOf(settled, lease, durationMs, invocation), invocation);
  const value = conclude(settled, { durationMs, release: status }, tell);
  return { status: 'executed', ...factsOf(lease, invocation), value, release: status, durationMs };
}

/** The watch and the release may both find a lock lost; observers are told once. */
function lossOnce(tell: Tell): Tell {
  let isTold = false;
  return (body) => {
    if (body.type === 'lost' && isTold) return;
    isTold ||= body.type === 'lost';
    tell(body);
  };
}

function whyNotRun(
  granted: Granted,
  { order, policy }: Invocation,
  monotonic: number,
): LockStoreError | DeadlineError | undefined {
  const now = { monotonic, wall: policy.clock.now() };
  if (isOver(holdOf(granted.lease, granted.capMono), now)) {
    return grantIsOver(order.name, isOver(trueHold(granted), now) ? 'LATE' : 'CLOCK_SKEW');
  }
  return order.shutdown?.aborted ? timeIsUp(order.name, 'SHUTDOWN') : undefined;
}

/** The hold as it would be if this host's clock had not been behind, as far as the server's clock proves that it is. */
function trueHold({ lease, capMono = Number.POSITIVE_INFINITY, clock }: Granted): Hold {
  return holdOf(lease, capMono + (clock?.minMs ?? 0));
}

const GRANT_IS_OVER = {
  CLOCK_SKEW: "by the server's clock its lease is over already; set this host's clock right, or raise lockAtMostFor",
  LATE: 'no time of its lease was left when the answer came; try again, or raise lockAtMostFor',
} as const;

function grantIsOver(name: string, code: keyof typeof GRANT_IS_OVER): LockStoreError {
  return new LockStoreError(`acquire of lock "${name}" came to nothing: ${GRANT_IS_OVER[code]}`, {
    code,
    lockName: name,
    operation: 'acquire',
    retryable: true,
  });
}

/** The completion of a run that never began. */
function givenBack(error: string, { order, policy }: Invocation): Completion {
  const markTickFailed = policy.tickMark === 'success' && order.tickMs !== undefined;
  return { result: 'failed', lockAtLeastForMs: 0, markTickDone: false, markTickFailed, durationMs: 0, error };
}

function tellPast(lease: Lease, { policy, tell }: Invocation): void {
  const { fencingToken, previous } = lease;
  tell({ type: 'acquired', fencingToken });
  if (previous?.status === 'crashed') tell({ type: 'recovered', previous: publicPrevious(previous) });
  const ticks = missedBefore(lease, policy.schedule);
  if (ticks.length > 0) tell({ type: 'missed', ticks });
}

/** Nothing is sent for this lease, and no timer is left, once this has resolved. */
async function runHeld<T>(task: Task<T>, { lease, capMono }: Granted, invocation: Invocation): Promise<Settled<T>> {
  const { order, policy, tell } = invocation;
  const { name, tickMs, shutdown } = order;
  const { clock, store } = policy;
  const { fencingToken } = lease;
  const limitMono = holdLimitMono(order, policy, lease);
  const watch = watchLease(name, clock, {
    hold: holdOf(lease, capMono),
    ends: runEnds(order, policy, limitMono),
    shutdown,
    onLost: () => tell({ type: 'lost', fencingToken }),
  });
  const extender = leaseExtender(lease, watch, invocation);
  const held = { lease, watch, extender, limitMono };
  const execution = guardedExecution(held, invocation);
  tell({ type: 'started', fencingToken });
  const heartbeat = policy.keepAlive ? startHeartbeat(held, clock) : undefined;
  const isHeld = () => !watch.isLost() && !watch.isStopped();
  const settled = await settle(task, { execution, store, tickMs, isHeld });
  heartbeat?.stop();
  await extender.close();
  watch.stop();
  return settled;
}

function completionOf(settled: Settled<unknown>, lease: Lease, durationMs: number, { policy }: Invocation): Completion {
  const failed = 'error' in settled;
  const byResult = policy.tickMark === 'success' && lease.tickMs !== undefined;
  return {
    result: failed ? 'failed' : 'succeeded',
    lockAtLeastForMs: failed && policy.onError === 'release' ? 0 : policy.lockAtLeastForMs,
    markTickDone: !failed && byResult,
    markTickFailed: failed && byResult,
    durationMs,
    ...(failed ? { error: errorName(settled.error) } : { missedTicksMs: undoneBefore(lease, policy.schedule) }),
  };
}

/** Never rejects: what fails after the task must not replace the task's result. */
async function releaseLease(lease: Lease, completion: Completion, invocation: Invocation): Promise<ReleaseStatus> {
  const { order, policy, tell } = invocation;
  const { fencingToken } = lease;
  try {
    const status = await policy.store.release(lease, completion, releaseCall(order, policy));
    if (status === 'released') {
      const heldMs = Math.round(policy.clock.monotonic() - lease.firstSentMono);
      tell({ type: 'released', fencingToken, heldMs });
    }
    if (status === 'lost') tell({ type: 'lost', fencingToken });
    if (status === 'unknown') tell({ type: 'release-failed', error: releaseUnknown(order.name) });
    return status;
  } catch (error) {
    tell({ type: 'release-failed', error: toStoreError(error, 'release', order.name) });
    return 'unknown';
  }
}

function releaseUnknown(name: string): LockStoreError {
  return new LockStoreError(
    `release of lock "${name}" went unanswered and the record no longer tells whether it was applied; at worst its tick runs again`,
    { code: 'UNAVAILABLE', lockName: name, operation: 'release', retryable: false },
  );
}
