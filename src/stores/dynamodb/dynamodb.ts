import type {
  AcquireResult,
  Claim,
  ClockBounds,
  Completion,
  DoneTick,
  ExtendResult,
  Granted,
  Lease,
  LockStore,
  MarkResult,
  ReleaseResult,
  StoreCall,
} from '../../core/ports/lock-store.js';
import type { CheckIn, MemberList, MemberStore } from '../../core/ports/member-store.js';
import { CorruptLockError, LockStoreError } from '../../core/public/errors.js';
import { type Item, type LockRecord, readGrant } from '../../core/record/lock-record.js';
import { readMemberList } from '../../core/record/member-list.js';
import { type Expired, isFreeFor, isHeldBy, isMarkedBy, judgeRefusal, refusedBy } from '../../core/record/refusal.js';
import { isReleasedBy } from '../../core/record/run-ring.js';
import { grantFields, leaseOf, markedLease, markFields } from '../../core/record/transition.js';
import {
  type AttemptWrite,
  cancelCall,
  type Ended,
  isUnreadable,
  mayStillApply,
  resultOf,
  uncancelled,
  unusedCompletions,
} from '../../core/request/attempt.js';
import { answered } from '../../core/request/try-loop.js';
import { takingTurns } from '../../core/request/turns.js';
import { type Sent, sentNow, wallInGrant } from '../../core/values/clock.js';
import { defined } from '../../core/values/defined.js';
import { PAD_MS } from '../../core/values/lease.js';
import { memberListName } from '../../core/values/names.js';
import { capMono } from './answer.js';
import { checkOptions, type DynamoDBStoreOptions, type LockTable } from './options.js';
import {
  acquireRequest,
  cancelRequest,
  checkInRequest,
  extendRequest,
  markRequest,
  releaseRequest,
  takeoverRequest,
} from './requests.js';
import { keyOf, type Reply, type TableAnswer, update } from './table.js';

export { dynamoDBAdminStore } from './admin.js';
export { type CreateLockTableOptions, createLockTable } from './table.js';
export type { DynamoDBStoreOptions };

/**
 * Makes a store for locks in a DynamoDB table: one item for each lock name, one conditional UpdateItem for each verb,
 * no read before a write. The store needs only the right to `dynamodb:UpdateItem`, and to the table's KMS key if that
 * is your own. It promises nothing on a table that several regions write to with eventual consistency, or for items
 * that somebody else edits or deletes.
 *
 * @example
 * ```ts
 * import { dynamoDBStore } from 'single-execution/dynamodb';
 *
 * export const store = dynamoDBStore({ tableName: 'locks', keyPrefix: 'staging#' });
 * ```
 *
 * @throws TypeError, RangeError for invalid options; nothing is sent
 */
export function dynamoDBStore(options: DynamoDBStoreOptions): LockStore & MemberStore {
  const table = checkOptions('dynamoDBStore', options);
  // Document clients of one client share its configuration. A mock may have none.
  return takingTurns(table.client.config ?? table.client, {
    acquire: (claim, call) => acquire(table, claim, call),
    extend: (lease, to, call) => extend(table, lease, to.leaseMs, call),
    mark: (lease, done, call) => mark(table, lease, done, call),
    release: (lease, completion, call) => release(table, lease, completion, call),
    checkIn: (asked, call) => checkIn(table, asked, call),
  });
}

/** A write of an acquire, and its answer. */
interface Sending extends AttemptWrite {
  readonly answer: TableAnswer<Reply>;
  readonly sent: Sent;
  /** The fields that the write sets. */
  readonly fields: LockRecord;
  /** The `fenceMs` of the lease; undefined without a takeover. */
  readonly fenceMs: number | undefined;
}

/**
 * Sends one conditional write. If it is refused, but the lock turns out to be free, a second write takes the lock over.
 * A third write makes sure that an attempt without a known result does not get the lock later. The store recognises the
 * attempt by its id, whichever of its tries was applied.
 */
