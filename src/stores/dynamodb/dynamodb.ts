import type {
  Completion,
  ExtendResult,
  Lease,
  LockStore,
  ReleaseResult,
  StoreCall,
} from '../../core/ports/lock-store.js';
import type { CheckIn, MemberList, MemberStore } from '../../core/ports/member-store.js';
import { readMemberList } from '../../core/record/member-list.js';
import { hasRun } from '../../core/record/run-ring.js';
import { memberListName } from '../../core/values/lock-name.js';
import { sentNow, wallInGrant } from '../../core/values/sent.js';
import { acquire } from './acquire.js';
import { failureOf } from './errors.js';
import { checkInRequest, extendRequest, PAD_MS, releaseRequest } from './requests.js';
import { capMono } from './response-time.js';
import { type DynamoDBStoreOptions, type LockTable, lockTable } from './table.js';

export { dynamoDBAdminStore } from './admin.js';
export { type CreateLockTableOptions, createLockTable } from './create-table.js';
export type { DynamoDBStoreOptions };

/**
 * Locks in a DynamoDB table: one item a lock name, one conditional UpdateItem a verb, no read before a write. Needs the
 * right to `dynamodb:UpdateItem` and no other. Promises nothing on a table that several regions write to with eventual
 * consistency, nor about items that somebody else edits or deletes.
 *
 * @throws TypeError, RangeError for options that cannot be; nothing is sent
 */
export function dynamoDBStore(options: DynamoDBStoreOptions): LockStore & MemberStore {
  const table = lockTable('dynamoDBStore', options);
  return {
    acquire: (claim, call) => acquire(table, claim, call),
    extend: (lease, to, call) => extend(table, lease, to.leaseMs, call),
    release: (lease, completion, call) => release(table, lease, completion, call),
    checkIn: (checkIn, call) => enlist(table, checkIn, call),
  };
}

async function extend(table: LockTable, lease: Lease, leaseMs: number, call: StoreCall): Promise<ExtendResult> {
  const key = table.keyOf(lease.name, 'extend');
  const sent = sentNow(call.clock);
  const untilMs = wallInGrant(lease, sent.firstSentMono) + leaseMs + PAD_MS;
  const answer = await table.update(key, extendRequest(lease, untilMs), call);
  if ('error' in answer) throw failureOf(answer.error, 'extend', lease.name, table.tableName);

  const { applied, item, sentMono, time } = answer.value;
  const lockUntilMs = applied ? untilMs : Number(item?.['lockUntil']);
  // Refused, and yet ours and at least as long: an earlier try was applied.
  const isReplay = item?.['attemptId'] === lease.attemptId && item['state'] === 'held' && lockUntilMs >= untilMs;
  if (!applied && !isReplay) return { status: 'lost' };
  return { status: 'extended', lockUntilMs, ...sent, ...capMono(sentMono, lockUntilMs, time) };
}

async function release(
  table: LockTable,
  lease: Lease,
  completion: Completion,
  call: StoreCall,
): Promise<ReleaseResult> {
  const key = table.keyOf(lease.name, 'release');
  const nowMs = wallInGrant(lease, call.clock.monotonic());
  const answer = await table.update(key, releaseRequest(lease, completion, nowMs), call);
  if ('error' in answer) throw failureOf(answer.error, 'release', lease.name, table.tableName);

  const { applied, item = {} } = answer.value;
  if (applied) return 'released';
  // Refused, and yet released: an earlier try was applied, and perhaps a successor came since.
  const isReplay = item['attemptId'] === lease.attemptId && item['state'] === 'released';
  if (isReplay || hasRun(item, lease.fencingToken)) return 'released';
  return answer.ambiguous ? 'unknown' : 'lost';
}

async function enlist(table: LockTable, checkIn: CheckIn, call: StoreCall): Promise<MemberList> {
  const key = table.keyOf(memberListName(checkIn.group), 'checkIn');
  const nowMs = Math.round(call.clock.now());
  const answer = await table.update(key, checkInRequest(checkIn, nowMs), call);
  if ('error' in answer) throw failureOf(answer.error, 'checkIn', checkIn.group, table.tableName);
  return readMemberList(nowMs, answer.value.item ?? {});
}
