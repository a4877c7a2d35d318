import type {
  Completion,
  DoneTick,
  ExtendResult,
  Lease,
  LockStore,
  MarkResult,
  ReleaseResult,
  StoreCall,
} from '../../core/ports/lock-store.js';
import type { CheckIn, MemberList, MemberStore } from '../../core/ports/member-store.js';
import { readGrant } from '../../core/record/lock-record.js';
import { readMemberList } from '../../core/record/member-list.js';
import { isHeldBy, isMarkedBy, isReleasedBy } from '../../core/record/refusal.js';
import { markedLease, markFields } from '../../core/record/transition.js';
import { answered } from '../../core/request/try-loop.js';
import { sentNow, wallInGrant } from '../../core/values/clock.js';
import { memberListName } from '../../core/values/names.js';
import { acquire } from './acquire.js';
import { checkOptions, type DynamoDBStoreOptions } from './options.js';
import { checkInRequest, extendRequest, markRequest, PAD_MS, releaseRequest } from './requests.js';
import { capMono } from './response-time.js';
import { type LockTable, lockTable } from './table.js';

export { dynamoDBAdminStore } from './admin.js';
export { type CreateLockTableOptions, createLockTable } from './create-table.js';
export type { DynamoDBStoreOptions };

/**
 * Locks in a DynamoDB table: one item a lock name, one conditional UpdateItem a verb, no read before a write. Needs
 * only the right to `dynamodb:UpdateItem`. Promises nothing on a table that several regions write to with eventual
 * consistency, or for items that somebody else edits or deletes.
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
  const table = lockTable(checkOptions('dynamoDBStore', options));
  return {
    acquire: (claim, call) => acquire(table, claim, call),
    extend: (lease, to, call) => extend(table, lease, to.leaseMs, call),
    mark: (lease, done, call) => mark(table, lease, done, call),
    release: (lease, completion, call) => release(table, lease, completion, call),
    checkIn: (asked, call) => checkIn(table, asked, call),
  };
}

async function extend(table: LockTable, lease: Lease, leaseMs: number, call: StoreCall): Promise<ExtendResult> {
  const { name } = lease;
  const sent = sentNow(call.clock);
  const untilMs = wallInGrant(lease, sent.firstSentMono) + leaseMs + PAD_MS;
  const request = extendRequest(lease, untilMs);
  const { applied, item = {}, time } = answered(await table.update({ operation: 'extend', name, request }, call));
  const lockUntilMs = applied ? untilMs : Number(item['lockUntil']);
  // Refused, but the lease is ours and at least as long: an earlier try was applied.
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
  const { applied, item = {}, time } = answered(await table.update({ operation: 'mark', name, request }, call));
  if (!applied && !isMarkedBy(lease, done.tickMs, item)) return { status: 'lost' };
  // Refused, but marked: the try that was applied has set the end of the lease.
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
  const answer = await table.update({ operation: 'release', name, request }, call);
  const { applied, item = {} } = answered(answer);
  if (applied || isReleasedBy(lease, item)) return 'released';
  return answer.ambiguous ? 'unknown' : 'lost';
}

async function checkIn(table: LockTable, asked: CheckIn, call: StoreCall): Promise<MemberList> {
  const operation = 'checkIn';
  const key = table.keyOf({ operation, name: memberListName(asked.group) });
  const nowMs = Math.round(call.clock.now());
  const request = checkInRequest(asked, nowMs);
  const { item = {} } = answered(await table.update({ operation, name: asked.group, key, request }, call));
  return readMemberList(nowMs, item);
}