async function acquire(table: LockTable, claim: Claim, call: StoreCall): Promise<AcquireResult> {
  const { name, attemptId } = claim;
  const { clock } = call;
  const endMono = clock.monotonic() + call.budgetMs;

  // 1. Acquire.
  const writes = [await write(table, claim, call)];
  let ended = judge(claim, call, writes);

  // 2. Take over, once, a lock that was released, or whose lease has ended by the server's clock.
  if (ended.status === 'expired') {
    const { record } = ended;
    const clockUnverified = ended.clock === undefined && !isFreeFor(claim, record);
    // The takeover gets a whole try, even if the first write has used up the budget.
    const budgetMs = Math.max(Math.min(call.tryMs, call.budgetMs), endMono - clock.monotonic());
    writes.push(await write(table, claim, { ...call, budgetMs }, record));
    ended = judge(claim, call, writes) as Ended;
    if (ended.status === 'acquired' && clockUnverified) ended = { ...ended, clockUnverified };
  }

  // 3. Cancel.
  if (mayStillApply(claim, ended, writes)) {
    const request = cancelRequest(attemptId);
    const cancel = await update(table, { operation: 'acquire', name, request }, cancelCall(call));
    if ('error' in cancel) throw uncancelled(name, ended, cancel.error);
    const { applied, item = {} } = cancel.value;
    const own = !applied && isHeldBy(claim, item) && ownGrant(claim, writes, readGrant(name, item), cancel.value);
    if (own && !('error' in ended && isUnreadable(ended.error))) ended = own;
    // 4. Give back what cannot be used.
    else if (own) {
      for (const unused of unusedCompletions(claim)) {
        if (!(await release(table, own.lease, unused, cancelCall(call)).then(() => false, isUnreadable))) break;
      }
    }
  }
  return resultOf(ended);
}

/**
 * Sends an acquire or a takeover.
 *
 * @param seen the record to take over; without it, the lock must be free
 */
async function write(table: LockTable, claim: Claim, call: StoreCall, seen?: LockRecord): Promise<Sending> {
  const { name } = claim;
  const sent = sentNow(call.clock);
  const now = sent.firstSentWall;
  const fields = grantFields(claim, now, now + claim.leaseMs + PAD_MS, seen);
  const request = seen ? takeoverRequest(claim, now, fields, seen) : acquireRequest(claim, now, fields);
  const answer = await update(table, { operation: 'acquire', name, request }, call);
  // A hold that the claim passes ends in the future, so it is not a fence.
  const passes = seen?.state === 'released' && isFreeFor(claim, seen);
  return { answer, sent, fields, fenceMs: passes ? seen.releasedAt : seen?.lockUntil };
}

/** Judges the answer to the last write. */
function judge(
  claim: Claim,
  call: StoreCall,
  writes: readonly Sending[],
): Ended | (Expired & { readonly clock?: ClockBounds }) {
  const last = writes.at(-1) as Sending;
  try {
    const reply = answered(last.answer);
    const { applied, item, time } = reply;
    if (applied) return granted(claim, last, { ...last.fields, fencingToken: tokenOf(claim, last, item) }, reply);

    const now = last.sent.firstSentWall;
    const judgement = judgeRefusal(claim, item, now, (lockUntil) =>
      time.serverMs === undefined ? lockUntil + call.maxClockSkewMs <= now : lockUntil <= time.serverMs,
    );
    if (judgement.status === 'own') return ownGrant(claim, writes, judgement.record, reply);
    if (judgement.status === 'unexpected') return { status: 'unclear', error: unexpected(claim.name) };
    // Of a takeover, somebody else was faster.
    const judged = judgement.status === 'expired' && writes[1] ? refusedBy(judgement.record, 'locked') : judgement;
    return { ...judged, ...defined({ clock: time.clock }) };
  } catch (error) {
    return { status: 'failed', error };
  }
}

/** Returns the token that a write has made of the token before it. @throws CorruptLockError */
function tokenOf(claim: Claim, { sent }: Sending, before: Item = {}): number {
  // The server has just added 1 to the old token, so the token is a number.
  const fencingToken = Number(before['fencingToken'] ?? sent.firstSentWall) + 1;
  if (!Number.isSafeInteger(fencingToken) || fencingToken < 1) {
    throw new CorruptLockError(claim.name, 'fencingToken', 'not a countable number');
  }
  return fencingToken;
}

