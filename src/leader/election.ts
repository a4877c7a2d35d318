import { operatorLog, warn } from '../core/observers/operator-log.js';
import { checkKnown, type DefaultObservers, LONGEST_LEASE_MS } from '../core/options/policy.js';
import type { LockStore } from '../core/ports/lock-store.js';
import type { MemberList, MemberStore } from '../core/ports/member-store.js';
import { errorName, LockLostError } from '../core/public/errors.js';
import type { Execution } from '../core/public/execution.js';
import { run } from '../core/run/engine.js';
import { looseCall } from '../core/run/store-calls.js';
import { watchedController } from '../core/run/watched-signal.js';
import { describe } from '../core/values/describe.js';
import { type Duration, parseDuration } from '../core/values/duration.js';
import { checkLockName, memberListName } from '../core/values/lock-name.js';
import { jittered, pause } from '../core/values/pause.js';
import type { Signal } from '../core/values/signal.js';
import { anyCandidate, type CandidateOptions, resolveCandidate } from './candidate.js';

/** Options of `createLeaderElection`. */
export interface ElectionOptions extends CandidateOptions {
  /** Any store of this library; the lock and the list of members are kept there. */
  readonly store: LockStore & MemberStore;
  /**
   * This process among the members; no other may have the same name. At most 64 UTF-8 bytes.
   *
   * @default the process id, `HOSTNAME` shortened in the middle, and something random
   */
  readonly candidate?: string;
  /** How long a leader that died stays one for others: 1 s to 24 h. Renewed every third of it. @default '15s' */
  readonly lease?: Duration;
  /** How long one who does not lead waits before it asks again, at most. @default a fifth of the lease */
  readonly retryEvery?: Duration;
  /** Called when this candidate leads. Its term lasts until the signal aborts, or until this throws. */
  readonly onStarted?: (leadership: Leadership) => unknown;
  /** Called at the end of each term, before the lead is given back. */
  readonly onStopped?: (leadership: Leadership) => unknown;
}

/** One term of one leader. */
export interface Leadership {
  /** The fencing token of the term: greater than every earlier one. Have what you write to refuse a smaller one. */
  readonly term: number;
  /**
   * Aborts when the term ends: with a `LockLostError` when the lead is lost, with a `DeadlineError` when the election is
   * stopped, or with what `onStarted` threw.
   */
  readonly signal: Signal;
  /** Throws a `LockLostError` unless this candidate still leads, judged by its clocks without a request. */
  assertLeader(): void;
}

export interface LeaderElection {
  readonly candidate: string;
  /** The term in which this candidate leads; undefined while it does not. */
  readonly term: number | undefined;
  /** Judged by this host's clocks without a request. */
  isLeader(): boolean;
  /** All who have checked in lately, each alive if it did within the lease. One request. */
  members(): Promise<Member[]>;
  /** Begins to stand for election, and to check in. */
  start(): void;
  /**
   * Steps down: the signal aborts, `onStarted` and `onStopped` are waited for, and the lead is free for others at once.
   * Not to be awaited inside of these.
   */
  stop(): Promise<void>;
}

export interface Member {
  readonly name: string;
  readonly lastCheckIn: Date;
  readonly alive: boolean;
}

const DEFAULT_LEASE = '15s';
/** The leader takes a member off the list that has not checked in for so many leases. */
const FORGOTTEN_AFTER_LEASES = 10;
const SHORTEST_RETRY_MS = 20;
/** Least time between two questions to a store whose lease seems to be over, and how long it may seem so. */
const OVERDUE_RETRY_MS = 100;
const LONGEST_OVERDUE_MS = 2_000;
/** Most members that one check-in takes off the list. */
const MOST_FORGOTTEN = 100;

/** While another leads, a candidate asks every few seconds and is refused: nothing that an operator must see. */
const logWithoutSkips: DefaultObservers = () => [(event) => event.type !== 'skipped' && operatorLog(event)];

/**
 * Elects one leader among processes that share a store, by a lock whose lease is kept alive. Promises: no two lead at a
 * time, under the conditions of docs/protocol.md; terms rise; one who cannot renew steps down by itself before another
 * can lead; one who stops hands over at once. Does not promise: to stop an `onStarted` that ignores its signal, nor that
 * somebody leads at every moment: after a crash nobody does for up to the lease and 3 s. A leader that was paused may
 * still write; only a resource that refuses older terms fends that off.
 *
 * @throws TypeError, RangeError for options that cannot be; nothing is sent before `start`
 */
