import { operatorLog, warn } from '../core/observers/operator-log.js';
import type { DefaultObservers } from '../core/options/policy.js';
import type { LockStore } from '../core/ports/lock-store.js';
import type { MemberStore } from '../core/ports/member-store.js';
import type { Execution } from '../core/public/execution.js';
import { run } from '../core/run/engine.js';
import type { Task } from '../core/run/invocation.js';
import { watchedController } from '../core/run/lease-watch.js';
import { checkKnown, describe, namesOf } from '../core/values/checks.js';
import { jittered, pause, type Signal } from '../core/values/clock.js';
import { type Duration, parseDuration } from '../core/values/duration.js';
import { LONGEST_LEASE_MS } from '../core/values/lease.js';
import { checkLockName, memberListName } from '../core/values/names.js';
import { errorName, readThrown } from '../core/values/thrown.js';
import {
  anyCandidate,
  type Candidate,
  type CandidateOptions,
  checkInsOf,
  type Member,
  resolveCandidate,
} from './candidate.js';

/** Options of `createLeaderElection`. */
export interface ElectionOptions extends CandidateOptions {
  /** Any store of this library. It keeps the lock and the list of members. */
  readonly store: LockStore & MemberStore;
  /**
   * The name of this process among the members; no other process may have the same name. At most 64 UTF-8 bytes.
   *
   * @default the process id, `HOSTNAME` or else the name of the host, shortened in the middle, and random characters
   */
  readonly candidate?: string;
  /**
   * How long other candidates wait for a leader that died: 1 s to 24 h. The leader renews the lease each time a third
   * of it has passed. A number is milliseconds.
   *
   * @default '15s'
   */
  readonly lease?: Duration;
  /**
   * How long a candidate that does not lead waits at most before it asks again. A number is milliseconds. @default a
   * fifth of the lease
   */
  readonly retryEvery?: Duration;
  /** Called when this candidate leads. Its term lasts until the signal aborts, or until this function throws. */
  readonly onStarted?: (leadership: Leadership) => unknown;
  /** Called at the end of each term, before the lead is released. */
  readonly onStopped?: (leadership: Leadership) => unknown;
}

/** One candidate of an election. */
export interface LeaderElection {
  /** The name of this candidate among the members. */
  readonly candidate: string;
  /** The term in which this candidate leads; undefined while it does not lead. */
  readonly term: number | undefined;
  /** Whether this candidate leads, judged by this host's clocks without a request. */
  isLeader(): boolean;
  /**
   * Lists all members that have checked in lately. A member is `alive` if it checked in within the lease. Sends one
   * request.
   */
  members(): Promise<Member[]>;
  /** Starts to ask for the lead, and to check in. */
  start(): void;
  /**
   * Steps down: aborts the signal, waits for `onStarted` and `onStopped`, and then frees the lead for other candidates
   * at once. Do not await `stop` inside these two functions.
   */
  stop(): Promise<void>;
}

const OPTIONS = namesOf<ElectionOptions>({
  name: true,
  store: true,
  candidate: true,
  lease: true,
  retryEvery: true,
  onStarted: true,
  onStopped: true,
  observers: true,
  clock: true,
});
const DEFAULT_LEASE = '15s';
const SHORTEST_RETRY_MS = 20;

/** A candidate that does not lead asks every few seconds and is refused. Operators need not see that. */
const logWithoutSkips: DefaultObservers = () => [(event) => event.type !== 'skipped' && operatorLog(event)];

