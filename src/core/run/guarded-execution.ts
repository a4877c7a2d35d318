import { LONGEST_LEASE_MS, type Policy } from '../options/policy.js';
import type { Lease, PreviousRun } from '../ports/lock-store.js';
import { LockLostError } from '../public/errors.js';
import type { Execution } from '../public/execution.js';
import { type Executed, publicPrevious } from '../public/outcome.js';
import { dateOf } from '../values/date-of.js';
import { defined } from '../values/defined.js';
import { formatDuration, parseDuration } from '../values/duration.js';
import { missedTicks } from '../values/tick.js';
import type { Extender } from './extender.js';
import type { Invocation } from './invocation.js';
import type { LeaseWatch } from './lease-watch.js';

/** The lock as a run has it: the lease, who watches it, who extends it, and until when that is possible. */
export interface HeldLock {
  readonly lease: Lease;
  readonly watch: LeaseWatch;
  readonly extender: Extender;
  readonly limitMono: number;
}

/** What the task of a guarded run is given. It judges by the watch, and sends a request only to extend. */
export function guardedExecution(held: HeldLock, invocation: Invocation): Execution {
  const { lease, watch, extender, limitMono } = held;
  const { order, policy } = invocation;
  const hasEnded = () => new LockLostError(order.name, 'the run has ended');
  const assertHeld = () => {
    if (watch.isLost()) throw watch.lostBecause;
    if (watch.isStopped()) throw hasEnded();
  };
  return {
    ...factsOf(lease, invocation),
    signal: watch.signal,
    get lockUntil() {
      return dateOf((watch.hold ?? lease).lockUntilMs);
    },
    recovering: isRecovering(lease.previous, order.tickMs),
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

/** What the task and the outcome both tell of a grant. Each gets a copy of its own: neither can change the other's. */
export function factsOf(lease: Lease, { order, policy }: Invocation): Facts {
  const { previous } = lease;
  return {
    name: order.name,
    ...defined({ tick: dateOf(order.tickMs), previous: previous && publicPrevious(previous) }),
    fencingToken: lease.fencingToken,
    lockedAt: dateOf(lease.lockedAtMs),
    missedTicks: missedBefore(lease, policy.schedule),
  };
}

/** Ticks that should have come since the last one that is known. */
export function missedBefore(lease: Lease, schedule: Policy['schedule']): Date[] {
  const { tickMs, doneTickMs = Number.NEGATIVE_INFINITY, previous } = lease;
  if (schedule === undefined || tickMs === undefined) return [];
  // The retry of a failed tick must still find the gap before that tick: it counts from the last tick that is done.
  const previousMs = previous?.tickMs === tickMs ? undefined : previous?.tickMs;
  const lastMs = Math.max(doneTickMs, previousMs ?? Number.NEGATIVE_INFINITY);
  return lastMs === Number.NEGATIVE_INFINITY ? [] : missedTicks(lastMs, tickMs, schedule);
}

/**
 * Ticks of the schedule between the last one done and the tick of this run: nobody has done them. A duration does not
 * tell when they were due.
 */
export function undoneBefore({ tickMs, doneTickMs }: Lease, schedule: Policy['schedule']): number[] {
  if (typeof schedule !== 'object' || tickMs === undefined || doneTickMs === undefined) return [];
  return missedTicks(doneTickMs, tickMs, schedule).map((tick) => tick.getTime());
}

function isRecovering(previous: PreviousRun | undefined, tickMs: number | undefined): boolean {
  if (previous?.status === 'crashed') return true;
  return previous?.status === 'failed' && tickMs !== undefined && previous.tickMs === tickMs;
}

/** @throws RangeError for an extension past the limit */
function checkLimit(leaseMs: number, leftMs: number): void {
  if (leaseMs <= Math.min(leftMs, LONGEST_LEASE_MS)) return;
  if (leaseMs <= leftMs) throw new RangeError(`duration is ${formatDuration(leaseMs)}: give 24h at most`);
  throw new RangeError(
    `duration is ${formatDuration(leaseMs)}, past maxHold, which ends in ${formatDuration(Math.max(0, leftMs))}: extend by less, or raise maxHold`,
  );
}