export function createLeaderElection(options: ElectionOptions): LeaderElection {
  checkKnown(options, [
    'name',
    'store',
    'candidate',
    'lease',
    'retryEvery',
    'onStarted',
    'onStopped',
    'observers',
    'clock',
  ]);
  const { store, candidate: given = anyCandidate(), lease = DEFAULT_LEASE, onStarted, onStopped } = options;
  const { name, candidate, leaseMs, policy } = resolveCandidate(options, given, lease, logWithoutSkips);
  if (typeof store.checkIn !== 'function') {
    throw new TypeError("store has no function 'checkIn': give a store of this library, which keeps a list of members");
  }
  checkLockName(memberListName(name));
  for (const [option, value] of Object.entries({ onStarted, onStopped })) {
    if (value === undefined || typeof value === 'function') continue;
    throw new TypeError(`${option} is ${describe(value)}: give a function, or leave it out`);
  }
  const { clock } = policy;
  const retryMs = parseDuration(options.retryEvery ?? leaseMs / 5, 'retryEvery');
  if (retryMs < SHORTEST_RETRY_MS || retryMs > LONGEST_LEASE_MS) {
    throw new RangeError(`retryEvery is ${describe(options.retryEvery)}: give ${SHORTEST_RETRY_MS}ms to 24h`);
  }
  let stopping: AbortController | undefined;
  let standing: Promise<unknown> = Promise.resolve();
  let current: Leadership | undefined;

  const lead = async ({ fencingToken, signal: held, assertHeld }: Execution): Promise<void> => {
    // Whoever asks the term's signal asks the lock's, which looks at the clocks.
    const term = watchedController(() => held.aborted);
    const { signal } = term;
    const leadership = { term: fencingToken, signal, assertLeader: assertHeld };
    current = leadership;
    held.addEventListener('abort', () => term.abort(held.reason), { once: true });
    if (held.aborted) term.abort(held.reason);
    const work = (async () => onStarted?.(leadership))();
    // A term is over when its signal aborts, or when the work fails: what else it has started is then told so.
    await Promise.race([aborted(signal), work.then(() => aborted(signal)).catch((error) => term.abort(error))]);
    current = undefined;
    // The lead is given back when both have ended, whatever becomes of them.
    const [started, stopped] = await Promise.allSettled([work, (async () => onStopped?.(leadership))()]);
    const failed = [started, stopped].find(
      (end) => end.status === 'rejected' && !(held.aborted && isBecauseOf(held, end.reason)),
    );
    if (failed?.status !== 'rejected') return;
    warn(`election "${name}": onStarted or onStopped failed, and the lead was given back`, {
      error: errorName(failed.reason),
    });
    throw failed.reason;
  };

  const stand = async (shutdown: AbortSignal): Promise<void> => {
    while (!shutdown.aborted) {
      let pauseMs = jittered(retryMs / 2, retryMs);
      try {
        const outcome = await run(lead, { name, lockedBy: candidate, leaseMs, shutdown }, policy);
        const isHeld = outcome.status === 'skipped' && outcome.reason === 'locked';
        const leftMs = isHeld ? leaseLeft(outcome.holder?.lockUntil, clock.now()) : pauseMs;
        // A lease that seems to be over for longer is one that this clock cannot judge.
        if (leftMs > -LONGEST_OVERDUE_MS) pauseMs = Math.min(pauseMs, Math.max(OVERDUE_RETRY_MS, leftMs));
      } catch {
        // It has been told of. The next try may fare better.
      }
      await pause(pauseMs, clock, shutdown);
    }
  };

  const look = async (forget: readonly string[] = []): Promise<MemberList> =>
    store.checkIn({ group: name, forget }, looseCall(policy));

  const keepCheckingIn = async (shutdown: AbortSignal): Promise<void> => {
    let forget: readonly string[] = [];
    while (!shutdown.aborted) {
      try {
        const checkIn = { group: name, member: candidate, forget: current ? forget : [] };
        forget = [];
        const { nowMs, members } = await store.checkIn(checkIn, looseCall(policy));
        const forgottenMs = nowMs - FORGOTTEN_AFTER_LEASES * leaseMs;
        forget = members
          .filter(({ checkedInMs }) => checkedInMs < forgottenMs)
          .slice(0, MOST_FORGOTTEN)
          .map((member) => member.name);
      } catch {
        // The list decides nothing, and the next check-in mends it.
      }
      await pause(leaseMs / 2, clock, shutdown);
    }
  };

  return {
    candidate,
    get term() {
      return isLeading(current) ? current?.term : undefined;
    },
    isLeader: () => isLeading(current),
    async members() {
      const { nowMs, members } = await look();
      return members.map(({ name: member, checkedInMs }) => ({
        name: member,
        lastCheckIn: new Date(checkedInMs),
        alive: nowMs - checkedInMs <= leaseMs,
      }));
    },
    start() {
      if (stopping?.signal.aborted === false) return;
      stopping = new AbortController();
      const { signal } = stopping;
      // After a stop that is still under way.
      standing = standing.then(() => Promise.all([stand(signal), keepCheckingIn(signal)]));
    },
    async stop() {
      const mine = stopping;
      mine?.abort();
      await standing;
      if (!mine || mine !== stopping) return;
      stopping = undefined;
      await look([candidate]).catch(() => undefined);
    },
  };
}

function isLeading(leadership: Leadership | undefined): boolean {
  try {
    leadership?.assertLeader();
    return leadership !== undefined && !leadership.signal.aborted;
  } catch {
    return false;
  }
}

function leaseLeft(lockUntil: string | undefined, nowMs: number): number {
  return lockUntil === undefined ? Number.POSITIVE_INFINITY : Date.parse(lockUntil) - nowMs;
}

/** Whether a function ended because of its signal, which is no failure. */
function isBecauseOf({ aborted, reason }: AbortSignal, error: unknown): boolean {
  if (!aborted) return false;
  return error === reason || error instanceof LockLostError || (error instanceof Error && error.cause === reason);
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
