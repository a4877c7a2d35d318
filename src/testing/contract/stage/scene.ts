import type {
  DeleteResult,
  ForceRelease,
  LockAdminStore,
  ResumeResult,
  StoredLock,
  TickListing,
} from '../../../core/ports/lock-admin-store.js';
import type {
  AcquireResult,
  Claim,
  Completion,
  DoneTick,
  ExtendResult,
  Lease,
  MarkResult,
  RefusalReason,
  Refused,
  ReleaseResult,
  StoreCall,
} from '../../../core/ports/lock-store.js';
import type { LockRecord } from '../../../core/record/lock-record.js';
import { defined } from '../../../core/values/defined.js';
import { isByHand, newAttemptId } from '../../../core/values/names.js';
import { expectGranted, expectRefused, expectSame } from './expectation.js';
import type { ContractHarness } from './harness.js';

/**
 * The lease of holders that live. It is longer than any case takes, and longer than any harness sets its clock back.
 */
export const LEASE_MS = 3_600_000;
export const HOLD_MS = 1_800_000;
export const TICK_MS: number = Date.UTC(2026, 0, 1, 2);
export const NEXT_TICK_MS: number = TICK_MS + 60_000;

/** The parameter of `mark`: a `DoneTick` whose `leaseMs` is {@link LEASE_MS} by default. */
export type TickDone = Pick<DoneTick, 'tickMs'> & Partial<DoneTick>;

/** The stage of one case: a lock name that no other case uses, and the actions on that lock. */
export interface Scene {
  readonly harness: ContractHarness;
  readonly name: string;
  /** Makes a claim for a new attempt. Each claim has another `lockedBy`. */
  claim(overrides?: Partial<Claim>): Claim;
  acquire(claim: Claim): Promise<AcquireResult>;
  /** Acquires the lock for a new attempt, which must be granted. */
  grant(overrides?: Partial<Claim>): Promise<Lease>;
  /** Tries to acquire the lock for a new attempt, which must be refused for this reason. */
  refuse(reason: RefusalReason, overrides?: Partial<Claim>): Promise<Refused>;
  /** Acquires the lock for a holder that dies: its lease has ended, and nobody has released it. */
  grantAndDie(overrides?: Partial<Claim>): Promise<Lease>;
  extend(lease: Lease, leaseMs?: number): Promise<ExtendResult>;
  mark(lease: Lease, done: TickDone): Promise<MarkResult>;
  release(lease: Lease, completion?: Partial<Completion>): Promise<ReleaseResult>;
  /** Acquires and releases the lock; both must succeed. */
  run(claim?: Partial<Claim>, completion?: Partial<Completion>): Promise<Lease>;
  /** The admin store of the harness. For cases that need `admin`. */
  readonly admin: LockAdminStore;
  /** Reads the stored record of a lock; undefined if the lock has none. */
  record(name?: string): Promise<LockRecord | undefined>;
  force(lease: Lease, overrides?: Partial<ForceRelease>): Promise<'forced' | 'changed'>;
  pause(untilMs: number): Promise<StoredLock>;
  resume(): Promise<ResumeResult>;
  /** Deletes the lock that was seen with this token. */
  remove(seen: Pick<Lease, 'name' | 'fencingToken'>, adminId?: string): Promise<DeleteResult>;
  /** Lists ticks as an operator does, based on the current record or on the record that was `seen`. */
  list(lists: Pick<TickListing, 'openTicks' | 'failedTicks'>, seen?: LockRecord): Promise<'listed' | 'changed'>;
  /** Writes directly into the record. For cases that need `patch`. */
  patch(attributes: Readonly<Record<string, string | number>>): Promise<void>;
}

