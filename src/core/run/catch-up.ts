import type { Completion, Lease } from '../ports/lock-store.js';
import type { CorruptLockError, LockStoreError } from '../public/errors.js';
import type { CaughtUp } from '../public/outcome.js';
import { ticksDropped } from '../record/open-ticks.js';
import { defined } from '../values/defined.js';
import { ascending, dateOf, isTimed, MOST_LISTED } from '../values/tick.js';
import { type CatchUpPlan, NOTHING } from './catch-up-plan.js';
import { timeIsUp } from './deadlines.js';
import { type HeldLock, runFor } from './guarded-execution.js';
import { type Invocation, ofCall, type Task } from './invocation.js';

/** The error that ended the run. `tickMs` is the older tick whose task or mark failed; absent if none did. */
interface Failure {
  readonly error: unknown;
  readonly tickMs?: number;
}

/** The results of the older ticks. After a failure, the run's own tick does not run. */
export interface CatchUpResult {
  readonly caughtUp: CaughtUp[];
  readonly failure?: Failure;
}

/**
 * Runs the task for the ticks of a plan, oldest first, and marks each tick as done before the next tick starts. Stops
 * at the first failure, or when the time of the run is up: the other ticks stay open.
 */
export async function catchUp(task: Task<unknown>, held: HeldLock, invocation: Invocation): Promise<CatchUpResult> {
  const { plan, watch } = held;
  const { signal } = watch;
  const caughtUp: CaughtUp[] = [];
  for (const tickMs of plan.ticksMs) {
    if (signal.aborted) return { caughtUp, failure: { error: signal.reason } };
    try {
      caughtUp.push(await runTick(task, held, invocation, tickMs));
    } catch (error) {
      return { caughtUp, failure: { error, tickMs } };
    }
  }
  if (plan.isTooLong) return { caughtUp, failure: { error: timeIsUp(invocation.order.name, 'CATCH_UP') } };
  return signal.aborted && caughtUp.length > 0 ? { caughtUp, failure: { error: signal.reason } } : { caughtUp };
}

/**
 * Runs the task for an older tick, and marks the tick as done.
 *
 * @throws what the task throws
 * @throws LockLostError if the lock was lost
 * @throws LockStoreError, CorruptLockError if the mark failed; the tick may be marked or not
 */
async function runTick(task: Task<unknown>, held: HeldLock, invocation: Invocation, tickMs: number): Promise<CaughtUp> {
  const { clock } = invocation.policy;
  const startedMono = clock.monotonic();
  const settled = await runFor(task, held, { ...invocation, order: { ...invocation.order, tickMs } });
  const end = { tick: dateOf(tickMs), durationMs: Math.round(clock.monotonic() - startedMono) };
  const report = (status: 'succeeded' | 'failed') =>
    invocation.report({ type: 'caught-up', ...end, tick: dateOf(tickMs), status });
  if ('error' in settled) {
    report('failed');
    throw settled.error;
  }
  await markTick(held, invocation, tickMs);
  report('succeeded');
  return end;
}

/**
 * Marks a tick as done, and removes the plan's given-up ticks from the lists. After the first mark, the lists have no
 * such ticks.
 *
 * @throws LockLostError, LockStoreError, CorruptLockError
 */
async function markTick(held: HeldLock, invocation: Invocation, tickMs: number): Promise<void> {
  const { lease, watch, extender, limitMono, plan } = held;
  const { clock } = invocation.policy;
  const { ticksMs, givenUpTicksMs, keepTicks } = plan;
  const leaseMs = Math.min(lease.leaseMs, Math.max(0, Math.floor(limitMono - clock.monotonic())));
  const changes = { givenUpTicksMs, ...defined({ keepTicks }) };
  const dropped = ticksDropped({ ...extender.lease, tickMs }, { markTickDone: true, ...changes });
  let status: 'marked' | 'lost' | 'unknown' = 'unknown';
  try {
    status = await extender.mark({ tickMs, leaseMs, ...changes });
  } catch (error) {
    throw ofCall(invocation.order, error as LockStoreError | CorruptLockError);
  } finally {
    if (status !== 'lost') reportGivenUp(dropped, tickMs === ticksMs[0] ? plan : NOTHING, invocation);
  }
  if (status === 'lost') throw watch.lostBecause;
}

/*
 * The event `given-up` is reported after the mark or release that removes open ticks from the record, even if its
 * answer was lost. A tick may be reported twice. Ticks that a grant removes are reported only if its answer arrived.
 */

/**
 * Reports ticks that are given up, if there are any.
 *
 * @param dropped open ticks for which a list has no room, in addition to the ticks that the plan gives up
 */
function reportGivenUp(
  dropped: readonly number[],
  { givenUpTicksMs, othersGivenUp }: Pick<CatchUpPlan, 'givenUpTicksMs' | 'othersGivenUp'>,
  { report }: Pick<Invocation, 'report'>,
): void {
  const ticksMs = ascending([...givenUpTicksMs, ...dropped]);
  const named = ticksMs.slice(-MOST_LISTED);
  const others = othersGivenUp + ticksMs.length - named.length;
  if (named.length + others === 0) return;
  report({ type: 'given-up', ticks: named.map((tick) => new Date(tick)), others });
}

/** Reports the ticks that a grant after a crash has dropped. */
export function reportDroppedByGrant(lease: Lease, invocation: Invocation): void {
  if (!isFoundAgain(lease, invocation)) reportGivenUp(lease.droppedTicksMs ?? [], NOTHING, invocation);
}

/**
 * Reports the ticks that the release has dropped. If the release marks the run's tick as done, also reports the ticks
 * that the plan gives up, unless a mark has reported those ticks.
 */
export function reportGivenUpByRelease(
  lease: Lease,
  completion: Completion,
  plan: CatchUpPlan,
  invocation: Invocation,
): void {
  const dropped = ticksDropped(lease, completion);
  if (completion.markTickDone) reportGivenUp(dropped, completion.caughtUp ? NOTHING : plan, invocation);
  else if (!isFoundAgain(lease, invocation)) reportGivenUp(dropped, NOTHING, invocation);
}

/**
 * Whether a later run finds again a failed tick that was dropped from the lists. Once a tick is done, a run with a
 * schedule finds all ticks after the newest tick done.
 */
function isFoundAgain({ doneTickMs }: Lease, { policy }: Invocation): boolean {
  return doneTickMs !== undefined && isTimed(policy.schedule);
}
