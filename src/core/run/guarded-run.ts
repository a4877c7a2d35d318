import { LONGEST_LEASE_MS, type Policy } from '../options/policy.js';
import type { Completion, Granted, PreviousRun } from '../ports/lock-store.js';
import { errorName, LockLostError, LockStoreError, toStoreError } from '../public/errors.js';
import type { Tell } from '../public/events.js';
import type { Execution } from '../public/execution.js';
import { type Executed, publicPrevious, type ReleaseStatus } from '../public/outcome.js';
import { dateOf } from '../values/date-of.js';
import { defined } from '../values/defined.js';
import { formatDuration, parseDuration } from '../values/duration.js';
import { missedTicks } from '../values/tick.js';
import { leaseExtender } from './extender.js';
import { startHeartbeat } from './heartbeat.js';
import { type Hold, holdOf, isOver } from './hold.js';
import { watchLease } from './lease-watch.js';
import type { Order } from './order.js';
import { holdLimitMono, runEnds, timeIsUp } from './run-ends.js';
import { releaseCall } from './store-calls.js';
import { conclude, settle, type Task } from './task.js';

/**
 * Runs a task on a confirmed grant: watch, run, release, tell. Its value or error reaches the caller untouched,
 * whatever becomes of the release, and nothing is released before the task has settled.
 */
