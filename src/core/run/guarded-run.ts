import type { Completion, Granted, Lease } from '../ports/lock-store.js';
import { LockStoreError, toStoreError } from '../public/errors.js';
import type { Report } from '../public/events.js';
import { type Executed, publicPrevious, type ReleaseStatus } from '../public/outcome.js';
import { givenBack } from '../record/transition.js';
import { defined } from '../values/defined.js';
import { errorName, readThrownText } from '../values/thrown.js';
import { type CatchUpResult, catchUp, reportDroppedByGrant, reportGivenUpByRelease } from './catch-up.js';
import { type CatchUpPlan, NOTHING, planCatchUp } from './catch-up-plan.js';
import { holdLimitMono, releaseCall, runEnds, timeIsUp } from './deadlines.js';
import { leaseExtender, startHeartbeat } from './extender.js';
import { factsOf, runFor } from './guarded-execution.js';
import { type Hold, holdOf, isOver } from './hold.js';
import { conclude, type Invocation, ofCall, type Settled, type Task } from './invocation.js';
import { watchLease } from './lease-watch.js';

/**
 * Runs a task on a confirmed grant: watch, run, release, report. The caller gets the task's value or error unchanged,
 * even if the release fails. Nothing is released before the task has settled.
 */
export async function runGuarded<T>(task: Task<T>, granted: Granted, asked: Invocation): Promise<Executed<T>> {
  const { lease } = granted;
  const { clock } = asked.policy;
  const report = lossOnce(asked.report);
  const invocation = { ...asked, report };

  // 1. Give back the grant, and run nothing, if the lease had ended when the grant came, if the process is asked to
  // end, or if the schedule throws.
  const startedMono = clock.monotonic();
  let plan: CatchUpPlan;
  try {
    checkGrant(granted, invocation, startedMono);
    // A caller's own schedule may throw.
    plan = planCatchUp(lease, asked.policy);
  } catch (error) {
    report({ type: 'acquire-failed', error, next: 'throw' });
    const completion = givenBack(readThrownText(error, 'code') || errorName(error), isMarkedByResult(invocation));
    const status = await releaseLease({ lease, hold: undefined }, completion, invocation);
    reportDroppedByGrant(lease, invocation);
    if (status !== 'lost') reportGivenUpByRelease(lease, completion, NOTHING, invocation);
    throw error;
  }

  // 2. Report what the grant shows of the past: a run that crashed, ticks that were missed or dropped.
  reportPast(lease, plan, invocation);

  // 3. Run the task, first for the ticks to catch up with; with `keepAlive`, renew the lease.
  const ended = await runHeld(task, granted, plan, invocation);

  // 4. Release the lock and record the result, then return the task's value or throw its error.
  const { settled, caughtUp } = ended;
  const durationMs = Math.round(clock.monotonic() - startedMono);
  const completion = completionOf(ended, plan, durationMs, invocation);
  const status = await releaseLease(ended, completion, invocation);
  if (status !== 'lost') reportGivenUpByRelease(ended.lease, completion, plan, invocation);
  const value = conclude(settled, { durationMs, release: status }, report);
  return { status: 'executed', ...factsOf(lease, invocation, plan), value, caughtUp, release: status, durationMs };
}

/** Passes on only the first `lost` event: the watch and the release may both find that the lock is lost. */
function lossOnce(report: Report): Report {
  let isReported = false;
  return (body) => {
    if (body.type === 'lost' && isReported) return;
    isReported ||= body.type === 'lost';
    report(body);
  };
}

/** @throws LockStoreError if the lease is already over; RunEndedError if the run is already asked to end */
function checkGrant(granted: Granted, { order, policy }: Invocation, monotonic: number): void {
  const now = { monotonic, wall: policy.clock.now() };
  if (isOver(holdOf(granted.lease, granted.capMono), now)) {
    throw ofCall(order, grantIsOver(order.name, isOver(trueHold(granted), now) ? 'LATE' : 'CLOCK_SKEW'));
  }
  if (order.shutdown?.aborted) throw timeIsUp(order.name, 'SHUTDOWN');
}

/**
 * Computes the hold that this grant would have with a right clock on this host. Only the error that the server's clock
 * proves is taken out, and only if this clock is behind.
 */
function trueHold({ lease, capMono = Number.POSITIVE_INFINITY, clock }: Granted): Hold {
  return holdOf(lease, capMono + (clock?.minMs ?? 0));
}

const GRANT_IS_OVER = {
  CLOCK_SKEW: "by the server's clock its lease is over; correct this host's clock, or raise lockAtMostFor",
  LATE: 'its lease was over when the answer came; try again, or raise lockAtMostFor',
} as const;

