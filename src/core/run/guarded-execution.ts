import type { Lease } from '../ports/lock-store.js';
import { LockLostError } from '../public/errors.js';
import type { Execution } from '../public/execution.js';
import { type Executed, publicPrevious } from '../public/outcome.js';
import { isInstant } from '../record/lock-record.js';
import { defined } from '../values/defined.js';
import { formatDuration, parseDuration } from '../values/duration.js';
import { LONGEST_LEASE_MS } from '../values/lease.js';
import { dateOf } from '../values/tick.js';
import type { CatchUpPlan } from './catch-up-plan.js';
import type { Extender } from './extender.js';
import { type Invocation, type Settled, settle, type Task } from './invocation.js';
import type { LeaseWatch } from './lease-watch.js';

/**
 * The lock of a run: the granted lease, its watch, its extender, the instant at which extensions end, and the plan for
 * older ticks.
 */
export interface HeldLock {
  readonly lease: Lease;
  readonly watch: LeaseWatch;
  readonly extender: Extender;
  readonly limitMono: number;
  readonly plan: CatchUpPlan;
}

/**
 * Runs a task for the tick of an order: the run's own tick, or an older tick that the run catches up with. Looks at the
 * clocks just before the task: since the grant was checked, observers may have been slow, or the process may have been
 * suspended.
 */
export async function runFor<T>(task: Task<T>, held: HeldLock, invocation: Invocation): Promise<Settled<T>> {
  const { order, policy } = invocation;
  const { watch } = held;
  if (watch.isLost()) return { error: watch.lostBecause };
  const isHeld = () => !watch.isLost() && !watch.isStopped();
  const execution = guardedExecution(held, invocation);
  return settle(task, { execution, store: policy.store, tickMs: order.tickMs, isHeld });
}

/** Makes the execution of a guarded run. Its members read the watch; only `extend` sends a request. */
function guardedExecution(held: HeldLock, invocation: Invocation): Execution {
  const { lease, watch, extender, limitMono, plan } = held;
  const { order, policy } = invocation;
  const hasEnded = () => new LockLostError(order.name, 'the run has ended');
  const assertHeld = () => {
    if (watch.isLost()) throw watch.lostBecause;
    if (watch.isStopped()) throw hasEnded();
  };
  return {
    ...factsOf(lease, invocation, plan),
    // A grant does not read the record closely: a value that is not an instant is not a tick either.
    ...defined({ doneTick: isInstant(lease.doneTickMs) ? dateOf(lease.doneTickMs) : undefined }),
    isCatchUp: order.tickMs !== lease.tickMs,
    isManual: order.isManual === true,
    signal: watch.signal,
    get lockUntil() {
      return dateOf((watch.hold ?? lease).lockUntilMs);
    },
    recovering: isRecovering(lease, order.tickMs),
    ...defined({ attempt: order.attempt }),
    async extend(duration) {
      const leaseMs = parseDuration(duration, 'duration');
      assertHeld();
      checkLimit(leaseMs, limitMono - policy.clock.monotonic());
      const status = await extender.extend(leaseMs).catch((error: unknown) => {
        if (watch.isStopped()) throw hasEnded();
        throw error;
      });
      if (status === 'extended') return;
      assertHeld();
      throw hasEnded();
    },
    assertHeld,
  };
}

type Facts = Pick<Executed<unknown>, 'name' | 'tick' | 'previous' | 'fencingToken' | 'lockedAt' | 'missedTicks'>;

/**
 * Makes a copy of the facts of a grant. The task and the outcome each get their own copy, so neither can change the
 * copy of the other.
 */
export function factsOf(lease: Lease, { order }: Invocation, { missed, ticksMs }: CatchUpPlan): Facts {
  const { previous } = lease;
  const { tickMs = Number.NEGATIVE_INFINITY } = order;
  const left = missed.ticksMs.filter((tick) => tick < tickMs && !ticksMs.includes(tick));
  return {
    name: order.name,
    ...defined({ tick: dateOf(order.tickMs), previous: previous && publicPrevious(previous) }),
    fencingToken: lease.fencingToken,
    lockedAt: dateOf(lease.lockedAtMs),
    missedTicks: left.map((tick) => new Date(tick)),
  };
}

/**
 * Whether the task should look for unfinished work. Also true for an open tick that is older than the newest tick done:
 * the record does not show whether its run began.
 */
function isRecovering({ previous, failedTicksMs = [], openTicksMs = [] }: Lease, tickMs: number | undefined): boolean {
  if (previous?.status === 'crashed') return true;
  if (tickMs === undefined) return false;
  if (failedTicksMs.includes(tickMs) || openTicksMs.includes(tickMs)) return true;
  return previous?.status === 'failed' && previous.tickMs === tickMs;
}

/** @throws RangeError for an extension of more than 24 h, or past `maxHold` */
function checkLimit(leaseMs: number, leftMs: number): void {
  if (leaseMs <= Math.min(leftMs, LONGEST_LEASE_MS)) return;
  if (leaseMs <= leftMs) throw new RangeError(`duration is ${formatDuration(leaseMs)}: pass 24h at most`);
  throw new RangeError(
    `duration is ${formatDuration(leaseMs)}, past maxHold, which ends in ${formatDuration(Math.max(0, leftMs))}: extend by less, or raise maxHold`,
  );
}