/** Makes the grant of an attempt that already holds the lock, from the record. */
function ownGrant(claim: Claim, writes: readonly Sending[], record: LockRecord, reply: Reply): Granted {
  // The instant in the record shows which write was applied.
  const write = writes.findLast(({ sent }) => sent.firstSentWall === record.lockedAt) ?? (writes[0] as Sending);
  return granted(claim, write, record, reply);
}

/** Makes the grant of a write from the record that it has written. */
function granted(
  claim: Claim,
  { sent, fenceMs }: Sending,
  record: LockRecord,
  { applied, item = {}, time }: Reply,
): Granted {
  const lease = leaseOf(claim, record, sent, applied ? item : undefined);
  return {
    status: 'acquired',
    lease: { ...lease, ...defined({ fenceMs }) },
    ...capMono(lease.lockUntilMs, time),
    ...defined({ clock: time.clock }),
  };
}

function unexpected(name: string): LockStoreError {
  return new LockStoreError(
    `acquire of lock "${name}" failed: its record refuses a write that it should allow, as after an edit by hand or a late answer; try again`,
    { code: 'UNAVAILABLE', lockName: name, operation: 'acquire', retryable: true },
  );
}

async function extend(table: LockTable, lease: Lease, leaseMs: number, call: StoreCall): Promise<ExtendResult> {
  const { name } = lease;
  const sent = sentNow(call.clock);
  const untilMs = wallInGrant(lease, sent.firstSentMono) + leaseMs + PAD_MS;
  const request = extendRequest(lease, untilMs);
  const { applied, item = {}, time } = answered(await update(table, { operation: 'extend', name, request }, call));
  const lockUntilMs = applied ? untilMs : Number(item['lockUntil']);
  // If the write was refused, but the lease is ours and at least as long, an earlier try was applied.
  const isReplay = isHeldBy(lease, item) && lockUntilMs >= untilMs;
  if (!applied && !isReplay) return { status: 'lost' };
  return { status: 'extended', lockUntilMs, ...sent, ...capMono(lockUntilMs, time) };
}

async function mark(table: LockTable, lease: Lease, done: DoneTick, call: StoreCall): Promise<MarkResult> {
  const { name } = lease;
  const sent = sentNow(call.clock);
  // A mark always moves lockUntil, so that a takeover judged before the mark is refused.
  const untilMs = Math.max(lease.lockUntilMs + 1, wallInGrant(lease, sent.firstSentMono) + done.leaseMs + PAD_MS);
  const fields = markFields(lease, done, untilMs);
  const request = markRequest(lease, done, fields);
  const { applied, item = {}, time } = answered(await update(table, { operation: 'mark', name, request }, call));
  if (!applied && !isMarkedBy(lease, done.tickMs, item)) return { status: 'lost' };
  // If the write was refused, but the tick is marked, an earlier try was applied and has set the end of the lease.
  const { lockUntil: lockUntilMs = untilMs } = applied ? {} : readGrant(name, item);
  const marked = markedLease(lease, { ...fields, lockUntil: lockUntilMs });
  return { status: 'marked', lease: marked, ...sent, ...capMono(lockUntilMs, time) };
}

async function release(
  table: LockTable,
  lease: Lease,
  completion: Completion,
  call: StoreCall,
): Promise<ReleaseResult> {
  const { name } = lease;
  const request = releaseRequest(lease, completion, wallInGrant(lease, call.clock.monotonic()));
  const answer = await update(table, { operation: 'release', name, request }, call);
  const { applied, item = {} } = answered(answer);
  if (applied || isReleasedBy(lease, item)) return 'released';
  return answer.ambiguous ? 'unknown' : 'lost';
}

async function checkIn(table: LockTable, asked: CheckIn, call: StoreCall): Promise<MemberList> {
  const operation = 'checkIn';
  const key = keyOf(table, { operation, name: memberListName(asked.group) });
  const nowMs = Math.round(call.clock.now());
  const request = checkInRequest(asked, nowMs);
  const { item = {} } = answered(await update(table, { operation, name: asked.group, key, request }, call));
  return readMemberList(nowMs, item);
}