/**
 * Elects one leader among processes that share a store, by a lock whose lease is kept alive. Promises: no two
 * candidates lead at the same time, under the conditions of docs/protocol.md; terms rise; a leader that cannot renew
 * steps down by itself before another can lead; a leader that stops hands over at once. Does not promise: to stop an
 * `onStarted` that ignores its signal, or that somebody leads at every moment: after a crash nobody leads for up to the
 * lease plus 3 s. A leader that was suspended may still write; only a resource that refuses older terms prevents that.
 *
 * @example
 * ```ts
 * import { setTimeout } from 'node:timers/promises';
 * import { createLeaderElection } from 'single-execution/leader';
 * import { memoryStore } from 'single-execution/memory';
 *
 * const election = createLeaderElection({
 *   name: 'dispatcher',
 *   store: memoryStore(),
 *   onStarted: async ({ signal, term }) => {
 *     while (!signal.aborted) {
 *       console.log('dispatching in term', term);
 *       await setTimeout(1_000);
 *     }
 *   },
 * });
 * election.start();
 * ```
 *
 * @throws TypeError, RangeError for invalid options; nothing is sent before `start`
 */
export function createLeaderElection(options: ElectionOptions): LeaderElection {
  const standing = resolveElection(options);
  const terms = termsOf(standing.name, { onStarted: options.onStarted, onStopped: options.onStopped });
  const checkIns = checkInsOf(standing, options.store, () => terms.current !== undefined);
  let stopping: AbortController | undefined;
  let settled: Promise<unknown> = Promise.resolve();

  return {
    candidate: standing.candidate,
    get term() {
      return isLeading(terms.current) ? terms.current?.term : undefined;
    },
    isLeader: () => isLeading(terms.current),
    members: checkIns.members,
    start() {
      if (stopping?.signal.aborted === false) return;
      stopping = new AbortController();
      const { signal } = stopping;
      // Begin only after an earlier stop has finished.
      settled = settled.then(() => Promise.all([stand(terms.serve, standing, signal), checkIns.keepUp(signal)]));
    },
    async stop() {
      const mine = stopping;
      mine?.abort();
      await settled;
      if (!mine || mine !== stopping) return;
      stopping = undefined;
      await checkIns.leave();
    },
  };
}

/** @throws TypeError, RangeError for invalid options */
function resolveElection(options: ElectionOptions): Standing {
  checkKnown(options, OPTIONS);
  const { store, candidate: given = anyCandidate(), lease = DEFAULT_LEASE, onStarted, onStopped } = options;
  const candidate = resolveCandidate(options, given, lease, logWithoutSkips);
  const { name, leaseMs } = candidate;
  if (typeof store.checkIn !== 'function') {
    throw new TypeError("store has no function 'checkIn': pass a store of this library, which keeps a list of members");
  }
  checkLockName(memberListName(name));
  for (const [option, value] of Object.entries({ onStarted, onStopped })) {
    if (value === undefined || typeof value === 'function') continue;
    throw new TypeError(`${option} is ${describe(value)}: pass a function, or leave it out`);
  }
  const retryMs = parseDuration(options.retryEvery ?? leaseMs / 5, 'retryEvery');
  if (retryMs < SHORTEST_RETRY_MS || retryMs > LONGEST_LEASE_MS) {
    throw new RangeError(`retryEvery is ${describe(options.retryEvery)}: pass ${SHORTEST_RETRY_MS}ms to 24h`);
  }
  return { ...candidate, retryMs };
}

/** The shortest pause between two requests while the leader's lease seems to have ended. */
const OVERDUE_RETRY_MS = 100;
/** If the lease seems to have ended longer ago than this limit, do not trust this host's clock: it may be ahead. */
const LONGEST_OVERDUE_MS = 2_000;

/** A candidate, and how long it waits at most before it asks again. */
export interface Standing extends Candidate {
  readonly retryMs: number;
}

/** Asks for the lead again and again, and serves each term that is granted, until the signal aborts. Never rejects. */
async function stand(serve: Task<void>, standing: Standing, shutdown: Signal): Promise<void> {
  const { name, candidate, leaseMs, policy, retryMs } = standing;
  const { clock } = policy;
  while (!shutdown.aborted) {
    let pauseMs = jittered(retryMs / 2, retryMs);
    try {
      const outcome = await run(serve, { name, lockedBy: candidate, leaseMs, shutdown }, policy);
      const isHeld = outcome.status === 'skipped' && outcome.reason === 'locked';
      const leftMs = isHeld ? leaseLeft(outcome.holder?.lockUntil, clock.now()) : pauseMs;
      // Ask sooner if the lease ends soon, unless this host's clock may be ahead.
      if (leftMs > -LONGEST_OVERDUE_MS) pauseMs = Math.min(pauseMs, Math.max(OVERDUE_RETRY_MS, leftMs));
    } catch {
      // The run has reported the error to the observers. The next try may succeed.
    }
    await pause(pauseMs, clock, shutdown);
  }
}

