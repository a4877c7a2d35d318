import type {
  DeleteResult,
  Deletion,
  ForceRelease,
  Pause,
  ResumeResult,
  TickListing,
} from '../core/ports/lock-admin-store.js';
import type {
  AcquireResult,
  Claim,
  ClockBounds,
  Completion,
  DoneTick,
  ExtendResult,
  Granted,
  Lease,
  MarkResult,
} from '../core/ports/lock-store.js';
import type { CheckIn, MemberList } from '../core/ports/member-store.js';
import type { StoreOperation } from '../core/public/errors.js';
import { checkAttribute, FORCE_STEP, type Item, type LockRecord, readGrant } from '../core/record/lock-record.js';
import { checkedIn, readMemberList } from '../core/record/member-list.js';
import {
  deletedRecord,
  judgeDeletion,
  judgeForce,
  judgeListing,
  judgeResume,
  withoutPause,
} from '../core/record/operator.js';
import { isGrantOf, isHeldBy, isMarkedBy, judgeRefusal } from '../core/record/refusal.js';
import { isReleasedBy } from '../core/record/run-ring.js';
import {
  extendedUntil,
  forcedFields,
  grantedRecord,
  leaseOf,
  markedLease,
  markFields,
  pausedFields,
  releaseFields,
} from '../core/record/transition.js';
import { endedAttempt } from '../core/request/attempt.js';
import type { Sent } from '../core/values/clock.js';

/*
 * Each function decides one verb from the record and the storage's time, by the rules of `core/record`. It returns the
 * verb's result, and the whole record to write.
 */

/** The record under a verb's key, and the clocks at the read. */
export interface Found {
  readonly item: Item | undefined;
  /** The storage's time when the record was read, in epoch milliseconds. */
  readonly nowMs: number;
  /**
   * How far `nowMs` may be behind, because the storage's clock is coarse. Every end is written later by as much, and is
   * over at `nowMs >= end`: so nobody takes a lock before its holder has stopped.
   */
  readonly laterMs: number;
  /** Bounds of this host's clock error, judged by the storage's time. */
  readonly clock: ClockBounds;
  /** Both clocks, read before the call's first request. */
  readonly sent: Sent;
}

/** A verb's result, and the record to write, if any. */
export interface Decision<T> {
  readonly result: T;
  readonly write?: Item | undefined;
  /**
   * Whether the write must not be applied once the call has ended: a grant or an extension would then keep the
   * lock, and no run would use it. A release, a mark and a cancel are right however late they come.
   */
  readonly isForNow?: true;
}

/**
 * Passes on a decision, unless it would replace a record that could not be read. Such a record may still be right: its
 * column may have been changed by hand, or its text cut off.
 *
 * @throws CorruptLockError
 */
export function keepingUnreadable<T>(name: string, { item }: Found, decision: Decision<T>): Decision<T> {
  if (decision.write !== undefined && item?.['state'] === UNREADABLE) checkAttribute(name, item, 'state');
  return decision;
}

/** The state that a storage reports for a record that it cannot read. */
const UNREADABLE = 'unreadable';

function decideAcquire(claim: Claim, { item, nowMs, laterMs, clock, sent }: Found): Decision<AcquireResult> {
  const judgement = judgeRefusal(claim, item, nowMs, (lockUntil) => lockUntil <= nowMs);
  if (judgement.status === 'refused') return { result: { ...judgement, clock } };
  if (judgement.status === 'own') {
    return { result: { status: 'acquired', lease: leaseOf(claim, judgement.record, sent), clock } };
  }
  if (item?.['attemptId'] === claim.attemptId) throw endedAttempt(claim.name);
  const write = grantedRecord(claim, nowMs, nowMs + claim.leaseMs + laterMs, item as LockRecord | undefined);
  const lease = leaseOf(claim, write, sent, item ?? {});
  return { result: { status: 'acquired', lease, clock }, write, isForNow: true };
}

/** The claim to cancel, and when its acquire was first sent. If the attempt holds the lock, its lease counts from then. */
interface Cancel {
  readonly claim: Claim;
  readonly firstSent?: Sent;
}

/**
 * Decides a cancel. Unless the attempt holds the lock, a cancel always writes, even if only `barredAttempt` changes. The
 * write changes the version, so that a write of the attempt that is still under way is refused.
 */
function decideCancel({ claim, firstSent }: Cancel, { item, clock, ...found }: Found): Decision<Granted | undefined> {
  const sent = firstSent ?? found.sent;
  if (item !== undefined && isHeldBy(claim, item)) {
    return { result: { status: 'acquired', lease: leaseOf(claim, readGrant(claim.name, item), sent), clock } };
  }
  return { result: undefined, write: { ...item, barredAttempt: claim.attemptId } };
}

function decideExtend({ lease, leaseMs }: Asked<'extend'>, found: Found): Decision<ExtendResult> {
  const { item = {}, sent } = found;
  if (!isHeldBy(lease, item)) return { result: { status: 'lost' } };
  const lockUntil = extendedUntil(lease, item, leaseMs + found.laterMs, found);
  const write = { ...item, lockUntil };
  return { result: { status: 'extended', lockUntilMs: lockUntil, ...sent }, write, isForNow: true };
}

