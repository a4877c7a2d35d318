import type { CaughtUp } from '../../public/outcome.js';
import { ticksDropped } from '../../record/open-ticks.js';
import { dateOf } from '../../values/date-of.js';
import { defined } from '../../values/defined.js';
import { type HeldLock, runFor } from '../guarded-execution.js';
import type { Invocation } from '../invocation.js';
import { timeIsUp } from '../run-ends.js';
import type { Task } from '../task.js';
import { tellGivenUp } from './given-up.js';
import { NOTHING } from './plan.js';

/** The error, and the tick that had begun. */
interface Failure {
  readonly error: unknown;
  readonly tickMs?: number;
}

/** What became of the ticks before a run's own. After a failure the own one does not run. */
export interface CatchUpResult {
  readonly caughtUp: CaughtUp[];
  readonly failure?: Failure;
}

/**
 * Runs the task for the ticks of a plan, oldest first, and marks each as done before the next one starts. Stops at the
 * first failure, and when the time of the run is up: what is left stays open.
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
 * @throws what the task throws
 * @throws LockLostError
 * @throws LockStoreError, CorruptLockError, after which the tick may be marked or not
 */
async function runTick(task: Task<unknown>, held: HeldLock, invocation: Invocation, tickMs: number): Promise<CaughtUp> {
  const { clock } = invocation.policy;
  const startedMono = clock.monotonic();
  const settled = await runFor(task, held, { ...invocation, order: { ...invocation.order, tickMs } });
  const end = { tick: dateOf(tickMs), durationMs: Math.round(clock.monotonic() - startedMono) };
  const tell = (status: 'succeeded' | 'failed') =>
    invocation.tell({ type: 'caught-up', ...end, tick: dateOf(tickMs), status });
  if ('error' in settled) {
    tell('failed');
    throw settled.error;
  }
  await markTick(held, invocation, tickMs);
  tell('succeeded');
  return end;
}

/**
 * The first mark gives up what the plan does.
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
  } finally {
    if (status !== 'lost') tellGivenUp(dropped, tickMs === ticksMs[0] ? plan : NOTHING, invocation);
  }
  if (status === 'lost') throw watch.lostBecause;
}
