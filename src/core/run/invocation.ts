import type { Policy } from '../options/policy.js';
import type { Holder } from '../ports/lock-store.js';
import { type Tell, type TracingObserver, tellAll } from '../public/events.js';
import { newAttemptId } from '../values/attempt-id.js';
import { dateOf } from '../values/date-of.js';
import type { Order } from './order.js';

/** One attempt at a call: what is asked, by which policy, and who is told. */
export interface Invocation {
  readonly order: Order;
  readonly policy: Policy;
  readonly attemptId: string;
  readonly tell: Tell;
}

/**
 * A new attempt. One that waits makes a new attempt for each try.
 *
 * @param trace of the call, as `beginTrace` gives it
 */
export function invocationOf(order: Order, policy: Policy, trace: string): Invocation {
  const attemptId = newAttemptId() + trace;
  const { name, tickMs } = order;
  return { order, policy, attemptId, tell: tellAll(policy.observers, policy.clock, { name, attemptId, tickMs }) };
}

/** The end of each attempt id of a call: a dot and what the first observer that traces has to say, or nothing. */
export function beginTrace({ name }: Order, { observers, clock }: Policy): string {
  for (const observer of observers) {
    try {
      const trace = (observer as Partial<TracingObserver>).begin?.({ name, at: dateOf(clock.now()) });
      if (trace !== undefined && /^[\w-]{1,64}$/.test(trace)) return `.${trace}`;
    } catch {
      // An observer's failure is its own; the run goes on.
    }
  }
  return '';
}

/** The trace of whoever holds the lock, where it has left one. */
export function traceOf({ attemptId }: Holder): string | undefined {
  return attemptId.split('.')[1];
}