export async function runGuarded<T>(
  task: Task<T>,
  granted: Granted,
  clockSkewMs: number | undefined,
  order: Order,
  policy: Policy,
  tell: Tell,
): Promise<Executed<T>> {
  const { clock, store } = policy;
  const { lease } = granted;
  const { fencingToken } = lease;

  let lostTold = false;
  const tellLost = () => {
    if (!lostTold) tell({ type: 'lost', fencingToken });
    lostTold = true;
  };
  const release = (completion: Completion) => releaseLease(granted, completion, order, policy, tell, tellLost);

  // 1. A grant that is over at its arrival, or comes when the process is told to end, is given back; nothing runs.
  const startedMono = clock.monotonic();
  const now = { monotonic: startedMono, wall: clock.now() };
  const hold = holdOf(lease, granted.capMono);
  const refusal = isOver(hold, now)
    ? grantIsOver(order.name, isOver(trueHold(granted), now) ? 'LATE' : 'CLOCK_SKEW')
    : order.shutdown?.aborted && timeIsUp(order.name, 'SHUTDOWN');
  if (refusal) {
    tell({ type: 'acquire-failed', error: refusal });
    await release({ result: 'failed', lockAtLeastForMs: 0, markTickDone: false, durationMs: 0, error: refusal.code });
    throw refusal;
  }

  // 2. Tell what the grant says of the past.
  tell({ type: 'acquired', fencingToken });
  const { previous } = lease;
  if (previous?.status === 'crashed') tell({ type: 'recovered', previous: publicPrevious(previous) });
  const missed = missedBefore(granted, policy.expectedEveryMs);
  if (missed.length > 0) tell({ type: 'missed', ticks: missed });

  // 3. Run the task, with an eye on the clocks, and keep the lease alive where that is asked for.
  const limitMono = holdLimitMono(order, policy, lease);
  const watch = watchLease(order.name, clock, {
    hold,
    ends: runEnds(order, policy, limitMono),
    shutdown: order.shutdown,
    onLost: tellLost,
  });
  const extender = leaseExtender(lease, watch, policy, tell);
  const hasEnded = () => new LockLostError(order.name, 'the run has ended');
  const assertHeld = () => {
    if (watch.isLost()) throw watch.lostBecause;
    if (watch.isStopped()) throw hasEnded();
  };
  // Made anew for the task and for the outcome: what one does to its copy does not reach the other.
  const facts = () => ({
    name: order.name,
    ...defined({ tick: dateOf(order.tickMs), previous: previous && publicPrevious(previous) }),
    fencingToken,
    lockedAt: dateOf(lease.lockedAtMs),
    missedTicks: missedBefore(granted, policy.expectedEveryMs),
  });
  const execution: Execution = {
    ...facts(),
    signal: watch.signal,
    get lockUntil() {
      return dateOf((watch.hold ?? hold).lockUntilMs);
    },
    recovering: isRecovering(previous, order.tickMs),
    ...defined({ attempt: order.attempt }),
    async extend(duration) {
      const leaseMs = parseDuration(duration, 'duration');
      assertHeld();
      checkLimit(leaseMs, limitMono - clock.monotonic());
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
  tell({ type: 'started', fencingToken });
  const heartbeat = policy.keepAlive ? startHeartbeat(lease.leaseMs, limitMono, extender, watch, clock) : undefined;
  const isHeld = () => !watch.isLost() && !watch.isStopped();
  const settled = await settle(task, { execution, store, tickMs: order.tickMs, isHeld });
  heartbeat?.stop();
  await extender.close();
  watch.stop();

  // 4. Release with the verdict, then give back what the task gave.
  const durationMs = Math.round(clock.monotonic() - startedMono);
  const failed = 'error' in settled;
  const status = await release({
    result: failed ? 'failed' : 'succeeded',
    lockAtLeastForMs: failed && policy.onError === 'release' ? 0 : policy.lockAtLeastForMs,
    markTickDone: !failed && policy.tickMark === 'success' && order.tickMs !== undefined,
    durationMs,
    ...defined({ error: failed ? errorName(settled.error) : undefined }),
  });
  const value = conclude(settled, durationMs, status, tell);
  return { status: 'executed', ...facts(), value, release: status, durationMs, ...defined({ clockSkewMs }) };
}

/** @throws RangeError for an extension past the limit */
function checkLimit(leaseMs: number, leftMs: number): void {
  if (leaseMs <= Math.min(leftMs, LONGEST_LEASE_MS)) return;
  if (leaseMs <= leftMs) throw new RangeError(`duration is ${formatDuration(leaseMs)}: give 24h at most`);
  throw new RangeError(
    `duration is ${formatDuration(leaseMs)}, past maxHold, which ends in ${formatDuration(Math.max(0, leftMs))}: extend by less, or raise maxHold`,
  );
}

/** Never rejects: what fails after the task must not replace the task's result. */
async function releaseLease(
  { lease }: Granted,
  completion: Completion,
  order: Order,
  policy: Policy,
  tell: Tell,
  tellLost: () => void,
): Promise<ReleaseStatus> {
  try {
    const status = await policy.store.release(lease, completion, releaseCall(order, policy));
    if (status === 'released') {
      const heldMs = Math.round(policy.clock.monotonic() - lease.firstSentMono);
      tell({ type: 'released', fencingToken: lease.fencingToken, heldMs });
    }
    if (status === 'lost') tellLost();
    if (status === 'unknown') tell({ type: 'release-failed', error: releaseUnknown(order.name) });
    return status;
  } catch (error) {
    tell({ type: 'release-failed', error: toStoreError(error, 'release', order.name) });
    return 'unknown';
  }
}

function missedBefore({ lease }: Granted, everyMs: number | undefined): Date[] {
  const { tickMs, doneTickMs = Number.NEGATIVE_INFINITY, previous } = lease;
  if (everyMs === undefined || tickMs === undefined) return [];
  // A failed run of this very tick must not hide the gap before it from its retry, which then counts from what is done.
  const previousMs = previous?.tickMs === tickMs ? undefined : previous?.tickMs;
  const lastMs = Math.max(doneTickMs, previousMs ?? Number.NEGATIVE_INFINITY);
  return lastMs === Number.NEGATIVE_INFINITY ? [] : missedTicks(lastMs, tickMs, everyMs);
}

function isRecovering(previous: PreviousRun | undefined, tickMs: number | undefined): boolean {
  if (previous?.status === 'crashed') return true;
  return previous?.status === 'failed' && tickMs !== undefined && previous.tickMs === tickMs;
}

/** The hold as it would be if this host's clock had not been behind, as far as the server's clock proves that it is. */
function trueHold({ lease, capMono = Number.POSITIVE_INFINITY, clock }: Granted): Hold {
  return holdOf(lease, capMono + (clock?.minMs ?? 0));
}

const GRANT_IS_OVER = {
  CLOCK_SKEW: "by the server's clock its lease is over already; set this host's clock right, or raise lockAtMostFor",
  LATE: 'no time of its lease was left when the answer came; try again, or raise lockAtMostFor',
} as const;

function grantIsOver(name: string, code: keyof typeof GRANT_IS_OVER): LockStoreError {
  return new LockStoreError(`acquire of lock "${name}" came to nothing: ${GRANT_IS_OVER[code]}`, {
    code,
    lockName: name,
    operation: 'acquire',
    retryable: true,
  });
}

function releaseUnknown(name: string): LockStoreError {
  return new LockStoreError(
    `release of lock "${name}" went unanswered and the record no longer tells whether it was applied; at worst its tick runs again`,
    { code: 'UNAVAILABLE', lockName: name, operation: 'release', retryable: false },
  );
}
