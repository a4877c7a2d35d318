import { run } from '../core/run/engine.js';
import type { Task } from '../core/run/task.js';
import { jittered, pause } from '../core/values/pause.js';
import type { Signal } from '../core/values/signal.js';
import type { Candidate } from './candidate.js';

/** Least time between two requests to a store whose lease seems to be over, and how long it may seem so. */
const OVERDUE_RETRY_MS = 100;
const LONGEST_OVERDUE_MS = 2_000;

/** A candidate, and how long it waits at most before it asks again. */
export interface Standing extends Candidate {
  readonly retryMs: number;
}

/** Asks for the lead again and again, and serves each term that is granted, until the signal aborts. Never rejects. */
export async function stand(serve: Task<void>, standing: Standing, shutdown: Signal): Promise<void> {
  const { name, candidate, leaseMs, policy, retryMs } = standing;
  const { clock } = policy;
  while (!shutdown.aborted) {
    let pauseMs = jittered(retryMs / 2, retryMs);
    try {
      const outcome = await run(serve, { name, lockedBy: candidate, leaseMs, shutdown }, policy);
      const isHeld = outcome.status === 'skipped' && outcome.reason === 'locked';
      const leftMs = isHeld ? leaseLeft(outcome.holder?.lockUntil, clock.now()) : pauseMs;
      // This clock cannot judge a lease that seems to be over for longer.
      if (leftMs > -LONGEST_OVERDUE_MS) pauseMs = Math.min(pauseMs, Math.max(OVERDUE_RETRY_MS, leftMs));
    } catch {
      // The observers were told. The next try may succeed.
    }
    await pause(pauseMs, clock, shutdown);
  }
}

function leaseLeft(lockUntil: string | undefined, nowMs: number): number {
  return lockUntil === undefined ? Number.POSITIVE_INFINITY : Date.parse(lockUntil) - nowMs;
}