export function setScene(harness: ContractHarness): Scene {
  const name = newAttemptId('c');
  let asked = 0;

  const scene: Scene = {
    harness,
    name,
    claim: (overrides) => ({
      ...{ name, attemptId: newAttemptId(), leaseMs: LEASE_MS, markTickAtStart: false },
      lockedBy: `contender ${++asked}`,
      ...overrides,
    }),
    acquire: (claim) => harness.store.acquire(claim, harness.call()),
    async grant(overrides) {
      const claim = scene.claim(overrides);
      return expectGranted(await scene.acquire(claim), `acquire by ${claim.lockedBy}`);
    },
    async refuse(reason, overrides) {
      const claim = scene.claim(overrides);
      return expectRefused(await scene.acquire(claim), reason, `acquire by ${claim.lockedBy}`);
    },
    async grantAndDie(overrides) {
      const lease = await scene.grant({ leaseMs: harness.shortLeaseMs, ...overrides });
      await harness.expire(lease);
      return lease;
    },
    extend: (lease, leaseMs = LEASE_MS) => harness.store.extend(lease, { leaseMs }, harness.call()),
    mark: (lease, done) => harness.store.mark(lease, { leaseMs: LEASE_MS, ...done }, harness.call()),
    release: (lease, overrides) => harness.store.release(lease, completionOf(overrides), harness.call()),
    async run(claim, completion) {
      const lease = await scene.grant(claim);
      expectSame(await scene.release(lease, completion), 'released', 'release');
      return lease;
    },
    get admin() {
      if (!harness.admin) throw new TypeError('harness.admin is undefined: leave out the cases that need admin');
      return harness.admin;
    },
    async record(of = name) {
      const found = await scene.admin.get(of, harness.call());
      // Return a copy, so that later writes of the store do not change it.
      return found && ({ ...found.item } as LockRecord);
    },
    force({ name: of, attemptId, fencingToken, lockedAtMs, tickMs }, overrides) {
      const params = harness.call();
      const force = { name: of, adminId: newAttemptId('f'), fencingToken, lockedAtMs, nowMs: params.clock.now() };
      const grant = defined({ tickMs, isManual: isByHand(attemptId) });
      return scene.admin.forceRelease({ ...force, ...grant, ...overrides }, params);
    },
    pause: (untilMs) => scene.admin.pause(name, { untilMs, by: 'an operator' }, harness.call()),
    resume: () => scene.admin.resume(name, harness.call()),
    remove({ name: of, fencingToken }, adminId = newAttemptId('d')) {
      const params = harness.call();
      return scene.admin.delete({ name: of, adminId, fencingToken, nowMs: params.clock.now() }, params);
    },
    async list(lists, seen) {
      const { fencingToken, doneTick, openTicks, failedTicks } = seen ?? (await scene.record()) ?? {};
      const found = defined({ fencingToken, doneTick, openTicks, failedTicks });
      return scene.admin.listTicks({ name, ...lists, seen: found }, harness.call());
    },
    async patch(attributes) {
      if (!harness.patch) throw new TypeError('harness.patch is undefined: leave out the cases that need patch');
      await harness.patch(name, attributes);
    },
  };
  return scene;
}

/**
 * Makes the completion of a run that succeeds and whose lock is free at once. Its `result` decides whether the tick is
 * marked as done or as failed.
 */
function completionOf(overrides: Partial<Completion> = {}): Completion {
  const markTickFailed = overrides.result === 'failed';
  const marks = { markTickDone: !markTickFailed, markTickFailed };
  return { result: 'succeeded', lockAtLeastForMs: 0, durationMs: 5, ...marks, ...overrides };
}

/** Makes the ticks at these minutes after {@link TICK_MS}. */
export function ticks(...minutes: readonly number[]): number[] {
  return minutes.map((minute) => TICK_MS + minute * 60_000);
}

/** Makes the `tickMs` of a claim for the tick at this minute after {@link TICK_MS}. */
export function tick(minute: number): { readonly tickMs: number } {
  return { tickMs: TICK_MS + minute * 60_000 };
}

/** Checks that a tick older than the newest tick done runs once, and is refused after that. */
export async function isOpenOnce({ run, refuse }: Scene, minute: number): Promise<void> {
  await run(tick(minute));
  await refuse('stale-tick', tick(minute));
}

/** Sends one acquire twice, and returns the grant in the second answer. */
export async function grantTwice({ acquire }: Scene, asked: Claim): Promise<Lease> {
  expectGranted(await acquire(asked), 'acquire');
  return expectGranted(await acquire(asked), 'acquire replayed');
}

/** Makes a call from a host whose wall clock is ahead. */
export function aheadBy(ms: number, call: StoreCall): StoreCall {
  const { clock } = call;
  return {
    ...call,
    clock: {
      now: () => clock.now() + ms,
      monotonic: () => clock.monotonic(),
      setTimer: (callback, afterMs) => clock.setTimer(callback, afterMs),
    },
  };
}
