import type { Policy } from '../options/policy.js';
import { type Observer, type Tell, type TracingObserver, tellAll } from '../public/events.js';
import { newAttemptId } from '../values/attempt-id.js';
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

/** A dot, then what the observer can make its span of again. */
const TRACE = /^\.[\w-]{1,64}$/;

/**
 * The end of each attempt id of a call: what the first observer that traces it has to say, or nothing. An observer that
 * fails, or says something else, changes nothing.
 */
export function beginTrace({ observers, clock }: Policy): string {
  const tracing: readonly (Observer & Partial<TracingObserver>)[] = observers;
  for (const observer of tracing) {
    try {
      const trace: unknown = observer.beginTrace?.(clock.now());
      if (typeof trace === 'string' && TRACE.test(trace)) return trace;
    } catch {
      // An observer's failure is its own; the run goes on.
    }
  }
  return '';
}
