import { ScanCommand, type ScanCommandOutput } from '@aws-sdk/lib-dynamodb';
import type {
  DeleteResult,
  Deletion,
  ForceRelease,
  LockAdminStore,
  Pause,
  ResumeResult,
  StoredLock,
  TickListing,
} from '../../core/ports/lock-admin-store.js';
import type { StoreCall } from '../../core/ports/lock-store.js';
import type { StoreOperation } from '../../core/public/errors.js';
import type { Item, LockRecord } from '../../core/record/lock-record.js';
import { isDeleted, judgeDeletion, judgeListing } from '../../core/record/operator.js';
import { settledDeletion, settledListing, unansweredWrite } from '../../core/request/attempt.js';
import { answered } from '../../core/request/try-loop.js';
import { defined } from '../../core/values/defined.js';
import { plainItem, type ResponseTime } from './answer.js';
import { checkOptions, type DynamoDBStoreOptions, type LockTable } from './options.js';
import { deleteRequest, forceReleaseRequest, listTicksRequest, pauseRequest, resumeRequest } from './requests.js';
import { sending } from './send.js';
import { ask, keyOf, readOnce, SORT_VALUE, update } from './table.js';

/**
 * Makes the admin store for locks in a DynamoDB table. It takes the same options as `dynamoDBStore`, and needs the
 * rights to `dynamodb:UpdateItem`, `dynamodb:GetItem` and `dynamodb:Scan`.
 *
 * @example
 * ```ts
 * import { lockAdmin } from 'single-execution/admin';
 * import { dynamoDBAdminStore } from 'single-execution/dynamodb';
 *
 * const admin = lockAdmin(dynamoDBAdminStore({ tableName: 'locks' }));
 * for (const { name, state } of await admin.list()) console.log(name, state);
 * ```
 *
 * @throws TypeError, RangeError for invalid options; nothing is sent
 */
export function dynamoDBAdminStore(options: DynamoDBStoreOptions): LockAdminStore {
  const table = checkOptions('dynamoDBAdminStore', options);
  return {
    list: (call) => list(table, call),
    get: async (name, call) => (await read(table, 'get', name, call)).lock,
    forceRelease: (force, call) => forceRelease(table, force, call),
    pause: (name, pause, call) => pauseLock(table, name, pause, call),
    resume: (name, call) => resume(table, name, call),
    delete: (deletion, call) => deleteLock(table, deletion, call),
    listTicks: (listing, call) => listTicks(table, listing, call),
  };
}

async function list(table: LockTable, call: StoreCall): Promise<StoredLock[]> {
  const { tableName, client } = table;
  const locks: StoredLock[] = [];
  let ExclusiveStartKey: Item | undefined;
  do {
    const from = ExclusiveStartKey;
    const answer = await ask(table, { operation: 'list', name: '*' }, call, async (at) => {
      const page = new ScanCommand({ TableName: tableName, ConsistentRead: true, ExclusiveStartKey: from });
      const { output, time } = sending<ScanCommandOutput>(client, page, 'Items', at);
      const { Items = [], LastEvaluatedKey: next } = await output;
      return { found: Items.map((item) => storedLock(table, item, time())), next: next && plainItem(next) };
    });
    const { found, next } = answered(answer);
    locks.push(...found.filter((lock) => lock !== undefined));
    ExclusiveStartKey = next;
  } while (ExclusiveStartKey);
  return locks;
}

async function forceRelease(table: LockTable, force: ForceRelease, call: StoreCall): Promise<'forced' | 'changed'> {
  const { name, adminId } = force;
  const answer = await update(table, { operation: 'forceRelease', name, request: forceReleaseRequest(force) }, call);
  const { applied, item } = answered(answer);
  // If the record has the id of this force release, an earlier try was applied.
  if (applied || item?.['attemptId'] === adminId) return 'forced';
  if (answer.ambiguous) throw unansweredWrite('forceRelease', name);
  return 'changed';
}

async function pauseLock(table: LockTable, name: string, pause: Pause, call: StoreCall): Promise<StoredLock> {
  const request = pauseRequest(pause);
  const { item = {}, time } = answered(await update(table, { operation: 'pause', name, request }, call));
  const { [table.partitionKey]: _, ...attributes } = item;
  return { name, item: attributes, ...readAt(time) };
}

async function resume(table: LockTable, name: string, call: StoreCall): Promise<ResumeResult> {
  const answer = await update(table, { operation: 'resume', name, request: resumeRequest() }, call);
  const { applied, item } = answered(answer);
  if (applied) return Number(item?.['pausedUntil']) <= call.clock.now() ? 'not-paused' : 'resumed';
  if (item === undefined || isDeleted(item)) return 'unknown';
  // An earlier try may have removed the pause.
  return answer.ambiguous ? 'resumed' : 'not-paused';
}

async function deleteLock(table: LockTable, deletion: Deletion, call: StoreCall): Promise<DeleteResult> {
  const { name } = deletion;
  const { lock, serverMs = call.clock.now() } = await read(table, 'delete', name, call);
  // The server's clock decides whether a dead holder's lease has ended. Without a Date header this host's clock
  // decides, and, unlike in a takeover, `maxClockSkew` is not added.
  const judge = (item: Item | undefined) => judgeDeletion(deletion, item, (lockUntil) => lockUntil <= serverMs);
  const found = judge(lock?.item);
  if (found !== 'open') return found;
  const request = deleteRequest(deletion, lock?.item as LockRecord);
  const answer = await update(table, { operation: 'delete', name, request }, call);
  const { applied, item } = answered(answer);
  return applied ? 'deleted' : settledDeletion(name, judge(item), answer.ambiguous);
}

async function listTicks(table: LockTable, listing: TickListing, call: StoreCall): Promise<'listed' | 'changed'> {
  const { name } = listing;
  const answer = await update(table, { operation: 'listTicks', name, request: listTicksRequest(listing) }, call);
  const { applied, item } = answered(answer);
  return applied ? 'listed' : settledListing(name, judgeListing(listing, item), answer.ambiguous);
}

async function read(table: LockTable, operation: StoreOperation, name: string, call: StoreCall) {
  const key = keyOf(table, { operation, name });
  const answer = await ask(table, { operation, name }, call, (at) => readOnce(table, key, at));
  const { item, time } = answered(answer);
  return { lock: item && storedLock(table, item, time), serverMs: time.serverMs };
}

/** Reads the lock in an item; undefined for an item of another program in a shared table. */
function storedLock(
  { partitionKey, sortKey, keyPrefix }: LockTable,
  stored: unknown,
  time: ResponseTime,
): StoredLock | undefined {
  const item = plainItem(stored);
  const { [partitionKey]: key, ...attributes } = item;
  if (typeof key !== 'string' || !key.startsWith(keyPrefix) || key === keyPrefix) return undefined;
  if (sortKey !== undefined && item[sortKey] !== SORT_VALUE) return undefined;
  return { name: key.slice(keyPrefix.length), item: attributes, ...readAt(time) };
}

/** The server's time of an answer, in whole seconds. */
const readAt = ({ serverMs }: ResponseTime): Pick<StoredLock, 'readMs'> => defined({ readMs: serverMs });
