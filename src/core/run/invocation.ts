import type { Policy } from '../options/policy.js';
import type { CorruptLockError, LockStoreError } from '../public/errors.js';
import { type Observer, type Report, reporter, type TracingObserver } from '../public/events.js';
import { type Execution, type Frame, runInFrame } from '../public/execution.js';
import type { Executed } from '../public/outcome.js';
import type { Signal } from '../values/clock.js';
import { BY_HAND, newAttemptId, scheduleMark } from '../values/names.js';
import { unawaited } from '../values/promised.js';

/** One attempt of a call: the order, the policy, and the way to report events. */
export interface Invocation {
  readonly order: Order;
  readonly policy: Policy;
  readonly attemptId: string;
  readonly report: Report;
}

/**
 * Makes a new attempt. A call that waits makes a new attempt for each try.
 *
 * @param trace the trace of the call, from `beginTrace`
 */
export function invocationOf(order: Order, policy: Policy, trace: string): Invocation {
  const { name, tickMs, scheduleArn, isManual } = order;
  const attemptId = newAttemptId(isManual && BY_HAND) + scheduleMark(scheduleArn) + trace;
  return { order, policy, attemptId, report: reporter(policy.observers, policy.clock, { name, attemptId, tickMs }) };
}

/** A trace: a dot, then text that lets the observer find its span again. */
const TRACE = /^\.[\w-]{1,64}$/;

/**
 * Finds the trace with which each attempt id of a call ends: the first trace that an observer returns, else an empty
 * string. An observer that fails, or returns anything else, is passed over.
 */
export function beginTrace({ observers, clock }: Policy): string {
  const tracing: readonly (Observer & Partial<TracingObserver>)[] = observers;
  for (const observer of tracing) {
    try {
      const trace: unknown = observer.beginTrace?.(clock.now());
      unawaited(trace);
      if (typeof trace === 'string' && TRACE.test(trace)) return trace;
    } catch {
      // An observer's failure does not stop the run.
    }
  }
  return '';
}

/** A function that runs under a lock. */
export type Task<T> = (execution: Execution) => T | PromiseLike<T>;

/** How a task ended: the value that it returned, or the value of any kind that it threw. */
export type Settled<T> = { readonly value: T } | { readonly error: unknown };

export async function settle<T>(task: Task<T>, frame: Frame): Promise<Settled<T>> {
  try {
    return { value: await runInFrame(frame, () => task(frame.execution)) };
  } catch (error) {
    return { error };
  }
}

/** Reports how the task ended, and returns its value or throws its error, by identity. */
export function conclude<T>(settled: Settled<T>, end: Pick<Executed<T>, 'durationMs' | 'release'>, report: Report): T {
  if ('error' in settled) {
    report({ type: 'failed', ...end, error: settled.error });
    throw settled.error;
  }
  report({ type: 'finished', ...end });
  return settled.value;
}

/** One call, as an adapter has read it from its platform. */
export interface Order {
  readonly name: string;
  readonly lockedBy: string;
  readonly leaseMs: number;
  readonly tickMs?: number;
  /** Whether the call is a run by hand. Such a call has no tick. */
  readonly isManual?: true | undefined;
  /** A scheduled time of the trigger that cannot be read. */
  readonly unreadableTick?: string;
  readonly scheduleArn?: string;
  readonly attempt?: number;
  /** The monotonic instant at which the platform ends the run. */
  readonly deadlineMono?: number;
  /** The monotonic instant at which the run must be over. @default deadlineMono */
  readonly runUntilMono?: number;
  /** Aborts when the process, or the caller of `executeWithLock`, asks the run to end. */
  readonly shutdown?: Signal;
}

/** The failure of the store that ended a call, by the order of the call. */
const FAILURES = new WeakMap<Order, LockStoreError | CorruptLockError>();

/** Remembers that a call ends with this failure of its store, and returns it. */
export function ofCall<E extends LockStoreError | CorruptLockError>(order: Order, failure: E): E {
  FAILURES.set(order, failure);
  return failure;
}

/**
 * Returns the failure of the store that ended a call: its task was not called for the call's own tick. Undefined if the
 * call ended in any other way, also if its task threw an error of a store.
 */
export function storeFailureOf(order: Order): LockStoreError | CorruptLockError | undefined {
  return FAILURES.get(order);
}
