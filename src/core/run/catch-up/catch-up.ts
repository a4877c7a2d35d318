import type { Tell } from '../../public/events.js';
import type { CaughtUp } from '../../public/outcome.js';
import { dateOf } from '../../values/date-of.js';
import { defined } from '../../values/defined.js';
import { type HeldLock, runFor } from '../guarded-execution.js';
import type { Invocation } from '../invocation.js';
import { timeIsUp } from '../run-ends.js';
import type { Task } from '../task.js';
import type { CatchUpPlan } from './plan.js';

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
    if (caughtUp.length === 1) tellGivenUp(plan, invocation.tell);
  }
  if (plan.isTooLong) return { caughtUp, failure: { error: timeIsUp(invocation.order.name, 'CATCH_UP') } };
  return signal.aborted && caughtUp.length > 0 ? { caughtUp, failure: { error: signal.reason } } : { caughtUp };
}

/** Told once it is written. */
export function tellGivenUp({ givenUpTicksMs }: CatchUpPlan, tell: Tell): void {
  if (givenUpTicksMs.length > 0) tell({ type: 'given-up', ticks: givenUpTicksMs.map((tick) => new Date(tick)) });
}

/**
 * @throws what the task throws
 * @throws LockLostError
 * @throws LockStoreError, CorruptLockError, after which the tick may be marked or not
 */
async function runTick(task: Task<unknown>, held: HeldLock, invocation: Invocation, tickMs: number): Promise<CaughtUp> {
  const { lease, watch, extender, limitMono } = held;
  const { givenUpTicksMs, keepTicks } = held.plan;
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
  const leaseMs = Math.min(lease.leaseMs, Math.max(0, Math.floor(limitMono - clock.monotonic())));
  if ((await extender.mark({ tickMs, leaseMs, givenUpTicksMs, ...defined({ keepTicks }) })) === 'lost') {
    throw watch.lostBecause;
  }
  tell('succeeded');
  return end;
}