function grantIsOver(name: string, code: keyof typeof GRANT_IS_OVER): LockStoreError {
  return new LockStoreError(`acquire of lock "${name}" failed: ${GRANT_IS_OVER[code]}`, {
    code,
    lockName: name,
    operation: 'acquire',
    retryable: true,
  });
}

/** Whether the end of a run marks its tick, as done or as failed. */
function isMarkedByResult({ order, policy }: Invocation): boolean {
  return policy.tickMark === 'success' && order.tickMs !== undefined;
}

function reportPast(lease: Lease, { missed }: CatchUpPlan, invocation: Invocation): void {
  const { fencingToken, previous } = lease;
  const { report } = invocation;
  report({ type: 'acquired', fencingToken });
  if (previous?.status === 'crashed') report({ type: 'recovered', previous: publicPrevious(previous) });
  const { ticksMs, others } = missed;
  if (ticksMs.length > 0) report({ type: 'missed', ticks: ticksMs.map((tick) => new Date(tick)), others });
  reportDroppedByGrant(lease, invocation);
}

/** How a run ended, and the lease to release. */
interface Ended<T> extends CatchUpResult {
  readonly settled: Settled<T>;
  readonly lease: Lease;
  readonly hold: Hold | undefined;
}

/**
 * Runs the task while the lock is held. Once the returned promise has resolved, no extension or mark is sent any more,
 * and no timer is left.
 */
async function runHeld<T>(
  task: Task<T>,
  { lease, capMono }: Granted,
  plan: CatchUpPlan,
  invocation: Invocation,
): Promise<Ended<T>> {
  const { order, policy, report } = invocation;
  const { name, shutdown } = order;
  const { clock } = policy;
  const { fencingToken } = lease;
  const limitMono = holdLimitMono(order, policy, lease);
  const watch = watchLease(name, clock, {
    hold: holdOf(lease, capMono),
    ends: runEnds(order, policy, limitMono),
    shutdown,
    onLost: () => report({ type: 'lost', fencingToken }),
  });
  const extender = leaseExtender(lease, watch, invocation);
  const held = { lease, watch, extender, limitMono, plan };
  report({ type: 'started', fencingToken });
  const heartbeat = policy.keepAlive ? startHeartbeat(held, clock) : undefined;
  const past = await catchUp(task, held, invocation);
  const settled = past.failure ?? (await runFor(task, held, invocation));
  heartbeat?.stop();
  await extender.close();
  watch.stop();
  return { ...past, settled, lease: extender.lease, hold: watch.hold };
}

function completionOf(
  { settled, caughtUp, failure }: Ended<unknown>,
  { leftMs, givenUpTicksMs, keepTicks }: CatchUpPlan,
  durationMs: number,
  invocation: Invocation,
): Completion {
  const { order, policy } = invocation;
  const failed = 'error' in settled;
  // A failed run by hand must not keep out the tick that is due next.
  const isFreed = failed && (policy.onError === 'release' || order.isManual);
  const byResult = isMarkedByResult(invocation);
  return {
    result: failed ? 'failed' : 'succeeded',
    lockAtLeastForMs: isFreed ? 0 : policy.lockAtLeastForMs,
    markTickDone: !failed && byResult,
    markTickFailed: failed && byResult,
    durationMs,
    ...(caughtUp.length > 0 && { caughtUp: caughtUp.length }),
    ...(failed
      ? { error: errorName(settled.error), ...defined({ failedTickMs: failure?.tickMs }) }
      : { missedTicksMs: leftMs, givenUpTicksMs, ...defined({ keepTicks }) }),
  };
}

/** Releases a lease. Never rejects: a failure after the task must not replace the task's result. */
async function releaseLease(
  { lease, hold }: Pick<Ended<unknown>, 'lease' | 'hold'>,
  completion: Completion,
  invocation: Invocation,
): Promise<ReleaseStatus> {
  const { order, policy, report } = invocation;
  const { fencingToken } = lease;
  try {
    const status = await policy.store.release(lease, completion, releaseCall(order, policy, hold));
    if (status === 'released') {
      const heldMs = Math.round(policy.clock.monotonic() - lease.firstSentMono);
      report({ type: 'released', fencingToken, heldMs });
    }
    if (status === 'lost') report({ type: 'lost', fencingToken });
    if (status === 'unknown') report({ type: 'release-failed', error: releaseUnknown(order.name) });
    return status;
  } catch (error) {
    report({ type: 'release-failed', error: toStoreError(error, 'release', order.name) });
    return 'unknown';
  }
}

function releaseUnknown(name: string): LockStoreError {
  return new LockStoreError(
    `release of lock "${name}" got no answer and the record no longer shows whether it was applied; at worst its tick runs again`,
    { code: 'UNAVAILABLE', lockName: name, operation: 'release', retryable: false },
  );
}
