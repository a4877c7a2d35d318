import type { LockStore, MemberStore } from 'single-execution';
import {
  createLeaderElection,
  type ElectionOptions,
  type LeaderElection,
  type Leadership,
} from 'single-execution/leader';
import { type MemoryStore, memoryStore } from 'single-execution/memory';
import {
  type FaultyStore,
  faultyStore,
  type ManualClock,
  manualClock,
  type RecordingObserver,
  recordingObserver,
} from 'single-execution/testing';
import { vi } from 'vitest';
import type { LockRecord } from '../../src/core/record/lock-record.js';
import { sentNow } from '../../src/core/values/clock.js';
import { storeCall } from '../support/contract-harness.js';
import { type Host, hostOn } from './host.js';

export const START: number = Date.parse('2026-01-01T00:00:00Z');
/** The default of `lease`. */
export const LEASE = 15_000;
/** A fifth of the lease: the default of `retryEvery`. */
export const RETRY = 3_000;
/** How long before the end of its lease the holder's deadline comes. */
export const GUARD = 200;

/** A candidate in a process of its own, with all calls of its functions. */
export interface Candidate {
  readonly name: string;
  readonly host: Host;
  readonly election: LeaderElection;
  readonly observer: RecordingObserver;
  /** Plans faults of its calls to the store, and records the calls. */
  readonly faults: FaultyStore;
  readonly checkIn: ReturnType<typeof vi.fn<MemberStore['checkIn']>>;
  /** The terms that began, and the terms that ended. */
  readonly begun: readonly Leadership[];
  readonly ended: readonly Leadership[];
}

export interface ElectionScene {
  readonly clock: ManualClock;
  readonly store: MemoryStore;
  /** A candidate for the lead of `sched`. */
  candidate(name: string, options?: Partial<ElectionOptions>): Candidate;
  /** The names of the candidates in running processes that say they lead. */
  leaders(): string[];
  /** The record that is stored under `sched`. */
  item(): Promise<LockRecord>;
}

/**
 * @param storeAt makes the store that all processes share. @default a store in memory, whose time is the test's clock
 */
export function electionScene(storeAt?: (clock: ManualClock) => LockStore & MemberStore): ElectionScene {
  const clock = manualClock(START);
  const store = memoryStore();
  const shared = storeAt?.(clock) ?? serverTimed(store, clock);
  const all: Candidate[] = [];
  return {
    clock,
    store,
    candidate(name, options = {}) {
      const host = hostOn(clock);
      const observer = recordingObserver();
      const reached = host.reach(shared);
      const faults = faultyStore(reached);
      const checkIn = vi.fn<MemberStore['checkIn']>((...args) => reached.checkIn(...args));
      const begun: Leadership[] = [];
      const ended: Leadership[] = [];
      const election = createLeaderElection({
        name: 'sched',
        store: { ...faults, checkIn },
        candidate: name,
        clock: host.clock,
        observers: [observer],
        ...options,
        onStarted(leadership) {
          begun.push(leadership);
          return options.onStarted?.(leadership);
        },
        onStopped(leadership) {
          ended.push(leadership);
          return options.onStopped?.(leadership);
        },
      });
      const candidate = { name, host, election, observer, faults, checkIn, begun, ended };
      all.push(candidate);
      return candidate;
    },
    leaders: () => all.flatMap(({ name, host, election }) => (host.isRunning() && election.isLeader() ? [name] : [])),
    item: async () => ((await store.get('sched', storeCall(clock)))?.item ?? {}) as LockRecord,
  };
}

/** A scene in which `a` leads. */
export async function oneLeader(options: Partial<ElectionOptions> = {}) {
  const scene = electionScene();
  const a = scene.candidate('a', options);
  a.election.start();
  await scene.clock.advance(0);
  return { ...scene, ...a, a };
}

/** A scene in which `a` leads, and `b` stands from now on. */
export async function twoCandidates(options: { readonly [name in 'a' | 'b']?: Partial<ElectionOptions> } = {}) {
  const scene = await oneLeader(options.a);
  const b = scene.candidate('b', options.b);
  b.election.start();
  return { ...scene, b };
}

/** The store in memory with a server time, as Redis has it: no caller's clock decides when a lease is over. */
function serverTimed(store: MemoryStore, server: ManualClock): LockStore & MemberStore {
  return {
    async acquire(claim, call) {
      const sent = sentNow(call.clock);
      const result = await store.acquire(claim, { ...call, clock: server });
      return result.status === 'acquired' ? { ...result, lease: { ...result.lease, ...sent } } : result;
    },
    async extend(lease, to, call) {
      const sent = sentNow(call.clock);
      const result = await store.extend(lease, to, { ...call, clock: server });
      return result.status === 'extended' ? { ...result, ...sent } : result;
    },
    mark: (lease, done, call) => store.mark(lease, done, { ...call, clock: server }),
    release: (lease, completion, call) => store.release(lease, completion, { ...call, clock: server }),
    checkIn: (checkIn, call) => store.checkIn(checkIn, { ...call, clock: server }),
  };
}
