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
import { isHeldBy, isReleasedBy } from '../../core/record/refusal.js';
import { answered } from '../../core/request/try-loop.js';
import { memberListName } from '../../core/values/lock-name.js';
import { sentNow, wallInGrant } from '../../core/values/sent.js';
import { acquire } from './acquire.js';
import { checkOptions, type DynamoDBStoreOptions } from './options.js';
import { checkInRequest, extendRequest, PAD_MS, releaseRequest } from './requests.js';
import { capMono } from './response-time.js';
import { type LockTable, lockTable } from './table.js';

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
  const table = lockTable(checkOptions('dynamoDBStore', options));
  return {
    acquire: (claim, call) => acquire(table, claim, call),
    extend: (lease, to, call) => extend(table, lease, to.leaseMs, call),
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
  // Refused, and yet ours and at least as long: an earlier try was applied.
  const isReplay = isHeldBy(lease, item) && lockUntilMs >= untilMs;
  if (!applied && !isReplay) return { status: 'lost' };
  return { status: 'extended', lockUntilMs, ...sent, ...capMono(lockUntilMs, time) };
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
