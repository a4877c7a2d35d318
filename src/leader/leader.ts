import { logAndMetrics } from '../core/observers/default-observers.js';
import type { Holder } from '../core/ports/lock-store.js';
import { toStoreError } from '../core/public/errors.js';
import { reporter } from '../core/public/events.js';
import { publicHolder, type Skipped } from '../core/public/outcome.js';
import { looseCall } from '../core/run/deadlines.js';
import { isSwitchedOff } from '../core/run/unguarded-run.js';
import { checkKnown, describe, namesOf } from '../core/values/checks.js';
import { sentNow } from '../core/values/clock.js';
import { defined } from '../core/values/defined.js';
import type { Duration } from '../core/values/duration.js';
import { newAttemptId } from '../core/values/names.js';
import { type CandidateOptions, resolveCandidate } from './candidate.js';

export type { Member } from './candidate.js';
export { createLeaderElection, type ElectionOptions, type LeaderElection, type Leadership } from './election.js';

/** Options of `withLeadership`. */
export interface LeadershipOptions extends CandidateOptions {
  /** The candidate of this function: a region, or a deployment. All its processes use the same name. */
  readonly candidate: string;
  /**
   * How long a candidate leads after its last invocation. Choose more than the time between two invocations. A number is
   * milliseconds.
   */
  readonly lease: Duration;
}

const OPTIONS = namesOf<LeadershipOptions>({
  name: true,
  store: true,
  candidate: true,
  lease: true,
  observers: true,
  clock: true,
});

/**
 * Wraps a function that several regions or deployments run by the same schedule: only invocations of the leading
 * candidate run. The lead is sticky: each invocation of the leader renews it, and another candidate takes over once the
 * leader has not been invoked for a lease. Calls the store at most twice for each invocation. Promises no exclusion
 * between the leader's own invocations, nor for a run that outlasts the lease: wrap a function that has a lock of its
 * own.
 *
 * @example
 * ```ts
 * import { dynamoDBStore } from 'single-execution/dynamodb';
 * import { withLeadership } from 'single-execution/leader';
 *
 * export const handler = withLeadership(async (event: { time: string }) => console.log('leading at', event.time), {
 *   name: 'primary-region',
 *   candidate: process.env['AWS_REGION'] ?? 'local',
 *   store: dynamoDBStore({ tableName: 'locks' }),
 *   lease: '10m',
 * });
 * ```
 *
 * @returns the function; it resolves to a `Skipped` if another candidate leads
 * @throws TypeError, RangeError when wrapping, for invalid options; LockStoreError,
 *   CorruptLockError when the store failed
 */
export function withLeadership<A extends readonly unknown[], R>(
  handler: (...args: A) => R | PromiseLike<R>,
  options: LeadershipOptions,
): (...args: A) => Promise<R | Skipped> {
  if (typeof handler !== 'function') throw new TypeError(`handler is ${describe(handler)}: pass the function to wrap`);
  checkKnown(options, OPTIONS);
  const { name, candidate, leaseMs, policy } = resolveCandidate(
    options,
    options.candidate,
    options.lease,
    logAndMetrics,
  );
  const { store, observers, clock } = policy;

  /** Renews a lead that another process of this candidate was granted. */
  const renew = async (holder: Holder): Promise<boolean> => {
    const lease = { ...holder, name, leaseMs, ...sentNow(clock) };
    try {
      return (await store.extend(lease, { leaseMs }, looseCall(policy))).status === 'extended';
    } catch (cause) {
      throw toStoreError(cause, 'extend', name);
    }
  };

  return async function leaderOnly(this: unknown, ...args: A): Promise<R | Skipped> {
    const run = () => handler.apply(this, [...args] as unknown as [...A]);
    if (isSwitchedOff(store)) return run();
    const attemptId = newAttemptId();
    const report = reporter(observers, clock, { name, attemptId, tickMs: undefined });
    const claim = { name, attemptId, leaseMs, lockedBy: candidate, markTickAtStart: false };
    try {
      const asked = await store.acquire(claim, looseCall(policy));
      if (asked.status === 'refused') {
        const { reason, holder } = asked;
        const isOurs = reason === 'locked' && holder?.lockedBy === candidate && (await renew(holder));
        if (!isOurs) {
          const why = { reason, ...defined({ holder: holder && publicHolder(holder) }) };
          report({ type: 'skipped', ...why });
          return { status: 'skipped', name, ...why };
        }
      }
    } catch (cause) {
      const error = toStoreError(cause, 'acquire', name);
      report({ type: 'acquire-failed', error, next: 'throw' });
      throw error;
    }
    return run();
  };
}
