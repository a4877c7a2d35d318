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
import {
  type Expired,
  isFreeFor,
  isHeldBy,
  isMarkedBy,
  isReleasedBy,
  judgeRefusal,
  refusedBy,
} from '../../core/record/refusal.js';
import { grantFields, leaseOf, markedLease, markFields } from '../../core/record/transition.js';
import { type Note, settleAttempt } from '../../core/request/attempt.js';
import { answered } from '../../core/request/try-loop.js';
import { type Sent, sentNow, wallInGrant } from '../../core/values/clock.js';
import { defined } from '../../core/values/defined.js';
import { memberListName } from '../../core/values/names.js';
import { capMono, type ResponseTime } from './answer.js';
import { checkOptions, type DynamoDBStoreOptions, type LockTable } from './options.js';
import {
  acquireRequest,
  cancelRequest,
  checkInRequest,
  extendRequest,
  markRequest,
  PAD_MS,
  releaseRequest,
  takeoverRequest,
} from './requests.js';
import { keyOf, update } from './table.js';

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
  return {
    acquire: (claim, call) => acquire(table, claim, call),
    extend: (lease, to, call) => extend(table, lease, to.leaseMs, call),
    mark: (lease, done, call) => mark(table, lease, done, call),
    release: (lease, completion, call) => release(table, lease, completion, call),
    checkIn: (asked, call) => checkIn(table, asked, call),
  };
}

/** An acquire in progress. */
interface Attempt {
  readonly table: LockTable;
  readonly claim: Claim;
  readonly call: StoreCall;
  /** When each write of the attempt was sent. */
  readonly sends: Sent[];
  /** Bounds of this host's clock error, by the latest reply. */
  clock?: ClockBounds | undefined;
  /** The `fenceMs` of the lease, if the attempt takes over. */
  fenceMs?: number | undefined;
}

/**
 * Sends one conditional write. If it is refused, but the lock turns out to be free, a second write takes the lock over.
 * A third write makes sure that an attempt without a known result does not get the lock later. The store recognises the
 * attempt by its id, whichever of its tries was applied.
 */
async function acquire(table: LockTable, claim: Claim, call: StoreCall): Promise<AcquireResult> {
  const { name, attemptId } = claim;
  const attempt: Attempt = { table, claim, call, sends: [] };
  const result = await settleAttempt(claim, call, {
    acquire: (note) => acquireOrTakeOver(attempt, note),
    // 3. Cancel.
    cancel: (cancelCall) => {
      const request = cancelRequest(attemptId);
      return update(table, { operation: 'acquire', name, request }, cancelCall);
    },
    own: ({ applied, item = {}, time }) =>
      !applied && isHeldBy(claim, item) ? ownGrant(attempt, readGrant(name, item), time) : undefined,
    giveBack: (lease, completion, releaseCall) => release(table, lease, completion, releaseCall),
  });
  return { ...result, ...defined({ clock: attempt.clock }) };
}

async function acquireOrTakeOver(attempt: Attempt, note: Note): Promise<AcquireResult> {
  const { call } = attempt;
  const endMono = call.clock.monotonic() + call.budgetMs;

  // 1. Acquire.
  const first = await write(attempt, note, call.budgetMs);
  if (first.status !== 'expired') return first;

  // 2. Take over, once, a lock that was released, or whose lease has ended by the server's clock.
  const { record } = first;
  const { state, releasedAt, lockUntil } = record;
  const clockUnverified = attempt.clock === undefined && !isFreeFor(attempt.claim, record);
  attempt.fenceMs = state === 'released' ? releasedAt : lockUntil;
  // The takeover gets a whole try, even if the first write has used up the budget.
  const budgetMs = Math.max(Math.min(call.tryMs, call.budgetMs), endMono - call.clock.monotonic());
  const second = await write(attempt, note, budgetMs, record);
  // Somebody else was faster.
  if (second.status === 'expired') return refusedBy(second.record, 'locked');
  return second.status === 'acquired' && clockUnverified ? { ...second, clockUnverified } : second;
}

/**
 * Sends an acquire or a takeover, and judges the answer.
 *
 * @param seen the record to take over; without it, the lock must be free
 * @throws LockStoreError, CorruptLockError
 */
async function write(
  attempt: Attempt,
  note: Note,
  budgetMs: number,
  seen?: LockRecord,
): Promise<AcquireResult | Expired> {
  const { table, claim, call } = attempt;
  const sent = sentNow(call.clock);
  const now = sent.firstSentWall;
  attempt.sends.push(sent);
  const request = seen ? takeoverRequest(claim, now, seen) : acquireRequest(claim, now);
  const answer = await update(table, { operation: 'acquire', name: claim.name, request }, { ...call, budgetMs });
  note(answer, 'value' in answer && !answer.value.applied ? answer.value.item : undefined);
  const { applied, item, time } = answered(answer);
  attempt.clock = time.clock ?? attempt.clock;
  if (applied) return granted(attempt, newLease(claim, sent, item), time);

  const judgement = judgeRefusal(claim, item, now, (lockUntil) =>
    time.serverMs === undefined ? lockUntil + call.maxClockSkewMs <= now : lockUntil <= time.serverMs,
  );
  switch (judgement.status) {
    case 'own':
      return ownGrant(attempt, judgement.record, time);
    case 'unexpected':
      throw unexpected(claim.name);
    default:
      return judgement;
  }
}

/** Makes the lease of a write that was applied, from the item before the write. @throws CorruptLockError */
function newLease(claim: Claim, sent: Sent, before: Item = {}): Lease {
  const now = sent.firstSentWall;
  // The server has just added 1 to the old token, so the token is a number.
  const fencingToken = Number(before['fencingToken'] ?? now) + 1;
  if (!Number.isSafeInteger(fencingToken) || fencingToken < 1) {
    throw new CorruptLockError(claim.name, 'fencingToken', 'not a countable number');
  }
  const written = { ...grantFields(claim, now, now + claim.leaseMs + PAD_MS, before), fencingToken };
  return leaseOf(claim, written, sent, before);
}

/** Makes the grant of an attempt that already holds the lock, from the record. */
function ownGrant(attempt: Attempt, record: LockRecord, time: ResponseTime): Granted {
  const { claim, sends } = attempt;
  // The instant in the record shows which write was applied.
  const sent = sends.find(({ firstSentWall }) => firstSentWall === record.lockedAt) ?? (sends[0] as Sent);
  return granted(attempt, leaseOf(claim, record, sent), time);
}

function granted({ fenceMs }: Attempt, lease: Lease, time: ResponseTime): Granted {
  return { status: 'acquired', lease: { ...lease, ...defined({ fenceMs }) }, ...capMono(lease.lockUntilMs, time) };
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
  const request = markRequest(lease, done, untilMs);
  const { applied, item = {}, time } = answered(await update(table, { operation: 'mark', name, request }, call));
  if (!applied && !isMarkedBy(lease, done.tickMs, item)) return { status: 'lost' };
  // If the write was refused, but the tick is marked, an earlier try was applied and has set the end of the lease.
  const { lockUntil: lockUntilMs = untilMs } = applied ? {} : readGrant(name, item);
  const marked = markedLease(lease, markFields(lease, done, lockUntilMs));
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