function leaseLeft(lockUntil: string | undefined, nowMs: number): number {
  return lockUntil === undefined ? Number.POSITIVE_INFINITY : Date.parse(lockUntil) - nowMs;
}

/** One term of one leader. */
export interface Leadership {
  /**
   * The fencing token of the term: greater than the token of every earlier term. Resources that you write to must
   * refuse smaller tokens.
   */
  readonly term: number;
  /**
   * Aborts when the term ends: with a `LockLostError` when the lead is lost, with a `RunEndedError` when the election
   * is stopped, or with the error that `onStarted` threw.
   */
  readonly signal: Signal;
  /** Throws a `LockLostError` unless this candidate still leads, judged by its clocks without a request. */
  assertLeader(): void;
}

/** The callbacks of a term. */
export interface TermWork {
  readonly onStarted: ((leadership: Leadership) => unknown) | undefined;
  readonly onStopped: ((leadership: Leadership) => unknown) | undefined;
}

/** The terms of one candidate, one after another. */
export interface Terms {
  /** Serves one term: a run under the election's lock, which is released when the promise settles. */
  serve(execution: Execution): Promise<void>;
  /** The current term; undefined once it is over, even if its work has not ended yet. */
  readonly current: Leadership | undefined;
}

function termsOf(name: string, { onStarted, onStopped }: TermWork): Terms {
  let current: Leadership | undefined;
  return {
    get current() {
      return current;
    },
    async serve(execution) {
      const held = execution.signal;
      const term = termOf(held);
      const { signal } = term;
      const leadership = { term: execution.fencingToken, signal, assertLeader: execution.assertHeld };
      current = leadership;
      const work = (async () => onStarted?.(leadership))();
      // A term ends when its signal aborts, or when the work fails; the signal then stops everything else that the work
      // has started.
      await Promise.race([aborted(signal), work.then(() => aborted(signal)).catch((error) => term.abort(error))]);
      current = undefined;
      // Release the lead when `onStarted` and `onStopped` have ended, even if they failed.
      const ends = await Promise.allSettled([work, (async () => onStopped?.(leadership))()]);
      const failed = ends.find((end) => end.status === 'rejected' && !isBecauseOf(execution, end.reason));
      if (failed?.status !== 'rejected') return;
      warn(`election "${name}": onStarted or onStopped failed, and the lead was given back`, {
        error: errorName(failed.reason),
      });
      throw failed.reason;
    },
  };
}

/**
 * Makes the controller of a term. It aborts when the signal of the term's lock aborts. Reading the term's signal reads
 * the lock's signal, which looks at the clocks.
 */
function termOf(held: AbortSignal): AbortController {
  const term = watchedController(() => held.aborted);
  held.addEventListener('abort', () => term.abort(held.reason), { once: true });
  if (held.aborted) term.abort(held.reason);
  return term;
}

/** Whether a term lasts, by its signal, which looks at this host's clocks. */
function isLeading(leadership: Leadership | undefined): boolean {
  return leadership !== undefined && !leadership.signal.aborted;
}

/** Whether a function threw because its term had ended, by its signal or by `assertLeader`. That is not a failure. */
function isBecauseOf({ signal, assertHeld }: Execution, error: unknown): boolean {
  const isIts = (end: unknown) => error === end || readThrown(error, 'cause') === end;
  if (!signal.aborted || isIts(signal.reason)) return signal.aborted;
  try {
    assertHeld();
    return false;
  } catch (lost) {
    // An error of another lock is a failure, although it may have the same class.
    return isIts(lost);
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
