import type { Policy } from '../options/policy.js';
import { type Tell, tellAll } from '../public/events.js';
import { newAttemptId } from '../values/attempt-id.js';
import type { Order } from './order.js';

/** One attempt at a call: what is asked, by which policy, and who is told. */
export interface Invocation {
  readonly order: Order;
  readonly policy: Policy;
  readonly attemptId: string;
  readonly tell: Tell;
}

/** A new attempt. One that waits makes a new attempt for each try. */
export function invocationOf(order: Order, policy: Policy): Invocation {
  const attemptId = newAttemptId();
  const { name, tickMs } = order;
  return { order, policy, attemptId, tell: tellAll(policy.observers, policy.clock, { name, attemptId, tickMs }) };
}