function decideMark({ lease, done }: Asked<'mark'>, found: Found): Decision<MarkResult> {
  const { item = {}, sent } = found;
  if (!isGrantOf(lease, item)) return { result: { status: 'lost' } };
  const lockUntil = extendedUntil(lease, item, done.leaseMs + found.laterMs, found);
  const fields = markFields(lease, done, lockUntil);
  const write = { ...item, ...(isMarkedBy(lease, done.tickMs, item) ? { lockUntil } : fields) };
  return { result: { status: 'marked', lease: markedLease(lease, fields), ...sent }, write };
}

function decideRelease(
  { lease, completion }: Asked<'release'>,
  { item = {}, nowMs, laterMs }: Found,
): Decision<'released' | 'lost'> {
  if (isGrantOf(lease, item)) {
    const atLeastMs = completion.lockAtLeastForMs;
    const end = { ...completion, lockAtLeastForMs: atLeastMs && atLeastMs + laterMs };
    return { result: 'released', write: { ...item, ...releaseFields(lease, end, nowMs) } };
  }
  return { result: isReleasedBy(lease, item) ? 'released' : 'lost' };
}

function decideCheckIn(asked: CheckIn, { item = {}, nowMs }: Found): Decision<MemberList> {
  const write = checkedIn(asked, nowMs, item);
  return { result: readMemberList(nowMs, write ?? item), write };
}

function decideForce(force: ForceRelease, { item, nowMs }: Found): Decision<'forced' | 'changed'> {
  const judged = judgeForce(force, item);
  if (judged !== 'open') return { result: judged };
  const fencingToken = force.fencingToken + FORCE_STEP;
  return { result: 'forced', write: { ...item, ...forcedFields({ ...force, nowMs }), fencingToken } };
}

function decidePause(pause: Pause, { item, nowMs }: Found): Decision<Read> {
  const write = { ...item, ...pausedFields(pause) };
  return { result: { item: write, readMs: nowMs }, write };
}

function decideResume(_: string, { item, nowMs }: Found): Decision<ResumeResult> {
  const result = judgeResume(item, nowMs);
  const isMarked = result !== 'unknown' && item?.['pausedUntil'] !== undefined;
  return { result, write: isMarked ? withoutPause(item as LockRecord) : undefined };
}

function decideDelete(deletion: Deletion, { item, nowMs }: Found): Decision<DeleteResult> {
  const judged = judgeDeletion(deletion, item, (lockUntil) => lockUntil <= nowMs);
  if (judged !== 'open') return { result: judged };
  return { result: 'deleted', write: deletedRecord({ ...deletion, nowMs }, item as LockRecord) };
}

function decideListTicks(listing: TickListing, { item }: Found): Decision<'listed' | 'changed'> {
  const judged = judgeListing(listing, item);
  if (judged !== 'open') return { result: judged };
  const { openTicks, failedTicks } = listing;
  return { result: 'listed', write: { ...item, openTicks, failedTicks } };
}

/** A record, and the storage's time when it was read. */
interface Read {
  readonly item: Item;
  readonly readMs: number;
}

/** What each verb is asked for, and what it results in: values that JSON can carry. `cancel` belongs to an acquire. */
interface Verbs {
  acquire: [Claim, AcquireResult];
  cancel: [Cancel, Granted | undefined];
  extend: [{ lease: Lease; leaseMs: number }, ExtendResult];
  mark: [{ lease: Lease; done: DoneTick }, MarkResult];
  release: [{ lease: Lease; completion: Completion }, 'released' | 'lost'];
  checkIn: [CheckIn, MemberList];
  /** The storage's time when the record was read. */
  get: [string, number];
  forceRelease: [ForceRelease, 'forced' | 'changed'];
  pause: [Pause, Read];
  resume: [string, ResumeResult];
  delete: [Deletion, DeleteResult];
  listTicks: [TickListing, 'listed' | 'changed'];
}

export type Verb = keyof Verbs;
export type Asked<V extends Verb> = Verbs[V][0];
export type Result<V extends Verb> = Verbs[V][1];

const DECISIONS: { readonly [V in Verb]: (asked: Asked<V>, found: Found) => Decision<Result<V>> } = {
  acquire: decideAcquire,
  cancel: decideCancel,
  extend: decideExtend,
  mark: decideMark,
  release: decideRelease,
  checkIn: decideCheckIn,
  get: (_, { nowMs }) => ({ result: nowMs }),
  forceRelease: decideForce,
  pause: decidePause,
  resume: decideResume,
  delete: decideDelete,
  listTicks: decideListTicks,
};

export function isVerb(verb: unknown): verb is Verb {
  return typeof verb === 'string' && Object.hasOwn(DECISIONS, verb);
}

/** Decides a verb. @throws CorruptLockError, and LockStoreError for an attempt that has ended */
export function decide<V extends Verb>(verb: V, asked: Asked<V>, found: Found): Decision<Result<V>> {
  return DECISIONS[verb](asked, found);
}

/** The verb of a store's port that a decision belongs to. */
export function operationOf(verb: Verb): StoreOperation {
  return verb === 'cancel' ? 'acquire' : verb;
}
